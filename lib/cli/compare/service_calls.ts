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
import { OPERATIONS } from "../../operations/operations.ts";
import { isElement, parseXml, type XmlElement } from "../../xml/tree.ts";
import { element, writeCompact } from "../../xml/writer.ts";
import type { ServerReply } from "../http_client.ts";

/** Request to a service, by the path below its address. */
export type Call = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether it is sent without an API key. */
  readonly isAnonymous?: boolean;
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

/** Operation of the service. */
export type OperationName = "Pair" | "ValidatePin";

const SOAP = new Map<Form, typeof SOAP_11>([["SOAP 1.1", SOAP_11], ["SOAP 1.2", SOAP_12]]);
const SHORT_ROUTES = { Pair: "/pair.aspx", ValidatePin: "/Validate.aspx" };

/** Writes a call of an operation. */
export function writeCall(
  form: Form,
  operation: OperationName,
  args: Readonly<Record<string, string>>,
  namespace: string,
): Call {
  const soap = SOAP.get(form);
  if (soap !== undefined) {
    const parameters = Object.entries(args).map(([name, value]) => element(name, {}, value));
    const body = element("s:Body", {}, element(operation, { xmlns: namespace }, ...parameters));
    const envelope = element("s:Envelope", { "xmlns:s": soap.envelope }, body);
    const call = post("/api.asmx", `${soap.mediaType}; charset=utf-8`, writeCompact(envelope));
    // SOAP 1.2 has no SOAPAction.
    const action = soap === SOAP_11 && { soapaction: `"${namespace}${operation}"` };
    return { ...call, headers: { ...call.headers, ...action } };
  }
  const path = form === "short route" ? SHORT_ROUTES[operation] : `/api.asmx/${operation}`;
  if (form === "JSON") return post(path, JSON_TYPE, JSON.stringify(args));
  const query = String(new URLSearchParams(args));
  return form === "HTTP POST"
    ? post(path, FORM, query)
    : { method: "GET", path: `${path}?${query}`, headers: {} };
}

/** Makes a POST request. */
export function post(path: string, type: string, body: string): Call {
  return { method: "POST", path, headers: { "content-type": type }, body };
}

/**
 * Returns the texts of a result by the names of its fields, that of ValidatePin by an empty name; none
 * for any other reply.
 */
export function resultIn(
  form: Form,
  operation: OperationName,
  reply: ServerReply,
  namespace: string,
): ReadonlyMap<string, string> {
  const { status, text } = reply;
  if (status !== 200 || typeOf(reply) !== RESULT_TYPES[form]) return new Map();
  if (form === "short route") return new Map([[operation === "Pair" ? "Html" : "", text]]);
  if (form === "JSON") {
    const result = memberIn(text);
    const fields = Object.entries(Object(result)).map(([name, value]) =>
      [name, String(value)] as const
    );
    // The text "true" is no boolean.
    return new Map([["", JSON.stringify(result) ?? ""], ...fields]);
  }
  const soap = `/{${SOAP.get(form)?.envelope}}`;
  const service = `/{${namespace}}`;
  const path = SOAP.has(form)
    ? `${soap}Envelope${soap}Body${service}${operation}Response${service}${operation}Result`
    : service + rootNameOf(OPERATIONS.get(operation)!.result);
  return new Map(
    elementsIn(text).filter(([place]) => place.startsWith(path)).map(([place, { children }]) => [
      place.slice(path.length).replace(service, ""),
      children.map((each) => isElement(each) ? "" : each.text).join(""),
    ]),
  );
}

/** Lists the elements of a document by the paths of expanded names; none if it is not well-formed. */
export function elementsIn(document: string): readonly (readonly [string, XmlElement])[] {
  const below = (
    element: XmlElement,
    above: string,
  ): readonly (readonly [string, XmlElement])[] => {
    const path = `${above}/{${element.namespaceName}}${element.localName}`;
    const children = element.children.filter(isElement);
    return [[path, element], ...children.flatMap((child) => below(child, path))];
  };
  try {
    return below(parseXml(document).root, "");
  } catch {
    return [];
  }
}

/** Returns the member `d` of a JSON reply; undefined without one. */
export function memberIn(json: string): unknown {
  try {
    return Object(JSON.parse(json)).d;
  } catch {
    return undefined;
  }
}

/** Returns the media type of a reply, without parameters. */
export function typeOf({ headers }: ServerReply): string {
  return parseMediaType(headers["content-type"] ?? "").essence;
}

/** Describes a reply without a result: status, media type, and the code of a SOAP fault. */
export function describeReply(reply: ServerReply): string {
  const { status, text } = reply;
  if (text === "") return `${status}, empty`;
  const [, code = ""] = /<(?:\w+:)?(?:faultcode|Value)>(?:\w+:)?(\w+)</.exec(text) ?? [];
  return `${status} ${typeOf(reply) || "without a type"} ${code}`.trimEnd();
}
