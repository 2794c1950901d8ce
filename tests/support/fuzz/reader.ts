/**
 * Reads the call in a request by the letter of docs/wire.md, sharing no code with the service:
 * saxes for XML, the platform for JSON, a few lines for forms.
 */

import { Buffer } from "node:buffer";
import { readEnvelope } from "./envelope_reader.ts";
import {
  bytesOf,
  fieldOf,
  type FuzzRequest,
  OPERATIONS,
  type ReadCall,
  REFUSED,
  type Route,
  UNSURE,
} from "./request.ts";
import type { FuzzServer } from "./server.ts";

const FORM = "application/x-www-form-urlencoded";

/** The route of a request. */
export function routeOf(request: FuzzRequest): Route {
  const [path, operation] = partsOf(request);
  const method = request.method.toUpperCase();
  const isRead = method === "GET" || method === "HEAD";
  if (path === "/api.asmx") {
    if (operation === "") {
      if (isRead) return "description";
      if (method !== "POST") return "other";
      return mediaTypeOf(request).essence === "application/soap+xml" ? "SOAP 1.2" : "SOAP 1.1";
    }
    if (isRead) return "HTTP GET";
    if (method !== "POST") return "other";
    return mediaTypeOf(request).essence === "application/json" ? "JSON" : "HTTP POST";
  }
  const page = pageOf(request);
  if (page !== undefined) return isRead || method === "POST" ? page : "other";
  return path === "/openapi.json" && operation === undefined && isRead ? "description" : "other";
}

/**
 * Reads the call.
 *
 * @throws {REFUSED} When the request must be refused.
 * @throws {UNSURE} When more than one reply is legal.
 */
export function readCall(request: FuzzRequest, server: FuzzServer): ReadCall {
  checkHead(request, server);
  const [, operation = ""] = partsOf(request);
  const query = request.target.slice(`${request.target}?`.indexOf("?") + 1);
  if (query.length > 8192) throw REFUSED;
  const route = routeOf(request);
  switch (route) {
    case "SOAP 1.1":
    case "SOAP 1.2": {
      const mediaType = route === "SOAP 1.1" ? "text/xml" : "application/soap+xml";
      const { action } = mediaTypeOf(request).parameters;
      const soapAction = fieldOf(request, "soapaction");
      return readEnvelope(bodyText(request, [mediaType]), route, { soapAction, action });
    }
    case "HTTP GET":
      return { operation, args: readForm(operation, queryBytes(query)) };
    case "HTTP POST":
      return { operation, args: readForm(operation, formBytes(request)) };
    case "JSON":
      return { operation, args: readJson(operation, bodyText(request, ["application/json"])) };
    case "pair.aspx":
      return { operation: "Pair", args: readForm("Pair", queryBytes(query)) };
    case "validate.aspx":
      return { operation: "ValidatePin", args: readForm("ValidatePin", queryBytes(query)) };
    default:
      throw REFUSED;
  }
}

// The file part of the path in lower case, and the text behind it and a slash.
function partsOf({ target }: FuzzRequest): readonly [string, string | undefined] {
  const path = target.split("?")[0]!.replace(/\/+/g, "/");
  const [, file, operation] = /^(\/[^/]*)(?:\/([^]*))?$/.exec(path) ?? [];
  const isService = file?.toLowerCase() === "/api.asmx";
  return [file?.toLowerCase() ?? "", isService ? operation ?? "" : operation];
}

// Behind the name of a page and a slash stands what it is not asked for.
function pageOf({ target }: FuzzRequest): Route | undefined {
  const path = target.split("?")[0]!.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent).toLowerCase();
  return /^\/+((?:pair|validate|qr)\.aspx)(?:\/|$)/.exec(path)?.[1] as Route | undefined;
}

function checkHead(request: FuzzRequest, { keys }: FuzzServer): void {
  if (!/^(GET|HEAD|POST)$/i.test(request.method)) throw REFUSED;
  if (isReadDifferently(request)) throw UNSURE;
  checkKeys(request, keys);
}

