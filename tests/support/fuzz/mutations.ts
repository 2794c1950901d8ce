/** Changes of a request in one place: its head, its texts, its bytes. */

import * as fc from "fast-check";
import { type Change, changesBy, part, PLACE, put, XML_CHANGE } from "../xml/documents.ts";
import { PIECES } from "../xml/envelopes.ts";
import { NAMESPACE, SOAP } from "../calls.ts";
import { type FuzzRequest, latin1OfUtf8, utf8OfLatin1 } from "./request.ts";

/** Changes a request, perhaps by parts of another; CANARY stands for the word of the call. */
export type RequestChange = (request: FuzzRequest, other: FuzzRequest) => FuzzRequest;

type Field = FuzzRequest["fields"][number];

const METHOD = fc.constantFrom(
  ..."GET GET HEAD POST OPTIONS PUT DELETE PATCH get TRACE X".split(" "),
);

// deno-fmt-ignore
const PATH = fc.constantFrom(
  "/", "//", "*", "/CANARY", "/api.asmx", "/API.ASMX/Pair", "/api.asmx/ValidatePin", "/api.asmx/validatepin",
  "/api.asmx/Pair/", "/api.asmx//Pair", "/Validate.aspx", "/pair.aspx", "/qr.aspx", "/healthz", "/readyz",
  "/metrics", "/openapi.json", "/api.asmx/__proto__", "/api.asmx/constructor", "/api.asmx%2FPair", "/%61pi.asmx",
  "/./api.asmx", "/x/../api.asmx", "/api.asmx\\Pair", "/Validate.aspx/", "/VALIDATE%2Easpx%2F%2F", "/pair.aspx/CANARY",
  "/qr.aspx/a/b", "/Validate.aspxx", "/Validate.aspx;a",
);

// deno-fmt-ignore
const QUESTION = fc.constantFrom(
  "/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/CANARY", "/api.asmx/CANARY", "/api.asmx/",
  "/api.asmx", "/api.asmx?wsdl", "/api.asmx?WSDL", "/api.asmx?disco", "/api.asmx?op=Pair",
  "/api.asmx?op=ValidatePin", "/api.asmx?op=CANARY", "/api.asmx?CANARY", "/qr.aspx?data=CANARY",
  "/qr.aspx?data=CANARY&size=100x100", "/qr.aspx?chl=CANARY&format=svg", "/qr.aspx?data=CANARY%E2%82%AC",
);

const LONG = "x".repeat(300);
// deno-fmt-ignore
const FIELD = fc.oneof(...Object.entries({
  "Content-Type": [
    "text/xml", "application/soap+xml", "application/json", "text/plain", "text/xml;", "", "/", "CANARY",
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "TEXT/XML ; x",
    "text/xml; charset=utf-16", 'text/xml; charset="utf-8', "text/xml; charset=utf-8; charset=x",
    "application/soap+xml; action=", 'application/soap+xml; action="CANARY"',
    'application/soap+xml; action="http://authenticatorapi.com/Pair"',
  ],
  "SOAPAction": [
    "", '""', '"', "CANARY", "Pair", '"http://authenticatorapi.com/Pair"',
    "http://authenticatorapi.com/ValidatePin", '"http://authenticatorapi.com/CANARY"',
  ],
  "Content-Encoding": ["identity", "gzip", "", "CANARY", "IDENTITY", "identity, gzip"],
  "Content-Length": ["0", "5", "65536", "65537", "99999999999", "-1", "x", "+5"],
  "Host": ["localhost:1", "CANARY", "[::1]:80", "a..b", "a b", "x:99999", "", "<b>", "a/b", "a@b"],
  "X-Api-Key": ["", "CANARY", "key-of-a-caller-1", "key-of-a-caller-1, key-of-a-caller-2"],
  "Authorization": ["Basic", "Bearer CANARY", "Basic OmtleS1vZi1hLWNhbGxlci0x", "Basic =", "x y z"],
  "X-Forwarded-Host": ["CANARY", "a, b", "<", "x:1"],
  "X-Forwarded-Proto": ["https", "CANARY", "javascript"],
  "If-None-Match": ["*", "CANARY", 'W/"x"', '"'],
  "Accept": ["application/json", "text/html", "*/*;q=0"],
  "X-Authenticator-Source": ["CANARY", LONG, ""],
  "X-Request-Id": ["CANARY", LONG],
  "CANARY": ["CANARY"],
}).map(([name, values]) => fc.constantFrom(...values).map((value): Field => [name, value])));

const HEAD_CHANGE = fc.oneof<fc.Arbitrary<RequestChange>[]>(
  METHOD.map((method) => (request) => ({ ...request, method })),
  PATH.map((path) => (request) => ({
    ...request,
    target: path + request.target.replace(/^[^?]*/, ""),
  })),
  fc.tuple(METHOD, QUESTION).map(([method, target]) => (request) => ({
    ...request,
    method,
    target,
    body: "",
  })),
  fc.tuple(FIELD, fc.nat(5)).map(([field, kind]) => ({ fields, ...request }) => ({
    ...request,
    fields: [...fields.filter(([name]) => kind === 0 || !isSameName(name, field[0])), field],
  })),
  PLACE.map((place) => ({ fields, ...request }) => ({
    ...request,
    fields: fields.filter((_, i) => i !== place % fields.length),
  })),
  fc.constantFrom("method", "target", "fields", "body").map((part) => (request, other) => ({
    ...request,
    [part]: other[part],
  })),
);

