/** Changes of a request in one place: its head, its texts, its bytes. */

import { pick, type Random, randomText } from "../support/random.ts";
import { mutated } from "../xml/documents.ts";
import { PIECES } from "../xml/envelopes.ts";
import { bytesOf, type FuzzRequest, textOf, utf8 } from "./request.ts";

/** Changes a request. */
type Mutation = (request: FuzzRequest, random: Random, context: MutationContext) => FuzzRequest;

/** What mutations take from. */
export interface MutationContext {
  /** The word that no error may repeat. */
  readonly canary: string;
  /** Another request, to take parts of. */
  readonly other: FuzzRequest;
}

const METHODS = ["GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH", "get", "TRACE", "X"];

const PATHS = [
  ...["/", "/api.asmx", "/API.ASMX/Pair", "/api.asmx/ValidatePin", "/api.asmx/validatepin"],
  ...["/api.asmx/Pair/", "/api.asmx//Pair", "/Validate.aspx", "/pair.aspx", "/qr.aspx", "/healthz"],
  ...["/readyz", "/metrics", "/openapi.json", "/api.asmx/__proto__", "/api.asmx/constructor", "//"],
  ...["/api.asmx%2FPair", "/%61pi.asmx", "/./api.asmx", "/x/../api.asmx", "/api.asmx\\Pair", "*"],
];

