/**
 * Writer of XML, and of fragments of HTML. Elements are plain data until they are written, and every
 * value is escaped.
 *
 * @module
 */

/** An element to write; its names come from the program and are not checked. */
export interface MarkupElement {
  /** Name with prefix. */
  readonly name: string;
  /** Attributes and namespace declarations, in order. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Elements, and unescaped texts. */
  readonly children?: readonly MarkupNode[];
}

/** An element or a text. */
export type MarkupNode = MarkupElement | string;

/** Makes an element, in a shorter form for readable trees. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly MarkupNode[]
): MarkupElement {
  return { name, attributes, children };
}

/** XML declaration of every document that this service sends. */
const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

/** Writes an XML document on one line, without a line end. */
export function writeCompact(root: MarkupElement): string {
  return XML_DECLARATION + writeElement(root, XML);
}

/**
 * Writes an XML document with CRLF line ends and an indentation of two blanks, without a line end
 * behind it. An element with text stays on one line.
 */
export function writeIndented(root: MarkupElement): string {
  return XML_DECLARATION + indented(root, "\r\n");
}

/** Writes an HTML fragment, also valid as XML: one line of ASCII, attributes in single quotes. */
export function writeHtmlFragment(root: MarkupElement): string {
  return writeElement(root, HTML_FRAGMENT);
}

interface Syntax {
  /** Quote around attribute values. */
  readonly quote: '"' | "'";
  /** Whether an element without content is written as an empty-element tag. */
  readonly hasEmptyTag: (name: string) => boolean;
}

// HTML §13.1.2: void elements have no end tag, all others have one even when empty. A slash in the
// start tag ends no element, and only void elements may have it.
const VOID_ELEMENTS: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "link", "meta"]);

const XML: Syntax = { quote: '"', hasEmptyTag: () => true };
const HTML_FRAGMENT: Syntax = { quote: "'", hasEmptyTag: (name) => VOID_ELEMENTS.has(name) };

function writeElement(element: MarkupElement, syntax: Syntax): string {
  const { name, children = [] } = element;
  let written = startOfTag(element, syntax.quote);
  if (children.length === 0 && syntax.hasEmptyTag(name)) return `${written} />`;
  written += ">";
  for (const child of children) {
    written += typeof child === "string" ? escapeText(child) : writeElement(child, syntax);
  }
  return `${written}</${name}>`;
}

function indented(element: MarkupElement, lineStart: string): string {
  const children = element.children ?? [];
  if (children.length === 0 || children.some((child) => typeof child === "string")) {
    return lineStart + writeElement(element, XML);
  }
  let written = `${lineStart}${startOfTag(element, '"')}>`;
  for (const child of children) {
    if (typeof child !== "string") written += indented(child, `${lineStart}  `);
  }
  return `${written}${lineStart}</${element.name}>`;
}

function startOfTag(element: MarkupElement, quote: Syntax["quote"]): string {
  let written = `<${element.name}`;
  const attributes = element.attributes ?? {};
  for (const name in attributes) {
    written += ` ${name}=${quote}${escapeAttribute(attributes[name]!)}${quote}`;
  }
  return written;
}

// Leaves quotes in text unescaped, as the original stack does: some of its callers search the reply
// for an attribute by its quote. Escapes a carriage return: a reader takes a literal one for a line
// feed (XML 1.0 §2.11).
function escapeText(text: string): string {
  return /[&<>\r]/.test(text)
    ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll("\r", "&#13;")
    : text;
}

/**
 * Escapes the five characters that could end a value in HTML or XML, and all but printable ASCII, so
 * that a value survives attribute normalisation (XML 1.0 §3.3.3) and a wrong charset, and stays on one
 * line. One class of unescaped characters takes half the time of two of escaped ones, measured on the
 * path of a QR code.
 */
export function escapeAttribute(value: string): string {
  return value.replace(
    /[^ !#-%(-;=?-~]/gu,
    (character) => ATTRIBUTE_ENTITIES.get(character) ?? `&#${character.codePointAt(0)};`,
  );
}

const ATTRIBUTE_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);
