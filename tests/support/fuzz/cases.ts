/** Generators of cases: calls, requests for them in every binding and legal form, and changes. */

import * as fc from "fast-check";
import { NAMESPACE, SOAP } from "../calls.ts";
import { referenceBase32 } from "../reference_base32.ts";
import { REQUEST_CHANGE } from "./mutations.ts";
import { type FuzzRequest, latin1OfUtf8, OPERATIONS } from "./request.ts";
import { codeAt, type FuzzServer, isRight, keyBytes } from "./server.ts";

/** A call. */
interface FuzzCall {
  /** The name of the operation. */
  readonly operation: "Pair" | "ValidatePin";
  /** Its arguments. */
  readonly args: Readonly<Record<string, string>>;
  /** A word in every value of the caller, which no error may repeat. */
  readonly canary: string;
  /** Whether the pin is right. */
  readonly isRight: boolean;
}

/** Makes a call to a server at a time. */
type MakeCall = (server: FuzzServer, nowMs: number) => FuzzCall;

type Rewrite = (text: string) => string;

// deno-fmt-ignore
const TEXT = fc.constantFrom(
  "", " ", "  ", "a b", "&", "<b>", "]]>", "&amp;", "'", '"', "%", "%25", "+", "=", "&x=1", ";", "#", "?",
  "\t", "\n", "\r\n", "\r", "é", "e\u0301", "ß", "ı", "Ω", "鍵", "🔑", "👩‍👩‍👧", "\u202e", "\u200b", "\ufeff",
  "\u0085", "\u007f", "\u2028", "\ud7ff", "\ue000", "\ufffd", "\u{10ffff}", "__proto__", "%u0041", "\\",
);

const BASE32_FORM = fc.constantFrom<Rewrite[]>(
  (digits) => digits,
  (digits) => digits.toUpperCase(),
  (digits) => digits.replace(/(.{4})/g, "$1 "),
  (digits) => `${digits}==`,
  (digits) => `\t${digits}\r\n`,
);

const PIN_FORM = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Rewrite>((code) => code) },
  fc.constantFrom<Rewrite[]>(
    (code) => `${code.slice(0, 3)} ${code.slice(3)}`,
    (code) => `\t${code}\n `,
    (code) => code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  ),
  fc.constantFrom<Rewrite[]>(
    (code) => `+${code}`,
    (code) => `${code}0`,
    (code) => `0${code}`,
    (code) => code.slice(1),
    ...["", " ", "abc", "1e5"].map((pin) => () => pin),
  ),
);

// Another word in each call, since a server accepts a pin of a secret once.
const CANARY = fc.noBias(
  fc.string({ unit: fc.constantFrom(..."bcdfghjklmnpqrst"), minLength: 8, maxLength: 8 }),
).map((word) => `hush${word}`);

/** A call. */
const CALL: fc.Arbitrary<MakeCall> = fc.record({
  isPair: fc.constantFrom(false, false, false, true),
  canary: CANARY,
  texts: fc.tuple(TEXT, TEXT),
  length: fc.oneof({ weight: 19, arbitrary: fc.constant(0) }, fc.constant(1000)),
  key: fc.string({ maxLength: 19 }),
  base32Form: BASE32_FORM,
  cut: fc.nat(2),
  distance: fc.noBias(fc.nat()),
  pinForm: PIN_FORM,
}).map(({ isPair, canary, texts: [first, second], ...drawn }) => (server, nowMs) => {
  const digits = canary + referenceBase32(drawn.key);
  const secretCode = server.base32
    ? drawn.base32Form(digits.slice(0, digits.length - drawn.cut))
    : (canary + first + second).padEnd(drawn.length, "x");
  if (isPair) {
    const args = { appName: canary + first, appInfo: canary + second, secretCode };
    return { operation: "Pair", args, canary, isRight: false };
  }
  const key = keyBytes(secretCode, server)!;
  // Up to three steps beyond the window.
  const reach = server.otp.window + 3;
  const pin = drawn.pinForm(codeAt(key, nowMs, drawn.distance % (2 * reach + 1) - reach, server));
  const args = { pin, secretCode };
  return { operation: "ValidatePin", args, canary, isRight: isRight(pin, key, nowMs, server) };
});

/** A way to write a call to a server. */
type WriteCall = (call: FuzzCall, server: FuzzServer) => FuzzRequest;

type Field = FuzzRequest["fields"][number];
const same: Rewrite = (text) => text;
const upper: Rewrite = (text) => text.toUpperCase();
const rarely = fc.constantFrom(false, false, false, true);

