/**
 * The cost suite as one table: for each binding, route and page the dearest requests, and how large
 * their replies may be.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { SOAP_11, SOAP_12 } from "../../../lib/bindings/soap/versions.ts";
import type { RawRequest } from "../http.ts";
import { DEAR_CALL_HEADS, dearHeads } from "./heads.ts";
import { DEAR_JSON } from "./json.ts";
import { DEAR_PAIRINGS } from "./pairings.ts";
import { DEAR_FORMS, dearQueries } from "./params.ts";
import { DEAR_PICTURES, DEAR_SECRETS, dearHosts } from "./others.ts";
import type { DearRequest } from "./request.ts";
import { dearEnvelopes } from "./xml.ts";

/** Requests to one binding, route or page. */
export interface CostGroup {
  /** What they go to. */
  readonly name: string;
  /** The options of the server. */
  readonly args: readonly string[];
  /** The dearest requests. */
  readonly dear: readonly DearRequest[];
  /** How large a reply may be. */
  readonly bound: ReplyBound;
}

/** How large a reply may be: some bytes, and some more for each byte of its request. */
export interface ReplyBound {
  /** The bytes that every reply may have. */
  readonly bytes: number;
  /** The bytes for each of the request. */
  readonly multiple: number;
}

/** No reply is larger, in bytes. */
export const MAX_REPLY_BYTES = 131_072;

// A page, or a QR code drawn in text: that is what the request is for. A largest QR code in which each
// row had a run of dark modules at every second module would take 94,000 bytes.
const PICTURE: ReplyBound = { bytes: 98_304, multiple: 0 };
// Results, errors, faults, PNGs. What grows with a request is the Key URI, which has a name twice and
// percent-encoded, and the names of header blocks in a fault.
const SMALL: ReplyBound = { bytes: 16_384, multiple: 8 };

const PIN_QUERY = "pin=123456&secretCode=YJO8LCQTMFU4";
const SOAP_GROUPS = [SOAP_11, SOAP_12].map((version): CostGroup => ({
  name: version.name,
  args: [],
  dear: dearEnvelopes(version),
  bound: SMALL,
}));

const PARAMETER_GROUPS: readonly CostGroup[] = [
  {
    name: "HTTP GET",
    args: [],
    dear: dearQueries("/api.asmx/Pair"),
    bound: SMALL,
  },
  { name: "HTTP POST", args: [], dear: DEAR_FORMS, bound: SMALL },
  {
    name: "JSON",
    args: [],
    dear: DEAR_JSON,
    bound: SMALL,
  },
  {
    name: "secrets in Base32",
    args: ["--secret-encoding", "base32"],
    dear: DEAR_SECRETS,
    bound: SMALL,
  },
  {
    name: "/pair.aspx",
    args: [],
    dear: dearQueries("/pair.aspx"),
    bound: SMALL,
  },
  {
    name: "/Validate.aspx",
    args: [],
    dear: dearQueries("/Validate.aspx", "pin=1&secretCode=c&"),
    bound: SMALL,
  },
];

const PICTURE_GROUPS: readonly CostGroup[] = [
  { name: "pairings", args: [], dear: DEAR_PAIRINGS, bound: PICTURE },
  {
    name: "pairings by --html image",
    args: ["--html", "image"],
    dear: DEAR_PAIRINGS,
    bound: SMALL,
  },
  {
    name: "/qr.aspx",
    args: [],
    dear: [...DEAR_PICTURES, ...dearQueries("/qr.aspx", "data=a&")],
    bound: PICTURE,
  },
  {
    name: "pages",
    args: [],
    dear: [
      ...["", "?op=Pair", "?op=ValidatePin", "?op=None", "?wsdl", "?disco"]
        .flatMap((query) => dearHosts(`/api.asmx${query}`)),
      ...dearQueries("/api.asmx", ""),
    ],
    bound: PICTURE,
  },
];

const WATCHFUL = ["--trust-proxy"];
const WITH_KEYS = [
  "--api-keys-file",
  fileURLToPath(new URL("../../integration/browser/api_keys.txt", import.meta.url)),
];

const HEAD_GROUPS: readonly CostGroup[] = [
  {
    name: "heads, SOAP 1.1",
    args: WATCHFUL,
    dear: DEAR_CALL_HEADS,
    bound: SMALL,
  },
  {
    name: "heads, where a key is wanted",
    args: WITH_KEYS,
    dear: dearHeads(`/api.asmx/ValidatePin?${PIN_QUERY}`),
    bound: SMALL,
  },
  ...["/api.asmx?wsdl", `/api.asmx/ValidatePin?${PIN_QUERY}`, "/healthz", "/none"].map((
    target,
  ) => ({
    name: `heads, GET ${target.replace(/\?pin.*/, "")}`,
    args: WATCHFUL,
    dear: dearHeads(target),
    bound: SMALL,
  })),
];

/** All groups. */
export const COST_GROUPS: readonly CostGroup[] = [
  ...SOAP_GROUPS,
  ...PARAMETER_GROUPS,
  ...PICTURE_GROUPS,
  ...HEAD_GROUPS,
];

/** The bytes of a request on the wire. */
export function requestBytes({ head, body }: RawRequest): number {
  return head.reduce((sum, line) => sum + line.length + 2, 2) + body.length;
}

/** The largest reply that a request to a group may get, in bytes of its body. */
export function largestReply({ bound }: CostGroup, sent: RawRequest): number {
  return Math.min(MAX_REPLY_BYTES, bound.bytes + bound.multiple * requestBytes(sent));
}
