/**
 * Calls of the service as requests in each of its forms, and the results in their replies.
 *
 * @module
 */

import { FORM } from "../../bindings/form_urlencoded.ts";
import { JSON_TYPE } from "../../bindings/json.ts";
import { parseMediaType } from "../../bindings/media_type.ts";
import { SOAP_11, SOAP_12 } from "../../bindings/soap/versions.ts";
import type { PairingInfo } from "../../operations/pair.ts";
import { isElement, parseXml, type XmlElement } from "../../xml/tree.ts";
import { element, writeCompact } from "../../xml/writer.ts";
import type { ServerReply } from "../http_client.ts";

/** Request to a service, by the path below its address. */
export type Call = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** All forms of a call: the bindings, and the short routes `/pair.aspx` and `/Validate.aspx`. */
export const FORMS = [
  "SOAP 1.1",
  "SOAP 1.2",
  "HTTP GET",
  "HTTP POST",
  "JSON",
  "short route",
] as const;

/** Form of a call. */
export type Form = typeof FORMS[number];

const SOAP = new Map<Form, typeof SOAP_11>([["SOAP 1.1", SOAP_11], ["SOAP 1.2", SOAP_12]]);

/** Writes a call of an operation, also of one that does not exist. */
export function writeCall(
  form: Form,
  operation: string,
  args: Readonly<Record<string, string>>,
  namespace: string,
): Call {
  const path = `/api.asmx/${operation}`;
  const values = Object.entries(args);
  const query = values.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  switch (form) {
    case "JSON":
      return post(path, JSON_TYPE, JSON.stringify(args));
    case "HTTP POST":
      return post(path, FORM, query);
    case "HTTP GET":
      return { method: "GET", path: `${path}?${query}`, headers: {} };
    case "short route": {
      const page = operation === "Pair" ? "/pair.aspx" : "/Validate.aspx";
      return { method: "GET", path: `${page}?${query}`, headers: {} };
    }
  }
  const { mediaType, envelope } = SOAP.get(form)!;
  const parameters = values.map(([name, value]) => element(name, {}, value));
  const body = element("s:Body", {}, element(operation, { xmlns: namespace }, ...parameters));
  return {
    method: "POST",
    path: "/api.asmx",
    headers: {
      "content-type": `${mediaType}; charset=utf-8`,
      ...(form === "SOAP 1.1" && { soapaction: `"${namespace}${operation}"` }),
    },
    body: writeCompact(element("s:Envelope", { "xmlns:s": envelope }, body)),
  };
}

function post(path: string, type: string, body: string): Call {
  return { method: "POST", path, headers: { "content-type": type }, body };
}

/** Returns the media type of a reply, without parameters. */
export function typeOf({ headers }: ServerReply): string {
  return parseMediaType(headers["content-type"] ?? "").essence;
}

/** Returns the result of a call as the text or the fields sent; undefined for any other reply. */
export function resultOf(
  form: Form,
  operation: "Pair" | "ValidatePin",
  reply: ServerReply,
  namespace: string,
): string | PairingInfo | undefined {
  const { status, text } = reply;
  const type = typeOf(reply);
  if (status !== 200) return undefined;
  if (form === "short route") {
    if (type !== "text/html") return undefined;
    return operation === "ValidatePin" ? text : { ManualSetupCode: keyIn(text), Html: text };
  }
  if (form === "JSON") return type === JSON_TYPE ? resultInJson(text) : undefined;
  const { mediaType, envelope } = SOAP.get(form) ?? { ...SOAP_11, envelope: "" };
  const root = type === mediaType ? documentOf(text) : undefined;
  if (root === undefined) return undefined;
  const [soap, service] = [`/{${envelope}}`, `/{${namespace}}`];
  const path = envelope === ""
    ? service + (operation === "Pair" ? "PairingInfo" : "boolean")
    : `${soap}Envelope${soap}Body${service}${operation}Response${service}${operation}Result`;
  const texts = new Map(textsIn(root, ""));
  if (operation === "ValidatePin") return texts.get(path);
  const ManualSetupCode = texts.get(`${path}${service}ManualSetupCode`);
  const Html = texts.get(`${path}${service}Html`);
  return ManualSetupCode && Html ? { ManualSetupCode, Html } : undefined;
}

/** Lists the elements that hold no others, by the path of expanded names to them, with their texts. */
function textsIn(
  { namespaceName, localName, children }: XmlElement,
  above: string,
): readonly (readonly [path: string, text: string])[] {
  const path = `${above}/{${namespaceName}}${localName}`;
  const elements = children.filter(isElement);
  return elements.length === 0
    ? [[path, children.map((each) => isElement(each) ? "" : each.text).join("")]]
    : elements.flatMap((each) => textsIn(each, path));
}

function resultInJson(text: string): string | PairingInfo | undefined {
  const result = memberIn(text);
  if (typeof result === "boolean") return String(result);
  const { ManualSetupCode, Html } = Object(result) as Partial<PairingInfo>;
  return typeof ManualSetupCode === "string" && typeof Html === "string"
    ? { ManualSetupCode, Html }
    : undefined;
}

/** Returns the member `d` of a JSON reply; undefined without one. */
export function memberIn(json: string): unknown {
  try {
    return Object(JSON.parse(json)).d;
  } catch {
    return undefined;
  }
}

/** Describes a reply without a result: status, media type, and the code of a SOAP fault. */
export function describeReply(reply: ServerReply): string {
  const { status, text } = reply;
  if (text === "") return `${status}, empty`;
  const [, code] = /<(?:\w+:)?(?:faultcode|Value)>(?:\w+:)?(\w+)</.exec(text) ?? [];
  return `${status} ${typeOf(reply) || "without a type"}${code === undefined ? "" : ` ${code}`}`;
}

/** Returns the root element of a document; undefined where it is not well-formed. */
export function documentOf(text: string): XmlElement | undefined {
  try {
    return parseXml(text).root;
  } catch {
    return undefined;
  }
}

/** Returns the setup key in the title of a Html; empty without one. */
export function keyIn(html: string): string {
  return /^<a title='Manually pair with ([A-Z2-7]*)' /.exec(html)?.[1] ?? "";
}
