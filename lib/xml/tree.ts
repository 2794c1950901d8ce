/**
 * Tree of an XML document, with Namespaces in XML 1.0. Comments and processing instructions are
 * read and left out. A list of open elements takes the place of recursion.
 *
 * @module
 */

import { isNcName, XmlError } from "./cursor.ts";
import {
  type AttributeToken,
  normalizeLineEnds,
  type Token,
  tokenize,
  type XmlLimits,
} from "./tokenizer.ts";

/** An attribute that is not a namespace declaration. */
export interface XmlAttribute {
  /** Namespace name; empty for an attribute without a prefix. */
  readonly namespaceName: string;
  /** Name without prefix. */
  readonly localName: string;
  /** Normalised value. */
  readonly value: string;
}

/** A run of character data, or a CDATA section. */
export interface XmlText {
  /** Characters, with references resolved. */
  readonly text: string;
  /** Start of the text, in UTF-16 units. */
  readonly offset: number;
}

/** An element. */
export interface XmlElement {
  /** Namespace name; empty for an element in no namespace. */
  readonly namespaceName: string;
  /** Name without prefix. */
  readonly localName: string;
  /** Attributes in document order. */
  readonly attributes: readonly XmlAttribute[];
  /** Elements and texts in document order; texts may be adjacent. */
  readonly children: readonly (XmlElement | XmlText)[];
  /** Start of the start-tag, in UTF-16 units. */
  readonly offset: number;
}

/** A document: its root element, and the text to which all offsets refer. */
export interface XmlDocument {
  /** Root element. */
  readonly root: XmlElement;
  /** Text with normalised line ends. */
  readonly text: string;
}

/** Limits of this service, far above the needs of an Envelope. */
export const XML_LIMITS: XmlLimits = {
  depth: 64,
  elements: 1024,
  attributes: 64,
  namespaces: 128,
  nameLength: 256,
  namespaceNameLength: 1024,
};

/** Namespace name of the prefix `xml` and no other (Namespaces in XML 1.0 §3). */
export const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

/**
 * Parses a document.
 *
 * @param source Document without a byte order mark.
 * @throws {XmlError} When it is not well-formed, not namespace-well-formed, has a document type
 * declaration, or exceeds a limit.
 */
export function parseXml(source: string, limits: XmlLimits = XML_LIMITS): XmlDocument {
  const text = normalizeLineEnds(source);
  const builder = new TreeBuilder(text, limits);
  for (const token of tokenize(text, limits)) builder.add(token);
  return { root: builder.finish(), text };
}

/** Whether a child is an element. */
export function isElement(node: XmlElement | XmlText): node is XmlElement {
  return "localName" in node;
}

/** Whether an element has an expanded name. */
export function hasName(element: XmlElement, namespaceName: string, localName: string): boolean {
  return element.localName === localName && element.namespaceName === namespaceName;
}

/**
 * Returns the value of the attribute with an expanded name; undefined when the element has no such
 * attribute.
 */
export function attributeValue(
  element: XmlElement,
  namespaceName: string,
  localName: string,
): string | undefined {
  return element.attributes.find((attribute) =>
    attribute.localName === localName && attribute.namespaceName === namespaceName
  )?.value;
}

interface OpenElement extends XmlElement {
  readonly qualifiedName: string;
  readonly attributes: XmlAttribute[];
  readonly children: (XmlElement | XmlText)[];
  /** Prefixes bound by the start-tag, each with its previous namespace name. */
  readonly shadowed: readonly (readonly [prefix: string, namespaceName: string | undefined])[];
}

const NONE: readonly never[] = [];

class TreeBuilder {
  #root: XmlElement | undefined;
  #elements = 0;
  readonly #open: OpenElement[] = [];
  // Namespace names by prefix, the default namespace under the empty one; `xml` is left out.
  readonly #namespaces = new Map<string, string>();
  // Number of each namespace name, so that a key costs the same for a name of any length.
  readonly #numbers = new Map<string, number>();

  readonly #text: string;
  readonly #limits: XmlLimits;

  constructor(text: string, limits: XmlLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  add(token: Token): void {
    switch (token.kind) {
      case "start-tag":
        return this.#startTag(token);
      case "end-tag":
        return this.#endTag(token);
      case "cdata":
        return this.#characters(token.value, token.offset, false);
      case "text":
        return this.#characters(token.value, token.offset, token.blank);
      case "comment":
      case "pi":
        return;
    }
  }

  // [1] document ::= prolog element Misc*
  finish(): XmlElement {
    if (this.#open.length > 0) this.#fail("An element is not closed", this.#text.length);
    return this.#root ?? this.#fail("A root element was expected", this.#text.length);
  }

  #characters(text: string, offset: number, blank: boolean): void {
    const parent = this.#open.at(-1);
    if (parent !== undefined) parent.children.push({ text, offset });
    else if (!blank) this.#fail("Text stands outside the root element", offset);
  }

  #startTag(token: Token & { kind: "start-tag" }): void {
    const parent = this.#open.at(-1);
    if (parent === undefined && this.#root !== undefined) {
      this.#fail("A second root element was found", token.offset);
    }
    this.#elements++;
    if (this.#elements > this.#limits.elements) {
      this.#fail(`There are more than ${this.#limits.elements} elements`, token.offset);
    }
    if (this.#open.length === this.#limits.depth) {
      this.#fail(`Elements are nested deeper than ${this.#limits.depth}`, token.offset);
    }
    const element = this.#element(token);
    if (parent === undefined) this.#root = element;
    else parent.children.push(element);
    if (token.empty) this.#leave(element);
    else this.#open.push(element);
  }

