/** The cost suite: costly requests to each binding, route and page, and the largest reply allowed. */

import { fileURLToPath } from "node:url";
import { SOAP_11, SOAP_12 } from "../../../lib/bindings/soap/versions.ts";
import type { RawRequest } from "../http.ts";
import type { Server } from "../replay.ts";
import * as calls from "./calls.ts";
import { costlyHeads } from "./heads.ts";
import type { CostlyRequest } from "./request.ts";
import { costlyEnvelopes } from "./xml.ts";

/** Requests to one binding, route or page. */
export interface CostGroup {
  /** The binding, route or page. */
  readonly name: string;
  /** Options of the server. */
  readonly args: readonly string[];
  /** The requests. */
  readonly requests: readonly CostlyRequest[];
  /** Largest reply: some bytes, and some more for each byte of the request. */
  readonly bound: { readonly bytes: number; readonly multiple: number };
}

const MAX_REPLY_BYTES = 131_072;

// Pages, and QR codes as SVG. The largest QR code would take 94,000 bytes if each of its rows had a
// run of dark modules at every second module.
const PICTURE = { bytes: 98_304, multiple: 0 };
// Results, errors, faults and PNGs. The Key URI, which has a name twice and percent-encoded, and the
// names of header blocks in a fault grow with the request.
const SMALL = { bytes: 16_384, multiple: 8 };

const PIN_QUERY = "pin=123456&secretCode=YJO8LCQTMFU4";
const API_KEYS = fileURLToPath(
  new URL("../../integration/browser/api_keys.txt", import.meta.url),
);

function group(
  name: string,
  requests: readonly CostlyRequest[],
  bound = SMALL,
  ...args: readonly string[]
): CostGroup {
  return { name, args, requests, bound };
}

/**
 * All groups.
 *
 * @param fieldBytes The longest header field, for which the runtimes have limits; Deno's is the highest.
 */
export const costGroups = (fieldBytes = 64_000): readonly CostGroup[] => [
  ...[SOAP_11, SOAP_12].map((version) => group(version.name, costlyEnvelopes(version))),
  group("HTTP GET", calls.costlyQueries("/api.asmx/Pair")),
  group("HTTP POST", calls.COSTLY_FORMS),
  group("JSON", calls.COSTLY_JSON),
  group("secrets in Base32", calls.COSTLY_SECRETS, SMALL, "--secret-encoding", "base32"),
  group("/pair.aspx", calls.costlyQueries("/pair.aspx")),
  group("/Validate.aspx", calls.costlyQueries("/Validate.aspx", "pin=1&secretCode=c&")),
  group("pairings", calls.COSTLY_PAIRINGS, PICTURE),
  group("pairings by --html image", calls.COSTLY_PAIRINGS, SMALL, "--html", "image"),
  group(
    "/qr.aspx",
    [...calls.COSTLY_PICTURES, ...calls.costlyQueries("/qr.aspx", "data=a&")],
    PICTURE,
  ),
  group("pages", [
    ...["", "?op=Pair", "?op=ValidatePin", "?op=None", "?wsdl", "?disco"]
      .flatMap((query) => calls.costlyHosts(`/api.asmx${query}`)),
    ...calls.costlyQueries("/api.asmx", ""),
  ], PICTURE),
  group("heads, SOAP 1.1", costlyHeads(fieldBytes), SMALL, "--trust-proxy"),
  group(
    "heads, where a key is required",
    costlyHeads(fieldBytes, `/api.asmx/ValidatePin?${PIN_QUERY}`),
    ...[SMALL, "--api-keys-file", API_KEYS] as const,
  ),
  ...["/api.asmx?wsdl", `/api.asmx/ValidatePin?${PIN_QUERY}`, "/healthz", "/none"].map((target) =>
    group(
      `heads, GET ${target.replace(/\?pin.*/, "")}`,
      ...[costlyHeads(fieldBytes, target), SMALL, "--trust-proxy"] as const,
    )
  ),
];

/** The largest reply to a request of a group, in bytes of its body. */
function largestReply({ bound }: CostGroup, { head, body }: RawRequest): number {
  const sent = head.reduce((sum, line) => sum + line.length + 2, 2) + body.length;
  return Math.min(MAX_REPLY_BYTES, bound.bytes + bound.multiple * sent);
}

// A deadline for a busy machine, not a measurement: a thousand times the slowest reply.
const DEADLINE_MS = 10_000;

// No 413 and no 414: every request stays within the limits.
const STATUSES = [200, 400, 401, 404, 415, 500];

/** Sends each request of a group; returns all problems found. */
export async function costProblems(server: Server, group: CostGroup): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { part, make } of group.requests) {
    const sent = make();
    const start = performance.now();
    const { status, body } = await server.send(sent);
    const tookMs = performance.now() - start;
    const largest = largestReply(group, sent);
    const isInternal = new TextDecoder().decode(body).includes("Server was unable to process");
    if (!STATUSES.includes(status)) problems.push(`${part}: status ${status}`);
    if (isInternal) problems.push(`${part}: an internal error`);
    if (body.length > largest) problems.push(`${part}: ${body.length} bytes, ${largest} allowed`);
    if (tookMs > DEADLINE_MS) problems.push(`${part}: more than ${DEADLINE_MS} ms`);
  }
  return problems;
}