const ESCAPE = fc.constantFrom<Rewrite[]>(
  (text) => encodeURIComponent(text).replaceAll("%20", "+"),
  encodeURIComponent,
  (text) => latin1OfUtf8(text).replace(/[^]/g, (byte) => `%${hex(byte.charCodeAt(0), 2)}`),
  (text) => text.replace(/[^A-Za-z0-9]/g, (unit) => `%u${hex(unit.charCodeAt(0), 4)}`),
);

const reference: Rewrite = (character) => `&#${character.codePointAt(0)};`;
const plain: Rewrite = (text) => text.replace(/[&<>\r]/g, reference);
const XML_TEXT = fc.constantFrom<Rewrite[]>(
  plain,
  (text) => text.replace(/[^]/gu, reference),
  (text) => text.replace(/[^]/gu, (character) => `&#x${hex(character.codePointAt(0)!)};`),
  (text) => /\r|]]>/.test(text) ? plain(text) : `<![CDATA[${text}]]>`,
  (text) => `<!-- -->${plain(text)}<?x y?>`,
);

const KEY_FIELD = fc.constantFrom<((key: string) => Field)[]>(
  (key) => ["X-Api-Key", key],
  (key) => ["Authorization", `Bearer ${key}`],
  (key) => ["Authorization", `Basic ${btoa(`user:${key}`)}`],
);

const STYLE = fc.record({
  binding: fc.constantFrom("SOAP 1.1", "SOAP 1.2", "GET", "POST", "JSON", "aspx"),
  service: fc.constantFrom("/api.asmx", "/api.asmx", "/API.ASMX"),
  method: fc.constantFrom("GET", "GET", "GET", "GET", "HEAD"),
  aspxMethod: fc.constantFrom("GET", "GET", "POST"),
  query: fc.constantFrom("", "?", "?pin=1"),
  typeCase: fc.constantFrom(same, upper),
  charset: fc.constantFrom(
    ...["", ";charset=utf-8", "; charset=UTF-8", '; Charset="utf-8"', " ; x=y; charset=utf8"],
  ),
  nameCase: fc.constantFrom<Rewrite[]>(same, same, upper, (text) => text.toLowerCase()),
  keyField: KEY_FIELD,
  key: fc.nat(1),
  fields: fc.constantFrom<(readonly Field[])[]>(
    [],
    [["User-Agent", "CANARY"], ["Accept", "*/*"]],
    [["X-Forwarded-For", "CANARY"], ["Cookie", "a=CANARY"]],
    [["X-Authenticator-Source", "CANARY"]],
  ),
  isReversed: rarely,
  // A parameter that the operation does not have.
  more: fc.option(fc.tuple(fc.nat(2), fc.boolean()), { freq: 4 }),
  escape: ESCAPE,
  isNumber: fc.boolean(),
  space: fc.constantFrom<(number | string)[]>(0, 2, "\t"),
  isEscaped: fc.boolean(),
  action: fc.constantFrom(undefined, "", '""', "ACTION"),
  start: fc.constantFrom("", "\ufeff", '<?xml version="1.0" encoding="utf-8"?>\n'),
  prefixes: fc.constantFrom<[string, string][]>(["soap:", ""], ["", "m:"], ["S-1.é:", "_2:"]),
  quote: fc.constantFrom('"', "'"),
  blank: fc.constantFrom("", "\n", "\r\n  ", "<!-- -->\t", "<?x CANARY?>"),
  header: fc.constantFrom(undefined, "", '<b xmlns="u">CANARY</b>'),
  attribute: fc.constantFrom("", " a='1'", ' a="CANARY"'),
  texts: fc.tuple(XML_TEXT, XML_TEXT),
});

type Style = typeof STYLE extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** A way to write calls; CANARY in the request stands for the word of the call. */
const WRITER: fc.Arbitrary<WriteCall> = STYLE.map((style) => (call, { keys }) => {
  const request = written(style, call);
  const { key, keyField, nameCase } = style;
  const keyFields = keys.slice(key, key + 1).map(keyField);
  const fields: Field[] = [["Host", "localhost"], ...request.fields, ...keyFields, ...style.fields];
  return { ...request, fields: fields.map(([name, value]) => [nameCase(name), value]) };
});

