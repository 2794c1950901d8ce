/**
 * Calls of the service as requests in each of its forms, and what their replies say.
 *
 * @module
 */

import { FORM } from "../../bindings/form_urlencoded.ts";
import { JSON_TYPE } from "../../bindings/json.ts";
import { SOAP_11, SOAP_12 } from "../../bindings/soap/versions.ts";
import type { PairingInfo } from "../../operations/pair.ts";
import { isElement, parseXml, type XmlElement } from "../../xml/tree.ts";
import { element, writeCompact } from "../../xml/writer.ts";

/** Request to a service, without its address. */
export interface Call {
  /** The method. */
  readonly method: "GET" | "POST";
  /** Path and query, below the address of the service. */
  readonly path: string;
  /** The header fields. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST. */
  readonly body?: string;
}

/** Reply of a service, without what callers do not rely on. */
export interface Reply {
  /** The status. */
  readonly status: number;
  /** Media type in lower case, without parameters. */
  readonly type: string;
  /** The body. */
  readonly text: string;
}

/** Form of a call: a binding, or the short routes `/pair.aspx` and `/Validate.aspx`. */
export type Form = "SOAP 1.1" | "SOAP 1.2" | "HTTP GET" | "HTTP POST" | "JSON" | "short route";

/** All forms. */
export const FORMS: readonly Form[] = [
  ...["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST", "JSON", "short route"] as const,
];

/** Name of an operation. */
export type OperationName = "Pair" | "ValidatePin";

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
  const version = SOAP.get(form);
  if (version !== undefined) {
    const parameters = values.map(([name, value]) => element(name, {}, value));
    const body = element("s:Body", {}, element(operation, { xmlns: namespace }, ...parameters));
    const action = `"${namespace}${operation}"`;
    const [type, fields] = version === SOAP_11
      ? ["", { soapaction: action }]
      : [`; action=${action}`, {}];
    return {
      method: "POST",
      path: "/api.asmx",
      headers: { "content-type": `${version.mediaType}; charset=utf-8${type}`, ...fields },
      body: writeCompact(element("s:Envelope", { "xmlns:s": version.envelope }, body)),
    };
  }
  const query = values.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  switch (form) {
    case "JSON":
      return post(path, JSON_TYPE, JSON.stringify(args));
    case "HTTP POST":
      return post(path, FORM, query);
    case "HTTP GET":
      return { method: "GET", path: `${path}?${query}`, headers: {} };
    default: {
      const page = operation === "Pair" ? "/pair.aspx" : "/Validate.aspx";
      return { method: "GET", path: `${page}?${query}`, headers: {} };
    }
  }
}

function post(path: string, type: string, body: string): Call {
  return { method: "POST", path, headers: { "content-type": type }, body };
}

/** Returns the result of a call as the text or the fields sent; undefined for any other reply. */
export function resultOf(
  form: Form,
  operation: OperationName,
  reply: Reply,
  namespace: string,
): string | PairingInfo | undefined {
  const { status, type, text } = reply;
  if (status !== 200) return undefined;
  if (form === "short route") {
    if (type !== "text/html") return undefined;
    return operation === "ValidatePin" ? text : { ManualSetupCode: keyIn(text), Html: text };
  }
  if (form === "JSON") return type === JSON_TYPE ? resultInJson(text) : undefined;
  const version = SOAP.get(form);
  const { mediaType = "text/xml", envelope = "" } = version ?? {};
  const root = operation === "Pair" ? "PairingInfo" : "boolean";
  const path = version === undefined ? [[namespace, root]] : [
    ...[[envelope, "Envelope"], [envelope, "Body"]],
    ...[[namespace, `${operation}Response`], [namespace, `${operation}Result`]],
  ];
  const found = type === mediaType ? descend(documentOf(text), path) : undefined;
  if (found === undefined || operation === "ValidatePin") return found && textOf(found);
  const [key, html] = ["ManualSetupCode", "Html"].map((name) => child(found, namespace, name));
  return key && html && { ManualSetupCode: textOf(key), Html: textOf(html) };
}

function resultInJson(text: string): string | PairingInfo | undefined {
  const { d } = Object(valueOf(text)) as { readonly d?: unknown };
  if (typeof d === "boolean") return String(d);
  const { ManualSetupCode, Html } = Object(d) as Partial<PairingInfo>;
  return typeof ManualSetupCode === "string" && typeof Html === "string"
    ? { ManualSetupCode, Html }
    : undefined;
}

/** Describes a reply without a result: status, media type, and the code of a SOAP fault. */
export function describeReply({ status, type, text }: Reply): string {
  if (text === "") return `${status}, empty`;
  const start = `${status} ${type || "without a type"}`;
  if (type === JSON_TYPE) return start + (valueOf(text) === undefined ? ", not JSON" : "");
  if (!/[/+]xml$/.test(type)) return start;
  if (documentOf(text) === undefined) return `${start}, not XML`;
  const [, code] = /<(?:\w+:)?(?:faultcode|Value)>(?:\w+:)?(\w+)</.exec(text) ?? [];
  return code === undefined ? start : `${start} ${code}`;
}

/** Returns the root element of a document; undefined where it is not well-formed. */
export function documentOf(text: string): XmlElement | undefined {
  try {
    return parseXml(text).root;
  } catch {
    return undefined;
  }
}

/** Returns the element at the end of a path of names that begins at an element; undefined without. */
function descend(
  start: XmlElement | undefined,
  [first, ...rest]: readonly (readonly string[])[],
): XmlElement | undefined {
  const [namespace, name] = first!;
  if (start?.localName !== name || start?.namespaceName !== namespace) return undefined;
  return rest.reduce<XmlElement | undefined>(
    (parent, [namespace = "", name = ""]) => parent && child(parent, namespace, name),
    start,
  );
}

function child(parent: XmlElement, namespace: string, name: string): XmlElement | undefined {
  return parent.children.filter(isElement)
    .find((each) => each.localName === name && each.namespaceName === namespace);
}

function textOf({ children }: XmlElement): string {
  return children.map((each) => isElement(each) ? "" : each.text).join("");
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Returns the setup key in the title of a Html; empty without one. */
export function keyIn(html: string): string {
  return /^<a title='Manually pair with ([A-Z2-7]*)' /.exec(html)?.[1] ?? "";
}
