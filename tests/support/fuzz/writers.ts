/** Requests for a call: in every binding, and in the many ways that are legal there. */

import * as fc from "fast-check";
import type { FuzzCall } from "./calls.ts";
import { ENVELOPE_NAMESPACES, type SoapBinding } from "./envelope_reader.ts";
import type { House } from "./house.ts";
import { NAMESPACE, OPERATIONS } from "./reading.ts";
import { type FuzzRequest, latin1OfUtf8 } from "./request.ts";

/** A way to write a call to a server. */
export type WriteCall = (call: FuzzCall, house: House) => FuzzRequest;

type Field = FuzzRequest["fields"][number];
type Rewrite = (text: string) => string;

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

/** A way to write calls; the word CANARY in the request stands for that of the call. */
export const WRITER: fc.Arbitrary<WriteCall> = STYLE.map((style) => (call, { keys }) => {
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

function envelope(style: Style, call: FuzzCall, binding: SoapBinding): string {
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
  return style.start + element(`${e}Envelope`, parts, declare(e, ENVELOPE_NAMESPACES[binding]));
}

function hex(number: number, length = 1): string {
  return number.toString(16).padStart(length, "0");
}
