/**
 * Reader of SOAP Envelopes: structure, header blocks, and the call in the Body. Differences between
 * the versions come from `versions.ts`.
 *
 * @module
 */

import { Fault, wrongParameter } from "../../operations/fault.ts";
import {
  duplicateParameter,
  missingParameter,
  type Operation,
  OPERATIONS,
} from "../../operations/operations.ts";
import { XmlError } from "../../xml/cursor.ts";
import {
  attributeValue,
  hasName,
  isElement,
  parseXml,
  type XmlDocument,
  type XmlElement,
} from "../../xml/tree.ts";
import type { Call } from "../binding.ts";
import { emptyBody } from "../faults.ts";
import { type ActionField, checkActions } from "./action.ts";
import type { SoapVersion } from "./versions.ts";
import { adviceFor } from "./ws_extensions.ts";
import { XSI_NAMESPACE } from "../xsd.ts";

/** Expectations for an Envelope. */
export interface EnvelopeContext {
  /** Required version. */
  readonly version: SoapVersion;
  /** Namespace name of the service. */
  readonly namespace: string;
  /** Fields outside the Envelope that may name its operation. */
  readonly actions: readonly ActionField[];
}

/**
 * Parses the text of an Envelope.
 *
 * @throws {Fault} When it is empty or not well-formed.
 */
export function parseEnvelope(text: string): XmlDocument {
  if (text.trim() === "") throw emptyBody("a SOAP Envelope");
  return asFaults(() => parseXml(text));
}

/**
 * Reads the call in an Envelope.
 *
 * @throws {Fault} When the document is not an Envelope of the version, has a mandatory header
 * block, or has no call of the service in its Body.
 */
export function readEnvelope(document: XmlDocument, context: EnvelopeContext): Call {
  return asFaults(() => {
    const body = readStructure(document, context.version);
    const elements = elementsOf(body, document, "Body");
    const { operation, element } = readOperation(elements, context.namespace);
    checkActions(operation, context);
    return { operation, args: argumentsOf(operation, element, context.namespace) };
  });
}

function asFaults<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const place = `line ${error.line}, column ${error.column}`;
    throw new Fault("unreadable", `${error.message} (${place}).`);
  }
}

/** Checks Envelope, Header and Body (SOAP 1.1 §4, SOAP 1.2 part 1 §5) and returns the Body. */
function readStructure(document: XmlDocument, version: SoapVersion): XmlElement {
  const { root } = document;
  if (root.localName !== "Envelope") throw missingElement("Envelope");
  if (root.namespaceName !== version.envelope) {
    throw new Fault(
      "version-mismatch",
      "Possible SOAP version mismatch: the Envelope namespace was unexpected. " +
        `Expecting ${version.envelope}.`,
    );
  }
  const children = elementsOf(root, document, "Envelope");
  const isNamed = (child: XmlElement, name: string): boolean =>
    hasName(child, version.envelope, name);
  const place = children.findIndex((child) => isNamed(child, "Body"));
  const body = children[place];
  if (body === undefined) throw missingElement("Body");
  const inFront = children.slice(0, place);
  const header = inFront.find((child) => isNamed(child, "Header"));
  // SOAP 1.1 §4 allows other elements behind the Body. SOAP 1.2 part 1 §5 does not; they are ignored
  // there too, as in the original.
  const misplaced = inFront.find((child, i) => i > 0 || child !== header) ??
    children.slice(place + 1).find((child) => isNamed(child, "Body"));
  if (misplaced !== undefined) {
    const message = "Envelope may hold one Header and behind it one Body";
    throw new XmlError(message, document.text, misplaced.offset);
  }
  if (header !== undefined) checkHeader(elementsOf(header, document, "Header"), version);
  return body;
}

function missingElement(name: string): Fault {
  return new Fault("unreadable", `Missing required soap:${name} element.`);
}

/** Returns the child elements of an element that must not hold text. */
function elementsOf(parent: XmlElement, document: XmlDocument, name: string): XmlElement[] {
  for (const child of parent.children) {
    if (!isElement(child) && /[^ \t\r\n]/.test(child.text)) {
      throw new XmlError(`${name} may hold elements only, not text`, document.text, child.offset);
    }
  }
  return parent.children.filter(isElement);
}