const XSI = "http://www.w3.org/2001/XMLSchema-instance";
// Pieces of forms, queries, JSON and envelopes.
// deno-fmt-ignore
const PIECE = fc.constantFrom(
  "&", "=", "&&", ";", "?", "+", "%", "%0", "%zz", "%00", "%01", "%FF", "%C3", "%c3%a9", "%ED%A0%80",
  "%u00e9", "%uD83D", "%uD83D%uDD11", "%uFFFE", "%U0041", "%EF%BB%BF", "%26", "%3D", "%2B", "%20",
  "pin", "&pin", "&pin=", "&pin=1", "&PIN=1", "&secretCode", "&secretCode=x", "&SecretCode=", "&appName=a",
  "&appInfo=b&appInfo=b", "&p%69n=1", "&__proto__=1", "{", "}", "[", "]", ":", ",", '"', "\\", "null",
  "true", "1e5", "-0", "0.5", "9007199254740993", '"pin":1,', '"secretCode":"x",', '"pin":null,', "\\u0000",
  '"\\u0070in":"1",', "\\ud800", "[".repeat(3000), "{\"a\":", "\0", "\x7f", "\xe9", "\xc3\xa9", "\xff", "\xef\xbb\xbf",
  "<pin>1</pin>", `<pin xmlns="${NAMESPACE}">000000</pin>`, '<pin xmlns="">1</pin>', "<pin/>",
  `<x:secretCode xmlns:x="${NAMESPACE}">x</x:secretCode>`, `<Pair xmlns="${NAMESPACE}"/>`,
  "<Body/>", "<soap:Body></soap:Body>", "<Header/>", "<soap:Header/>", "</soap:Body>",
  ` xmlns:i="${XSI}" i:nil="true"`, ` xmlns:i="${XSI}" i:nil=" 1 "`, ' mustUnderstand="1"',
  ' soap:mustUnderstand="1"', ' soap:mustUnderstand="true"', ' soap:actor="x"', ' soap:role=""',
  `<h xmlns="CANARY" xmlns:e="${SOAP["SOAP 1.2"][1]}" e:mustUnderstand="1"/>`,
  `<h xmlns="CANARY" xmlns:e="${SOAP["SOAP 1.1"][1]}" e:mustUnderstand="1"/>`,
  '<!DOCTYPE a [<!ENTITY b "CANARY"><!ENTITY c "&b;&b;&b;&b;">]>', "&c;",
  "&CANARY;", "<CANARY>", "</CANARY>", "<?CANARY?>", "<!--CANARY-->", " CANARY='CANARY'", "CANARY",
  ...PIECES,
);

const NAME = fc.constantFrom("pin", "secretCode", "appName", "appInfo", "Pair", "ValidatePin");

// Changes of the body, or of the query where there is none.
const TEXT_CHANGE = fc.oneof<fc.Arbitrary<Change>[]>(
  ...changesBy(PIECE.map((piece) => piece.length === 1 ? piece : latin1OfUtf8(piece))),
  fc.tuple(PLACE, fc.noBias(fc.nat(255)), fc.nat(2)).map(([at, code, over]) => (text) =>
    put(text, at, String.fromCharCode(code), over)
  ),
  // Names mixed up.
  fc.tuple(NAME, NAME).map(([from, to]) => (text) => text.replace(from, to)),
  // A part, repeated up to a limit.
  fc.tuple(PLACE, fc.nat(20), fc.constantFrom(300, 1030, 8_200, 65_500, 66_000)).map(
    ([at, length, total]) => (text) => {
      const piece = part(text, at, length) || "x";
      return put(text, at, piece.repeat(Math.ceil(total / piece.length)));
    },
  ),
);

/** A change of a request. */
export const REQUEST_CHANGE: fc.Arbitrary<RequestChange> = fc.oneof(
  { weight: 4, arbitrary: HEAD_CHANGE },
  { weight: 6, arbitrary: TEXT_CHANGE.map(onText) },
  XML_CHANGE.map((change): RequestChange => (request) =>
    request.body.startsWith("<")
      ? { ...request, body: latin1OfUtf8(change(utf8OfLatin1(request.body))) }
      : request
  ),
  fc.string({ unit: fc.constantFrom(...'\0\x7f\xff<>&=%{"a'), maxLength: 40 }).map(
    (body): RequestChange => (request) => ({ ...request, body }),
  ),
);

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function onText(change: Change): RequestChange {
  return (request) => {
    if (request.body !== "") return { ...request, body: change(request.body) };
    const [path = "", ...query] = request.target.split("?");
    return { ...request, target: `${path}?${change(query.join("?"))}` };
  };
}