const FIELDS: readonly (readonly [string, readonly string[]])[] = [
  ["Content-Type", [
    ...["text/xml", "application/soap+xml", "application/json", "text/plain", "text/xml;", "", "/"],
    ...["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "TEXT/XML ; x"],
    ...[
      "text/xml; charset=utf-16",
      'text/xml; charset="utf-8',
      "text/xml; charset=utf-8; charset=x",
    ],
    ...["application/soap+xml; action=", 'application/soap+xml; action="CANARY"', "CANARY"],
    'application/soap+xml; action="http://authenticatorapi.com/Pair"',
  ]],
  ["SOAPAction", [
    ...["", '""', '"', "CANARY", "Pair", '"http://authenticatorapi.com/Pair"'],
    ...["http://authenticatorapi.com/ValidatePin", '"http://authenticatorapi.com/CANARY"'],
  ]],
  ["Content-Encoding", ["identity", "gzip", "", "CANARY", "IDENTITY", "identity, gzip"]],
  ["Content-Length", ["0", "5", "65536", "65537", "99999999999", "-1", "x", "+5"]],
  ["Host", [
    "localhost:1",
    "CANARY",
    "[::1]:80",
    "a..b",
    "a b",
    "x:99999",
    "",
    "<b>",
    "a/b",
    "a@b",
  ]],
  ["X-Api-Key", ["", "CANARY", "key-of-a-caller-1", "key-of-a-caller-1, key-of-a-caller-2"]],
  ["Authorization", [
    "Basic",
    "Bearer CANARY",
    "Basic OmtleS1vZi1hLWNhbGxlci0x",
    "Basic =",
    "x y z",
  ]],
  ["X-Forwarded-Host", ["CANARY", "a, b", "<", "x:1"]],
  ["X-Forwarded-Proto", ["https", "CANARY", "javascript"]],
  ["If-None-Match", ["*", "CANARY", 'W/"x"', '"']],
  ["Accept", ["application/json", "text/html", "*/*;q=0"]],
  ["X-Authenticator-Source", ["CANARY", "x".repeat(300), ""]],
  ["X-Request-Id", ["CANARY", "x".repeat(300)]],
  ["CANARY", ["CANARY"]],
];

const HEAD: readonly Mutation[] = [
  (request, random) => ({ ...request, method: pick(random, METHODS) }),
  (request, random, { canary }) => {
    const query = request.target.replace(/^[^?]*/, "");
    return { ...request, target: `${pick(random, [...PATHS, `/${canary}`])}${query}` };
  },
  (request, random, { canary }) => {
    const [name, values] = pick(random, FIELDS);
    const value = pick(random, values).replaceAll("CANARY", () => canary);
    const rest = random(6) === 0
      ? request.fields
      : request.fields.filter(([known]) => known.toLowerCase() !== name.toLowerCase());
    return { ...request, fields: [...rest, [name.replaceAll("CANARY", () => canary), value]] };
  },
  (request, random) => ({
    ...request,
    fields: request.fields.filter((_, i) => i !== random(request.fields.length)),
  }),
  (request, random, { other }) => {
    const part = pick(random, ["method", "target", "fields", "body"] as const);
    return { ...request, [part]: other[part] };
  },
];

// Pieces of forms, queries and JSON.
// deno-fmt-ignore
const TEXT_PIECES = [
  "&", "=", "&&", ";", "?", "+", "%", "%0", "%zz", "%00", "%01", "%FF", "%C3", "%c3%a9", "%ED%A0%80",
  "%u00e9", "%uD83D", "%uD83D%uDD11", "%uFFFE", "%U0041", "%EF%BB%BF", "%26", "%3D", "%2B", "%20",
  "pin", "&pin", "&pin=", "&pin=1", "&PIN=1", "&secretCode", "&secretCode=x", "&SecretCode=", "&appName=a",
  "&appInfo=b&appInfo=b", "&p%69n=1", "&__proto__=1", "{", "}", "[", "]", ":", ",", '"', "\\", "null",
  "true", "1e5", "-0", "0.5", "9007199254740993", '"pin":1,', '"secretCode":"x",', '"pin":null,', "\\u0000",
  '"\\u0070in":"1",', "\\ud800", "[".repeat(3000), "{\"a\":", "\0", "\x7f", "\xe9", "\xc3\xa9", "\xff", "\xef\xbb\xbf",
];

// Pieces of envelopes.
const NS = "http://authenticatorapi.com/";
const XSI = "http://www.w3.org/2001/XMLSchema-instance";
const XML_PIECES = [
  ...["<pin>1</pin>", `<pin xmlns="${NS}">000000</pin>`, '<pin xmlns="">1</pin>', "<pin/>"],
  ...[`<x:secretCode xmlns:x="${NS}">x</x:secretCode>`, `<Pair xmlns="${NS}"/>`],
  ...["<Body/>", "<soap:Body></soap:Body>", "<Header/>", "<soap:Header/>", "</soap:Body>"],
  ...[` xmlns:i="${XSI}" i:nil="true"`, ` xmlns:i="${XSI}" i:nil=" 1 "`, ' mustUnderstand="1"'],
  ...[
    ' soap:mustUnderstand="1"',
    ' soap:actor="x"',
    ' soap:role=""',
    ' soap:mustUnderstand="true"',
  ],
  '<h xmlns="CANARY" xmlns:e="http://www.w3.org/2003/05/soap-envelope" e:mustUnderstand="1"/>',
  '<h xmlns="CANARY" xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" e:mustUnderstand="1"/>',
  '<!DOCTYPE a [<!ENTITY b "CANARY"><!ENTITY c "&b;&b;&b;&b;">]>',
  ...[
    "&c;",
    "&CANARY;",
    "<CANARY>",
    "</CANARY>",
    "<?CANARY?>",
    "<!--CANARY-->",
    " CANARY='CANARY'",
  ],
];

const BODY: readonly Mutation[] = [
  // In the body, or in the target where there is none.
  (request, random, { canary }) =>
    changeText(request, (text) => {
      const piece = pick(random, [...TEXT_PIECES, ...PIECES, ...XML_PIECES, canary]);
      const at = pick(random, [random(text.length + 1), text.search(/[&<>"]|$/), text.length]);
      const bytes = textOf(utf8(piece.replaceAll("CANARY", () => canary)));
      return text.slice(0, at) + (piece.length === 1 ? piece : bytes) + text.slice(at);
    }),
  (request, random) =>
    changeText(request, (text) => {
      const at = random(text.length);
      const code = random(256);
      return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + random(3));
    }),
  (request, random) =>
    changeText(request, (text) => {
      const [from, to] = [random(text.length), random(text.length)];
      const piece = text.slice(from, from + 1 + random(80));
      return text.slice(0, to) + piece + text.slice(to);
    }),
  (request, random) =>
    changeText(
      request,
      (text) => text.slice(0, random(text.length)) + text.slice(random(text.length)),
    ),
  // Names swapped, as when somebody mixes calls up.
  (request, random) =>
    changeText(request, (text) => {
      const names = ["pin", "secretCode", "appName", "appInfo", "Pair", "ValidatePin"];
      return text.replace(pick(random, names), pick(random, names));
    }),
  // Long: a piece of it as often as makes a limit near.
  (request, random) =>
    changeText(request, (text) => {
      const at = random(text.length);
      const piece = text.slice(at, at + 1 + random(20)) || "x";
      const length = pick(random, [300, 1030, 8_200, 65_500, 66_000]);
      return text.slice(0, at) + piece.repeat(Math.ceil(length / piece.length)) + text.slice(at);
    }),
  (request, random) => {
    const text = new TextDecoder().decode(request.body);
    return text.startsWith("<") ? { ...request, body: utf8(mutated(random, text)) } : request;
  },
  (request, random) => ({
    ...request,
    body: bytesOf(randomText(random, '\0\x7f\xff<>&=%{"a', 40)),
  }),
];

/** Changes a request in a few places. */
export function mutateRequest(
  request: FuzzRequest,
  random: Random,
  context: MutationContext,
): FuzzRequest {
  let changed = request;
  for (let times = 1 + random(3); times > 0; times--) {
    changed = pick(random, random(3) === 0 ? HEAD : BODY)(changed, random, context);
  }
  return changed;
}

function changeText(request: FuzzRequest, change: (text: string) => string): FuzzRequest {
  if (request.body.length > 0) return { ...request, body: bytesOf(change(textOf(request.body))) };
  const [path = "", ...query] = request.target.split("?");
  return { ...request, target: `${path}?${change(query.join("?"))}` };
}
