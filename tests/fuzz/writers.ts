/** Calls written as requests, in every binding and in the many ways that are legal there. */

import { Buffer } from "node:buffer";
import { pick, type Random } from "../support/random.ts";
import { ENVELOPE_NAMESPACES, type SoapBinding } from "./envelope_reader.ts";
import type { FuzzCall } from "./call.ts";
import type { House } from "./house.ts";
import { NAMESPACE, OPERATIONS } from "./reading.ts";
import { bytesOf, type FuzzRequest, utf8 } from "./request.ts";

type Writer = (call: FuzzCall, random: Random) => FuzzRequest;
type Fields = FuzzRequest["fields"];

const NOTHING = new Uint8Array();

const WRITERS: readonly Writer[] = [
  (call, random) => soap("SOAP 1.1", call, random),
  (call, random) => soap("SOAP 1.2", call, random),
  (call, random) => ({
    method: random(8) === 0 ? "HEAD" : "GET",
    target: `${servicePath(random)}/${call.operation}?${form(call, random)}`,
    fields: [],
    body: NOTHING,
  }),
  (call, random) => ({
    method: "POST",
    target: `${servicePath(random)}/${call.operation}${pick(random, ["", "?", "?pin=1"])}`,
    fields: [["Content-Type", contentType("application/x-www-form-urlencoded", random)]],
    body: bytesOf(form(call, random)),
  }),
  (call, random) => ({
    method: "POST",
    target: `${servicePath(random)}/${call.operation}`,
    fields: [["Content-Type", contentType("application/json", random)]],
    body: utf8(json(call, random)),
  }),
  (call, random) => ({
    method: pick(random, ["GET", "GET", "POST"]),
    target: `${call.operation === "Pair" ? "/pair.aspx" : "/Validate.aspx"}?${form(call, random)}`,
    fields: [],
    body: NOTHING,
  }),
];

/** Writes a call in one of the bindings. */
export function writeCall(call: FuzzCall, random: Random, house: House): FuzzRequest {
  const request = pick(random, WRITERS)(call, random);
  const fields: Fields = [
    ["Host", "localhost"],
    ...request.fields,
    ...keyFields(random, house),
    ...pick<Fields>(random, [
      [],
      [["User-Agent", call.canary], ["Accept", "*/*"]],
      [["X-Forwarded-For", call.canary], ["Cookie", `a=${call.canary}`]],
      [["X-Authenticator-Source", call.canary]],
    ]),
  ];
  return { ...request, fields: fields.map(([name, value]) => [inSomeCase(name, random), value]) };
}