  // Closes an element. Well-formedness constraint "Element Type Match".
  #endTag(token: Token & { kind: "end-tag" }): void {
    const element = this.#open.pop();
    if (element?.qualifiedName !== token.name) {
      this.#fail("An end-tag does not match the start-tag that is open", token.offset);
    }
    this.#leave(element);
  }

  #element(token: Token & { kind: "start-tag" }): OpenElement {
    const { name: qualifiedName, offset } = token;
    // Most elements of an Envelope have no attributes.
    const shadowed = token.attributes.length === 0
      ? NONE
      : token.attributes.filter(isDeclaration).map((a) => this.#declare(a));
    const [namespaceName, localName] = this.#expand(qualifiedName, offset, true);
    const attributes: XmlAttribute[] = [];
    const element = {
      qualifiedName,
      namespaceName,
      localName,
      attributes,
      children: [],
      offset,
      shadowed,
    };
    if (shadowed.length === token.attributes.length) return element;
    const names = new Set<string>();
    for (const attribute of token.attributes) {
      if (isDeclaration(attribute)) continue;
      const [namespaceName, localName] = this.#expand(attribute.name, attribute.offset, false);
      // Namespaces constraint "Attributes Unique".
      const expanded = `${this.#numberOf(namespaceName)} ${localName}`;
      if (names.has(expanded)) {
        this.#fail("An attribute stands twice on an element", attribute.offset);
      }
      names.add(expanded);
      attributes.push({ namespaceName, localName, value: attribute.value });
    }
    return element;
  }

  #numberOf(namespaceName: string): number {
    const known = this.#numbers.get(namespaceName);
    if (known !== undefined) return known;
    this.#numbers.set(namespaceName, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  // Namespaces [1] NSAttName ::= PrefixedAttName | DefaultAttName, and the constraints "Reserved
  // Prefixes and Namespace Names" and "No Prefix Undeclaring".
  #declare(attribute: AttributeToken): readonly [string, string | undefined] {
    const { name, value, offset } = attribute;
    const isDefault = name === "xmlns";
    const prefix = isDefault ? "" : name.slice("xmlns:".length);
    if (prefix === "xml" ? value !== XML_NAMESPACE : value === XML_NAMESPACE) {
      this.#fail("The prefix xml and its namespace belong to each other alone", offset);
    }
    if (prefix === "xmlns" || value === XMLNS_NAMESPACE) {
      this.#fail("The prefix xmlns and its namespace cannot be declared", offset);
    }
    if (!isDefault && !isNcName(prefix)) this.#fail("A prefix is not well-formed", offset);
    if (!isDefault && value === "") this.#fail("A prefix cannot be undeclared", offset);
    if (value.length > this.#limits.namespaceNameLength) {
      this.#fail(
        `A namespace name is longer than ${this.#limits.namespaceNameLength} characters`,
        offset,
      );
    }
    const before = this.#namespaces.get(prefix);
    if (prefix !== "xml") this.#namespaces.set(prefix, value);
    if (this.#namespaces.size > this.#limits.namespaces) {
      this.#fail(
        `More than ${this.#limits.namespaces} namespace declarations are in scope`,
        offset,
      );
    }
    return [prefix, before];
  }

  #leave(element: OpenElement): void {
    for (const [prefix, namespaceName] of element.shadowed) {
      if (namespaceName === undefined) this.#namespaces.delete(prefix);
      else this.#namespaces.set(prefix, namespaceName);
    }
  }

  // Namespaces [7] QName ::= PrefixedName | UnprefixedName, and the constraint "Prefix Declared".
  #expand(name: string, offset: number, isElementName: boolean): readonly [string, string] {
    const colon = name.indexOf(":");
    if (colon < 0) return [isElementName ? this.#namespaces.get("") ?? "" : "", name];
    const prefix = name.slice(0, colon);
    const localName = name.slice(colon + 1);
    if (prefix === "" || !isNcName(localName)) {
      this.#fail("A name with a colon is not a prefix and a local name", offset);
    }
    const namespaceName = prefix === "xml" ? XML_NAMESPACE : this.#namespaces.get(prefix);
    if (namespaceName === undefined) this.#fail("A prefix is not declared", offset);
    return [namespaceName, localName];
  }

  #fail(message: string, offset: number): never {
    throw new XmlError(message, this.#text, offset);
  }
}

function isDeclaration(attribute: AttributeToken): boolean {
  return attribute.name === "xmlns" || attribute.name.startsWith("xmlns:");
}
