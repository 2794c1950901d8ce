/**
 * A SOAP Envelope read: its structure, its header blocks, and the call that its Body holds. All
 * that depends on the version comes from `versions.ts`.
 *
 * @module
 */

import { Fault } from "../../service/fault.ts";
import {
  duplicateParameter,
  missingParameter,
  type Operation,
  OPERATIONS,
} from "../../service/operations.ts";
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
import type { EnvelopeShapes } from "./envelope_shapes.ts";
import type { SoapVersion } from "./versions.ts";
import { XSI_NAMESPACE } from "../xsd.ts";

/** What an Envelope is read against. */
export interface EnvelopeContext {
  /** The version that the media type decided. */
  readonly version: SoapVersion;
  /** The namespace name of the service. */
  readonly namespace: string;
  /** The SOAPAction or action that came beside the Envelope; null when none did. */
  readonly action: string | null;
  /** The shapes of Envelopes that were read with this version and namespace; none unless given. */
  readonly shapes?: EnvelopeShapes;
}

/**
 * Reads the call out of an Envelope.
 *
 * @throws {Fault} When the text is no Envelope of the version, a header block must be understood,
 * or its Body holds no call of the service.
 */
export function readEnvelope(text: string, context: EnvelopeContext): Call {
  const known = context.shapes?.find(text);
  if (known === undefined) return readNewEnvelope(text, context);
  checkAction(known.operation, context);
  return known;
}

function readNewEnvelope(text: string, context: EnvelopeContext): Call {
  try {
    const document = parseXml(text);
    const body = readStructure(document, context.version);
    const [element, ...others] = elementsOf(body, document, "Body");
    if (element === undefined || others.length > 0) throw notOneOperation(context.namespace);
    const operation = readOperation(element, context);
    checkAction(operation, context);
    const call = { operation, args: readArguments(operation, element, context.namespace) };
    // One with carriage returns is never found again: its shape has none.
    if (document.text === text) context.shapes?.remember(document, call, element);
    return call;
  } catch (error) {
    throw error instanceof XmlError ? unreadable(error) : error;
  }
}

function unreadable(error: XmlError): Fault {
  const place = `line ${error.line}, column ${error.column}`;
  return new Fault("unreadable", `${error.message} (${place}).`);
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
  const isHeader = (child: XmlElement | undefined): child is XmlElement =>
    child !== undefined && hasName(child, version.envelope, "Header");
  const header = isHeader(children[0]) ? children[0] : undefined;
  const [body, ...rest] = header === undefined ? children : children.slice(1);
  if (body === undefined || !children.some((child) => hasName(child, version.envelope, "Body"))) {
    throw missingElement("Body");
  }
  const misplaced = hasName(body, version.envelope, "Body") ? rest[0] : body;
  if (misplaced !== undefined) {
    const message = "Envelope may hold one Header and behind it one Body, nothing else";
    throw new XmlError(message, document.text, misplaced.offset);
  }
  if (header !== undefined) checkHeader(elementsOf(header, document, "Header"), version);
  return body;
}

function missingElement(name: string): Fault {
  return new Fault("unreadable", `Missing required soap:${name} element.`);
}

/** The elements of an element that may hold no text. */
function elementsOf(parent: XmlElement, document: XmlDocument, name: string): XmlElement[] {
  for (const child of parent.children) {
    if (!isElement(child) && /[^ \t\r\n]/.test(child.text)) {
      throw new XmlError(`${name} may hold elements only, not text`, document.text, child.offset);
    }
  }
  return parent.children.filter(isElement);
}

// This node knows no header block, so every one that must be understood and is aimed at it is a
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
      "A SOAP header that must be understood was not understood.",
      notUnderstood,
    );
  }
}

function readOperation(element: XmlElement, { namespace }: EnvelopeContext): Operation {
  const operation = OPERATIONS.get(element.localName);
  if (operation === undefined || element.namespaceName !== namespace) {
    throw notOneOperation(namespace);
  }
  return operation;
}

function notOneOperation(namespace: string): Fault {
  const names = [...OPERATIONS.keys()].map((name) => namespace + name).join(" or ");
  return new Fault("invalid", `Unable to handle request: Body must hold one element, ${names}.`);
}

// The Body decides what runs; an action that says otherwise is refused, never followed: what a
// firewall lets through by its header must not be another operation.
function checkAction(operation: Operation, { action, namespace }: EnvelopeContext): void {
  const named = action?.trim().replace(/^"(.*)"$/, "$1").trim() ?? "";
  if (named !== "" && named !== namespace + operation.name) {
    throw new Fault("invalid", "Server did not recognize the value of HTTP Header SOAPAction.");
  }
}

function readArguments(
  operation: Operation,
  element: XmlElement,
  namespace: string,
): ReadonlyMap<string, string> {
  const children = element.children.filter(isElement);
  const args = new Map<string, string>();
  for (const { name } of operation.parameters) {
    const [value, second] = children.filter((child) => hasName(child, namespace, name));
    if (second !== undefined) throw duplicateParameter(name);
    if (value === undefined && children.some((child) => child.localName === name)) {
      const fault = missingParameter(name);
      throw new Fault(fault.code, `${fault.message} It is expected in namespace ${namespace}.`);
    }
    if (value !== undefined && !isNil(value)) args.set(name, textOf(value, name));
  }
  return args;
}

// XML Schema part 1 §2.6.2: an element that is nil has no value.
function isNil(element: XmlElement): boolean {
  const nil = attributeValue(element, XSI_NAMESPACE, "nil")?.trim();
  return nil === "true" || nil === "1";
}

function textOf(element: XmlElement, name: string): string {
  let text = "";
  for (const child of element.children) {
    if (isElement(child)) {
      throw new Fault("invalid", `Parameter ${name} must hold text only, no element.`);
    }
    text += child.text;
  }
  return text;
}