/** Whether servers, or their runtimes, may read the request differently. */
export function isReadDifferently(request: FuzzRequest): boolean {
  const { target, fields } = request;
  const names = fields.map(([name]) => name.toLowerCase());
  const decisive = names.filter((name) => DECISIVE.has(name));
  return !/^\/[!-~]*$/.test(target) || target.includes("#") ||
    /\\|\/\.|%2e/i.test(target.split("?")[0]!) ||
    !/^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,4})?$/i.test(fieldOf(request, "host") ?? "") ||
    decisive.length !== new Set(decisive).size || names.some((name) => SPECIAL.has(name)) ||
    fields.some(([name, value]) => !TOKEN.test(name) || !/^[\t -~\x80-\xFF]*$/.test(value));
}

// RFC 9110 §5.6.2.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const DECISIVE: ReadonlySet<string> = new Set(
  ["content-type", "soapaction", "content-encoding", "host", "x-api-key", "authorization"],
);
// And the fields of a proxy, which only some servers trust.
const SPECIAL: ReadonlySet<string> = new Set(
  ["content-length", "transfer-encoding", "expect", "x-forwarded-host"],
);

function checkKeys(request: FuzzRequest, keys: readonly string[]): void {
  if (keys.length === 0) return;
  const key = fieldOf(request, "x-api-key");
  const authorization = fieldOf(request, "authorization");
  if (key !== undefined && authorization !== undefined) throw UNSURE;
  if (key !== undefined && keys.includes(key)) return;
  if (authorization === undefined) throw REFUSED;
  const [, scheme, credentials] = /^(Bearer|Basic) ([!-~]+)$/.exec(authorization) ?? [];
  if (scheme === undefined) throw UNSURE;
  const shown = scheme === "Bearer" ? credentials! : passwordIn(credentials!);
  if (!keys.includes(shown)) throw REFUSED;
}

function passwordIn(credentials: string): string {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(credentials) || credentials.length % 4 !== 0) {
    throw UNSURE;
  }
  const decoded = atob(credentials);
  return decoded.slice(`${decoded}:`.indexOf(":") + 1);
}

interface MediaType {
  readonly essence: string;
  readonly parameters: Readonly<Record<string, string>>;
}

function mediaTypeOf(request: FuzzRequest): MediaType {
  const [essence = "", ...rest] = (fieldOf(request, "content-type") ?? "").split(";");
  const parameters: Record<string, string> = Object.create(null);
  for (const part of rest) {
    const [, name, quoted, plain] = /^\s*([\w-]+)\s*=\s*(?:"([^"\\]*)"|([^\s"]*))\s*$/.exec(part) ??
      [];
    if (name === undefined || name.toLowerCase() in parameters) parameters[""] = part;
    else parameters[name.toLowerCase()] = quoted ?? plain!;
  }
  return { essence: essence.trim().toLowerCase(), parameters };
}

function bodyText(request: FuzzRequest, mediaTypes: readonly string[]): string {
  return decodeUtf8(bodyBytes(request, mediaTypes), false);
}

function bodyBytes(request: FuzzRequest, mediaTypes: readonly string[]): Uint8Array {
  const { essence, parameters } = mediaTypeOf(request);
  if (!mediaTypes.includes(essence)) throw REFUSED;
  if ("" in parameters) throw UNSURE;
  if (!/^utf-?8$/i.test(parameters.charset ?? "utf-8")) throw UNSURE;
  const codings = (fieldOf(request, "content-encoding") ?? "").toLowerCase().split(/[ ,]+/);
  if (codings.some((coding) => /^(gzip|x-gzip|deflate|br|zstd|compress)$/.test(coding))) {
    throw REFUSED;
  }
  if (request.body.length > (essence === "application/json" ? 16_384 : 65_536)) throw REFUSED;
  return bytesOf(request.body);
}