function written(style: Style, call: FuzzCall): FuzzRequest {
  const { binding, service, query } = style;
  const { operation } = call;
  const target = `${service}/${operation}`;
  const form = parameters(style, call)
    .map(([name, value]) => `${style.nameCase(name)}=${style.escape(value)}`)
    .join("&");
  const action = style.action?.replace("ACTION", `"${NAMESPACE}${operation}"`);
  const get = (method: string, target: string): FuzzRequest => ({
    method,
    target: `${target}?${form}`,
    fields: [],
    body: "",
  });
  const post = (target: string, type: string, body: string, parameter = ""): FuzzRequest => {
    const mediaType = style.typeCase(type) + style.charset + parameter;
    return {
      method: "POST",
      target,
      fields: [["Content-Type", mediaType]],
      body: latin1OfUtf8(body),
    };
  };
  switch (binding) {
    case "GET":
      return get(style.method, target);
    case "aspx":
      return get(style.aspxMethod, operation === "Pair" ? "/pair.aspx" : "/Validate.aspx");
    case "POST":
      return post(target + query, "application/x-www-form-urlencoded", form);
    case "JSON":
      return post(target + query, "application/json", json(style, call));
    case "SOAP 1.2": {
      const parameter = (action ?? "").length > 2 ? `; action=${action}` : "";
      return post(service, "application/soap+xml", envelope(style, call, binding), parameter);
    }
    default: {
      const request = post(service, "text/xml", envelope(style, call, "SOAP 1.1"));
      if (action === undefined) return request;
      return { ...request, fields: [...request.fields, ["SOAPAction", action]] };
    }
  }
}

function parameters(
  { isReversed, more }: Style,
  { operation, args, canary }: FuzzCall,
): [string, string][] {
  const pairs = OPERATIONS.get(operation)!.map((name): [string, string] => [name, args[name]!]);
  if (isReversed) pairs.reverse();
  if (more === null) return pairs;
  const [at, isNamed] = more;
  return pairs.toSpliced(at, 0, [isNamed ? canary : "x", canary]);
}

function json(style: Style, call: FuzzCall): string {
  const members = parameters(style, call).map(([name, value]): [string, unknown] => {
    const isNumber = style.isNumber && name === "pin" && /^[1-9][0-9]{5}$/.test(value);
    return [name, isNumber ? Number(value) : value];
  });
  if (style.header) members.push(["more", { pin: ["CANARY", 1.5, null, { secretCode: "" }] }]);
  const text = JSON.stringify(Object.fromEntries(members), null, style.space);
  const escaped = (part: string): string =>
    part.split("").map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`).join("");
  return style.isEscaped ? text.replace(/[^\0-~]|pin/g, escaped) : text;
}

function envelope(style: Style, call: FuzzCall, binding: keyof typeof SOAP): string {
  const { prefixes: [e, p], quote, blank, header, attribute, texts } = style;
  const element = (name: string, content: string, attributes = ""): string =>
    `<${name}${attributes}>${content}</${name} >`;
  const declare = (prefix: string, name: string): string =>
    ` ${`xmlns:${prefix}`.replace(/:$/, "")}=${quote}${name}${quote}`;
  const values = parameters(style, call).map(([name, value], i) =>
    element(p + name, texts[i % 2]!(value), attribute)
  );
  const operation = p + call.operation;
  const body = element(operation, blank + values.join(blank), declare(p, NAMESPACE));
  const headers = header === undefined ? "" : element(`${e}Header`, blank + header);
  const parts = blank + headers + element(`${e}Body`, blank + body + blank);
  return style.start + element(`${e}Envelope`, parts, declare(e, SOAP[binding][1]));
}

function hex(number: number, length = 1): string {
  return number.toString(16).padStart(length, "0");
}

/** A case. */
export interface FuzzCase {
  /** The server that the request goes to. */
  readonly server: FuzzServer;
  /** The call that the request was made from. */
  readonly call: FuzzCall;
  /** The request. */
  readonly request: FuzzRequest;
  /** Whether the request is unchanged, so that it must succeed. */
  readonly isLegal: boolean;
  /** Whether it was made from a call with a right pin. */
  readonly fromRightPin: boolean;
}

/** Cases for some servers, each at the time when it is made. */
export function fuzzCases(
  servers: readonly FuzzServer[],
  now: () => number,
): fc.Arbitrary<FuzzCase> {
  const written = fc.tuple(CALL, WRITER);
  return fc.record({
    server: fc.constantFrom(...servers),
    mine: written,
    other: written,
    changes: fc.array(REQUEST_CHANGE, { maxLength: 3 }),
  }).map(({ server, changes, ...drawn }) => {
    const nowMs = now();
    const [call, otherCall] = [drawn.mine[0](server, nowMs), drawn.other[0](server, nowMs)];
    const [legal, other] = [drawn.mine[1](call, server), drawn.other[1](otherCall, server)];
    return {
      server,
      call,
      request: withCanary(changes.reduce((request, to) => to(request, other), legal), call.canary),
      isLegal: changes.length === 0,
      fromRightPin: call.isRight || otherCall.isRight,
    };
  });
}

function withCanary({ method, target, fields, body }: FuzzRequest, canary: string): FuzzRequest {
  const put = (text: string): string => text.replaceAll("CANARY", canary);
  return {
    method,
    target: put(target),
    fields: fields.map(([name, value]) => [put(name), put(value)]),
    body: put(body),
  };
}
