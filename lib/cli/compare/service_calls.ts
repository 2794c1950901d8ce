/**
 * Calls of the service as requests in each of its forms, and the results in their replies.
 *
 * @module
 */

import { FORM } from "../../bindings/form_urlencoded.ts";
import { JSON_TYPE } from "../../bindings/json.ts";
import { parseMediaType } from "../../bindings/media_type.ts";
import { SOAP_11, SOAP_12 } from "../../bindings/soap/versions.ts";
import { rootNameOf } from "../../bindings/xsd.ts";
import { type Operation, PAIR, SEAL } from "../../operations/operations.ts";
import { isElement, parseXml, type XmlElement } from "../../xml/tree.ts";
import { element, writeCompact } from "../../xml/writer.ts";
import type { ServerReply } from "../http_reply.ts";

/** Request to a service, by the path below its address. */
export type SentCall = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Media type of a result in each form: the bindings, and `/pair.aspx` and `/Validate.aspx`. */
export const RESULT_TYPES = {
  "SOAP 1.1": SOAP_11.mediaType,
  "SOAP 1.2": SOAP_12.mediaType,
  "HTTP GET": "text/xml",
  "HTTP POST": "text/xml",
  "JSON": JSON_TYPE,
  "short route": "text/html",
};

/** Form of a call. */
export type Form = keyof typeof RESULT_TYPES;

/** All forms of a call. */
export const FORMS = Object.keys(RESULT_TYPES) as readonly Form[];

const SOAP = new Map<Form, typeof SOAP_11>([["SOAP 1.1", SOAP_11], ["SOAP 1.2", SOAP_12]]);

/** Writes a call of an operation. */
export function writeCall(
  form: Form,
  { name: operation }: Operation,
  args: Readonly<Record<string, string>>,
  namespace: string,
): SentCall {
  const soap = SOAP.get(form);
  if (soap !== undefined) {
    const parameters = Object.entries(args).map(([name, value]) => element(name, {}, value));
    const body = element("s:Body", {}, element(operation, { xmlns: namespace }, ...parameters));
    const envelope = element("s:Envelope", { "xmlns:s": soap.envelope }, body);
    // SOAP 1.2 has no SOAPAction.
    const action = soap === SOAP_11 ? { soapaction: `"${namespace}${operation}"` } : {};
    const type = `${soap.mediaType}; charset=utf-8`;
    return post("/api.asmx", type, writeCompact(envelope), action);
  }
  const shortRoute = operation === PAIR.name ? "/pair.aspx" : "/Validate.aspx";
  const longRoute = operation === SEAL.name ? "/seal" : `/api.asmx/${operation}`;
  const path = form === "short route" ? shortRoute : longRoute;
  if (form === "JSON") return post(path, JSON_TYPE, JSON.stringify(args));
  const query = String(new URLSearchParams(args));
  return form === "HTTP POST"
    ? post(path, FORM, query)
    : { method: "GET", path: `${path}?${query}`, headers: {} };
}

function post(path: string, type: string, body: string, more: SentCall["headers"] = {}): SentCall {
  return { method: "POST", path, headers: { "content-type": type, ...more }, body };
}

/**
 * Returns the texts of a result by the names of its fields, that of ValidatePin by an empty name; none
 * for any other reply.
 */
export function resultIn(
  form: Form,
  { name: operation, result: type }: Operation,
  reply: ServerReply,
  namespace: string,
): ReadonlyMap<string, string> {
  const text = textIn(reply, RESULT_TYPES[form]);
  if (form === "short route") return new Map([[operation === PAIR.name ? "Html" : "", text]]);
  if (form === "JSON") {
    const result: unknown = Object(parsed(() => JSON.parse(text))).d;
    // The text "true" is no boolean, and a value of too many arrays has no text.
    const whole = parsed(() => JSON.stringify(result)) ?? "";
    const fields = Object.entries<string>({ ...Object(result), "": whole });
    return new Map(fields.filter(([, value]) => typeof value === "string"));
  }
  const soap = `/{${SOAP.get(form)?.envelope}}`;
  const service = `/{${namespace}}`;
  const path = SOAP.has(form)
    ? `${soap}Envelope${soap}Body${service}${operation}Response${service}${operation}Result`
    : service + rootNameOf(type);
  return new Map(
    elementsIn(text).filter(([place]) => place.startsWith(path)).map(([place, { children }]) => [
      place.slice(path.length).replace(service, ""),
      children.map((each) => isElement(each) ? "" : each.text).join(""),
    ]),
  );
}

/** Lists the elements of a document by the paths of expanded names; none if it is not well-formed. */
export function elementsIn(document: string): readonly (readonly [string, XmlElement])[] {
  const found: (readonly [string, XmlElement])[] = [];
  const add = (element: XmlElement, above: string): void => {
    const path = `${above}/{${element.namespaceName}}${element.localName}`;
    found.push([path, element]);
    element.children.filter(isElement).forEach((child) => add(child, path));
  };
  const root = parsed(() => parseXml(document).root);
  if (root !== undefined) add(root, "");
  return found;
}

// Returns undefined for a text that is malformed or nested too deep.
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** Returns the text of a reply with status 200 and a media type; empty for any other reply. */
export function textIn(reply: ServerReply, type: string): string {
  return reply.status === 200 && typeOf(reply) === type ? reply.text : "";
}

function typeOf({ headers }: ServerReply): string {
  return parseMediaType(headers["content-type"] ?? "").essence;
}

/** Describes a reply without a result: status, media type, and the code of a SOAP fault. */
export function describeReply(reply: ServerReply): string {
  const { status, text } = reply;
  if (text === "") return `${status}, empty`;
  const [, code = ""] = /<(?:\w+:)?(?:faultcode|Value)>(?:\w+:)?(\w+)</.exec(text) ?? [];
  return `${status} ${typeOf(reply) || "without a type"} ${code}`.trimEnd();
}