// Checks the header blocks: this node understands no block, so each mandatory one aimed at it is a
// fault (SOAP 1.1 §4.2.3, SOAP 1.2 part 1 §2.4 and §5.2.3).
function checkHeader(blocks: readonly XmlElement[], version: SoapVersion): void {
  const notUnderstood = blocks.filter((block) => {
    const required = attributeValue(block, version.envelope, "mustUnderstand")?.trim();
    const role = attributeValue(block, version.envelope, version.roleAttribute)?.trim() ?? "";
    return (required === "1" || required === "true") &&
      (role === "" || version.roles.includes(role));
  });
  if (notUnderstood.length > 0) {
    throw new Fault(
      "must-understand",
      `A SOAP header that must be understood was not understood.${adviceFor(notUnderstood)}`,
      { notUnderstood },
    );
  }
}

/** Finds the operation of the one element in a Body. */
function readOperation(
  elements: readonly XmlElement[],
  namespace: string,
): { readonly operation: Operation; readonly element: XmlElement } {
  const [element, second] = elements;
  if (element === undefined) throw notOneOperation(namespace, "It is empty.");
  if (second !== undefined) {
    const isEncoded = elements.some(({ localName }) => localName === "multiRef");
    throw notOneOperation(namespace, `It holds more than one.${isEncoded ? NOT_ENCODED : ""}`);
  }
  const operation = OPERATIONS.get(element.localName);
  if (operation === undefined) {
    throw notOneOperation(namespace, "Its element has another name.");
  }
  if (element.namespaceName !== namespace) {
    const found = element.namespaceName === "" ? "no namespace" : "another namespace";
    throw notOneOperation(namespace, `Its element has ${found}.`);
  }
  return { operation, element };
}

// Clients in encoded style put values into elements multiRef behind the call (SOAP 1.1 §5.4.1).
const NOT_ENCODED = " Elements multiRef are of encoded style: set the client to document/literal.";

function notOneOperation(namespace: string, found: string): Fault {
  const expected = `${[...OPERATIONS.keys()].join(" or ")}, in the namespace ${namespace}`;
  const message = `Unable to handle request: Body must hold one element, ${expected}. ${found}`;
  return new Fault("invalid", message);
}

function argumentsOf(
  operation: Operation,
  element: XmlElement,
  namespace: string,
): ReadonlyMap<string, string> {
  const children = element.children.filter(isElement);
  const args = new Map<string, string>();
  for (const parameter of operation.parameters) {
    const { name } = parameter;
    const [value, second] = children.filter((child) => hasName(child, namespace, name));
    if (second !== undefined) throw duplicateParameter(name);
    if (value !== undefined && !isNil(value)) {
      args.set(name, elementText(value, name));
      continue;
    }
    const others = children.filter((child) => child !== value);
    const hint = hintFor(name, others, { operation, namespace });
    if (hint !== undefined) throw missingParameter(name, hint);
    // Client libraries write an empty text as nil, or leave it out.
    if (parameter.mayBeEmpty) args.set(name, "");
  }
  return args;
}

// Returns a hint when the call has a missing parameter in another case or namespace, or deeper.
function hintFor(
  name: string,
  others: readonly XmlElement[],
  { operation, namespace }: { readonly operation: Operation; readonly namespace: string },
): string | undefined {
  const isLike = ({ localName }: XmlElement): boolean =>
    localName.toLowerCase() === name.toLowerCase();
  const lookalike = others.find(isLike);
  if (lookalike !== undefined) {
    return lookalike.localName === name
      ? `It is expected in namespace ${namespace}.`
      : "Names are case sensitive.";
  }
  return hasDescendant(others, isLike)
    ? `It is expected as a child of the element ${operation.name}.`
    : undefined;
}

function hasDescendant(
  elements: readonly XmlElement[],
  isWanted: (element: XmlElement) => boolean,
): boolean {
  // A list in place of recursion, whose depth callers would choose.
  const left = [...elements];
  for (let element = left.pop(); element !== undefined; element = left.pop()) {
    if (isWanted(element)) return true;
    left.push(...element.children.filter(isElement));
  }
  return false;
}

// Whether an element is nil, and so has no value (XML Schema part 1 §2.6.2).
function isNil(element: XmlElement): boolean {
  const nil = attributeValue(element, XSI_NAMESPACE, "nil")?.trim();
  return nil === "true" || nil === "1";
}

function elementText(element: XmlElement, name: string): string {
  let text = "";
  for (const child of element.children) {
    if (isElement(child)) {
      throw wrongParameter(name, "must hold text only, no element");
    }
    text += child.text;
  }
  return text;
}