// An escape and a raw byte next to it may be of one character (the URL standard §5.1), so a form is
// read as its bytes, a character each.
function formBytes(request: FuzzRequest): string {
  const bytes = Buffer.from(bodyBytes(request, [FORM])).toString("latin1").replace(
    /^\xef\xbb\xbf/,
    "",
  );
  if (/^[ \t\r\n]*\{/.test(bytes)) throw REFUSED;
  return bytes;
}

function queryBytes(query: string): string {
  if (!query.isWellFormed()) throw REFUSED;
  return Buffer.from(query).toString("latin1");
}

function parametersOf(operation: string): readonly string[] {
  const names = OPERATIONS.get(operation);
  if (names === undefined) throw REFUSED;
  return names;
}

function readForm(operation: string, encoded: string): ReadonlyMap<string, string> {
  const names = parametersOf(operation);
  const args = new Map<string, string>();
  for (const pair of encoded.split("&")) {
    const [sent = "", ...rest] = pair.split("=");
    const [name, value] = [decodeForm(sent), decodeForm(rest.join("="))];
    const known = names.find((known) => known.toLowerCase() === name.toLowerCase());
    if (known === undefined) continue;
    if (args.has(known)) throw REFUSED;
    args.set(known, value);
  }
  return args;
}

// The bytes that a text stands for: each run of %u escapes is a text, and so is all that is no escape.
function decodeForm(encoded: string): string {
  const bytes: number[] = [];
  const pattern = /((?:%u[0-9A-Fa-f]{4})+)|%([0-9A-Fa-f]{2})|[^]/gu;
  for (const [part, units, byte] of encoded.matchAll(pattern)) {
    if (byte !== undefined) {
      bytes.push(parseInt(byte, 16));
      continue;
    }
    const codes = units?.split("%u").slice(1).map((digits) => parseInt(digits, 16));
    if (codes === undefined) {
      bytes.push((part === "+" ? " " : part).charCodeAt(0));
      continue;
    }
    const text = String.fromCharCode(...codes);
    if (!text.isWellFormed()) throw REFUSED;
    bytes.push(...new TextEncoder().encode(text));
  }
  return decodeUtf8(Uint8Array.from(bytes), true);
}

function decodeUtf8(bytes: Uint8Array, ignoreBOM: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM }).decode(bytes);
  } catch {
    throw REFUSED;
  }
}

// The service reads some texts that are no JSON for the platform.
function readJson(operation: string, text: string): ReadonlyMap<string, string> {
  const names = parametersOf(operation);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw UNSURE;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw REFUSED;
  const { sent, nested } = memberNames(text);
  const args = new Map<string, string>();
  for (const name of names) {
    if (sent.filter((other) => other === name).length > 1) throw REFUSED;
    const member = Object.getOwnPropertyDescriptor(value, name)?.value ?? null;
    if (member === null) {
      // A name in another case or place is a caller's mistake, and no missing pin.
      const others = [...sent.filter((other) => other !== name), ...nested];
      if (others.some((other) => other.toLowerCase() === name.toLowerCase())) throw REFUSED;
      if (name === "pin") args.set(name, "");
      continue;
    }
    if (typeof member === "object" || typeof member === "boolean" && name !== "pin") throw REFUSED;
    // The service reads a number as it is written, which the platform loses.
    if (typeof member === "number" && !text.includes(`${member}`)) throw UNSURE;
    args.set(name, String(member));
  }
  return args;
}

// Names in a text that is JSON, as often as they stand there: of the outermost members, and of all
// others.
function memberNames(text: string): Readonly<Record<"sent" | "nested", string[]>> {
  const sent: string[] = [];
  const nested: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if ("{[".includes(character)) depth++;
    else if ("}]".includes(character)) depth--;
    else if (character === '"') {
      let end = at + 1;
      while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      const isName = /^[ \t\r\n]*:/.test(text.slice(end + 1));
      if (isName) (depth === 1 ? sent : nested).push(JSON.parse(text.slice(at, end + 1)));
      at = end;
    }
  }
  return { sent, nested };
}