/** Other requests than calls: for the pages, the WSDL, pictures, and what is not there. */
export function writeQuestion(call: FuzzCall, random: Random, house: House): FuzzRequest {
  const target = pick(random, QUESTIONS).replace("CANARY", () => call.canary);
  const method = pick(random, ["GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "PUT"]);
  const fields: Fields = [["Host", "localhost"], ...keyFields(random, house)];
  return { method, target, fields, body: NOTHING };
}

const QUESTIONS: readonly string[] = [
  ...["/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/CANARY", "/api.asmx/CANARY"],
  ...["", "?wsdl", "?WSDL", "?disco", "?op=Pair", "?op=ValidatePin", "?op=CANARY", "?CANARY", "/"]
    .map((query) => `/api.asmx${query}`),
  ...["data=CANARY", "data=CANARY&size=100x100", "chl=CANARY&format=svg", "data=CANARY%E2%82%AC"]
    .map((query) => `/qr.aspx?${query}`),
];

function servicePath(random: Random): string {
  return random(4) === 0 ? inSomeCase("/api.asmx", random) : "/api.asmx";
}

function inSomeCase(text: string, random: Random): string {
  return pick(random, [text, text, text.toLowerCase(), text.toUpperCase()]);
}

function keyFields(random: Random, { keys }: House): Fields {
  if (keys.length === 0) return [];
  const key = pick(random, keys);
  const basic = Buffer.from(`user:${key}`).toString("base64");
  return [
    pick<Fields[number]>(random, [
      ["X-Api-Key", key],
      ["Authorization", `Bearer ${key}`],
      ["Authorization", `Basic ${basic}`],
    ]),
  ];
}

function contentType(mediaType: string, random: Random): string {
  return `${pick(random, [mediaType, mediaType.toUpperCase()])}${
    pick(random, [
      "",
      ";charset=utf-8",
      "; charset=UTF-8",
      '; Charset="utf-8"',
      " ; x=y; charset=utf8",
    ])
  }`;
}

/** The parameters in any order, some between them that the operation does not have. */
function parameters({ operation, args, canary }: FuzzCall, random: Random): [string, string][] {
  const pairs = OPERATIONS.get(operation)!.map((name): [string, string] => [name, args[name]!]);
  if (random(3) === 0) pairs.reverse();
  if (random(4) === 0) pairs.splice(random(3), 0, [pick(random, ["x", canary]), canary]);
  return pairs;
}

function form(call: FuzzCall, random: Random): string {
  const escapes: readonly ((text: string) => string)[] = [
    (text) => encodeURIComponent(text).replaceAll("%20", "+"),
    encodeURIComponent,
    (text) => [...utf8(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
    (text) =>
      text.replace(
        /[^A-Za-z0-9]/g,
        (unit) => `%u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
  ];
  const escape = pick(random, escapes);
  return parameters(call, random)
    .map(([name, value]) => `${inSomeCase(name, random)}=${escape(value)}`)
    .join("&");
}

function json(call: FuzzCall, random: Random): string {
  const members = parameters(call, random).map(([name, value]): [string, unknown] => [
    name,
    name === "pin" && /^[1-9][0-9]{5}$/.test(value) && random(2) === 0 ? Number(value) : value,
  ]);
  if (random(4) === 0) {
    members.push(["more", { pin: [call.canary, 1.5, null, { secretCode: "" }] }]);
  }
  const text = JSON.stringify(Object.fromEntries(members), null, pick(random, [0, 2, "\t"]));
  return random(2) === 0 ? text : text.replace(
    /[^\0-~]|pin/g,
    (part) =>
      [...Array(part.length).keys()]
        .map((i) => `\\u${part.charCodeAt(i).toString(16).padStart(4, "0")}`)
        .join(""),
  );
}

function soap(binding: SoapBinding, call: FuzzCall, random: Random): FuzzRequest {
  const action = pick(random, ["", '""', `"${NAMESPACE}${call.operation}"`]);
  const is11 = binding === "SOAP 1.1";
  const type = contentType(is11 ? "text/xml" : "application/soap+xml", random);
  const fields: Fields = is11
    ? [["Content-Type", type], ...(random(4) === 0 ? [] : [["SOAPAction", action] as const])]
    : [["Content-Type", action.length > 2 ? `${type}; action=${action}` : type]];
  const body = utf8(pick(random, ["", "", "\ufeff"]) + envelope(binding, call, random));
  return { method: "POST", target: servicePath(random), fields, body };
}

function envelope(binding: SoapBinding, call: FuzzCall, random: Random): string {
  const { operation, canary } = call;
  const [e, p] = pick(random, [["soap:", ""], ["", "m:"], ["S-1.é:", "_2:"]]);
  const blank = pick(random, ["", "\n", "\r\n  ", "<!-- -->\t", `<?x ${canary}?>`]);
  const declare = (prefix: string, name: string): string =>
    ` xmlns${prefix === "" ? "" : `:${prefix.slice(0, -1)}`}=${pick(random, ['"', "'"])}${name}`
      .replace(/(['"])(.*)$/, "$1$2$1");
  const values = parameters(call, random).map(([name, value]) => {
    const local = /^[a-z]+$/i.test(name) ? name : "x";
    const attribute = pick(random, ["", " a='1'", ` a="${canary}"`]);
    return `<${p}${local}${attribute}>${xmlText(value, random)}</${p}${local} >`;
  });
  const header = pick(random, [
    "",
    `<${e}Header/>`,
    `<${e}Header>${blank}<b xmlns="u">${canary}</b></${e}Header>`,
  ]);
  return pick(random, ["", '<?xml version="1.0" encoding="utf-8"?>', "<?xml version='1.0'?>\n"]) +
    `<${e}Envelope${
      declare(e!, ENVELOPE_NAMESPACES[binding])
    }>${blank}${header}<${e}Body>${blank}` +
    `<${p}${operation}${declare(p!, NAMESPACE)}>${blank}${values.join(blank)}</${p}${operation}>` +
    `${blank}</${e}Body></${e}Envelope>`;
}

function xmlText(value: string, random: Random): string {
  const reference = (text: string): string => `&#${text.codePointAt(0)};`;
  const plain = value.replace(/[&<>\r]/g, reference);
  return pick(random, [
    () => plain,
    () => value.replace(/[^]/gu, reference),
    () => value.replace(/[^]/gu, (text) => `&#x${text.codePointAt(0)!.toString(16)};`),
    () => /\r|]]>/.test(value) ? plain : `<![CDATA[${value}]]>`,
    () => `<!-- -->${plain}<?x y?>`,
  ])();
}
