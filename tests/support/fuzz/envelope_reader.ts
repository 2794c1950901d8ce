/** A SOAP Envelope as saxes reads it, and the call in it by the letter of docs/wire.md. */

import { featuresOf } from "../xml/profile.ts";
import { Incomparable, structureBySaxes } from "../xml/structure.ts";
import { NAMESPACE, OPERATIONS, type ReadCall, REFUSED, UNSURE } from "./reading.ts";

/** The namespace names of Envelopes, by the binding. */
export const ENVELOPE_NAMESPACES = {
  "SOAP 1.1": "http://schemas.xmlsoap.org/soap/envelope/",
  "SOAP 1.2": "http://www.w3.org/2003/05/soap-envelope",
} as const;

/** A version of SOAP. */
export type SoapBinding = keyof typeof ENVELOPE_NAMESPACES;

interface Node {
  /** `{namespace name}local name`, as the attributes have it. */
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: (Node | string)[];
}

const XSI_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil";

/** The fields beside an Envelope that may name its operation. */
export interface Actions {
  /** The value of SOAPAction. */
  readonly soapAction: string | undefined;
  /** The parameter of the media type. */
  readonly action: string | undefined;
}

/**
 * Reads the call.
 *
 * @param binding The binding by the media type: `text/xml` may hold either version.
 * @throws {REFUSED} When it is none.
 * @throws {UNSURE} When saxes and the service need not agree.
 */
export function readEnvelope(
  text: string,
  binding: SoapBinding,
  { soapAction, action }: Actions,
): ReadCall {
  const root = treeOf(text);
  const isNewer = binding === "SOAP 1.2" ||
    root.name.startsWith(`{${ENVELOPE_NAMESPACES["SOAP 1.2"]}}`);
  const soap = `{${ENVELOPE_NAMESPACES[isNewer ? "SOAP 1.2" : "SOAP 1.1"]}}`;
  if (root.name !== `${soap}Envelope`) throw REFUSED;
  const children = elementsOf(root);
  const header = children[0]?.name === `${soap}Header` ? children.shift() : undefined;
  const [body, ...rest] = children;
  if (body?.name !== `${soap}Body` || rest.some(({ name }) => name === body.name)) throw REFUSED;
  if (header !== undefined && elementsOf(header).some((block) => isForUs(block, soap))) {
    throw REFUSED;
  }
  const [element, ...others] = elementsOf(body);
  const operation = OPERATIONS.keys().find((name) => element?.name === `{${NAMESPACE}}${name}`);
  if (element === undefined || operation === undefined || others.length > 0) throw REFUSED;
  for (const sent of isNewer ? [soapAction, action] : [soapAction]) {
    const named = plain(sent);
    const isOther = OPERATIONS.keys().some((name) =>
      name !== operation && named === NAMESPACE + name
    );
    if (isOther || !isNewer && named !== "" && named !== NAMESPACE + operation) throw REFUSED;
  }
  return { operation, args: argumentsIn(element, operation) };
}

function plain(action = ""): string {
  const named = action.trim().replace(/^"([^]*)"$/, "$1").trim();
  try {
    return decodeURIComponent(named);
  } catch {
    return named;
  }
}

function argumentsIn(element: Node, operation: string): ReadonlyMap<string, string> {
  const args = new Map<string, string>();
  for (const name of OPERATIONS.get(operation)!) {
    const found = element.children.filter((child) =>
      typeof child !== "string" && child.name === `{${NAMESPACE}}${name}`
    ) as Node[];
    if (found.length > 1) throw REFUSED;
    const [value] = found;
    if (value === undefined || /^\s*(true|1)\s*$/.test(value.attributes.get(XSI_NIL) ?? "")) {
      if (name !== "pin") continue;
      const others = element.children.filter((child) => child !== value);
      if (others.some((child) => typeof child !== "string" && /\}pin$/i.test(child.name))) {
        throw REFUSED;
      }
      args.set(name, "");
      continue;
    }
    if (value.children.some((child) => typeof child !== "string")) throw REFUSED;
    args.set(name, value.children.join(""));
  }
  return args;
}

// Whether a header block must be understood by the node that the Envelope reaches.
function isForUs({ attributes }: Node, soap: string): boolean {
  const must = attributes.get(`${soap}mustUnderstand`)?.trim();
  const role = attributes.get(`${soap}${soap.includes("xmlsoap") ? "actor" : "role"}`)?.trim();
  return (must === "1" || must === "true") && (!role || /\/(next|ultimateReceiver)$/.test(role));
}

function elementsOf(parent: Node): Node[] {
  const texts = parent.children.filter((child) => typeof child === "string");
  if (texts.some((text) => /[^ \t\r\n]/.test(text))) throw REFUSED;
  return parent.children.filter((child) => typeof child !== "string");
}

function treeOf(text: string): Node {
  if (featuresOf(text).length > 0) throw REFUSED;
  const document: Node = { name: "", attributes: new Map(), children: [] };
  const open = [document];
  let elements = 0;
  for (const line of linesOf(text)) {
    const parent = open.at(-1)!;
    if (line === ">") open.pop();
    else if (line.startsWith("|")) parent.children.push(line.slice(1));
    else if (line.startsWith("<")) {
      const node: Node = { name: line.slice(1), attributes: new Map(), children: [] };
      parent.children.push(node);
      open.push(node);
      if (++elements > 1024 || open.length > 65) throw REFUSED;
    } else {
      const [, name, value] = /^ (\{[^]*?\}[^=]*)=([^]*)$/.exec(line)!;
      parent.attributes.set(name!, value!);
    }
  }
  return document.children[0] as Node;
}

function linesOf(text: string): readonly string[] {
  // The limits on names and attributes are tested where they are, not here.
  if (/[^<>\s]{240}/.test(text) || (text.match(/=/g)?.length ?? 0) > 60) throw UNSURE;
  if (!text.isWellFormed() || text.startsWith("\uFEFF")) throw REFUSED;
  try {
    const lines = structureBySaxes(text);
    if (lines === undefined) throw REFUSED;
    return lines;
  } catch (error) {
    throw error instanceof Incomparable ? UNSURE : error;
  }
}
