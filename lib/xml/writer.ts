/**
 * The only place where markup is put together: elements are plain data until here, and every value
 * is escaped on its way out.
 *
 * @module
 */

/** An element to be written; names are the program's own and are not checked. */
export interface MarkupElement {
  /** The name with its prefix. */
  readonly name: string;
  /** Attributes and namespace declarations, written in this order. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Elements, and texts as they are meant, not escaped. */
  readonly children?: readonly MarkupNode[];
}

/** An element or a text. */
export type MarkupNode = MarkupElement | string;

/** Makes an element: a shorthand that keeps trees readable where they are built. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly MarkupNode[]
): MarkupElement {
  return { name, attributes, children };
}

/** The XML declaration of every document that this service sends. */
const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

/** Writes an XML document on one line, without a line end. */
export function writeCompact(root: MarkupElement): string {
  return XML_DECLARATION + writeElement(root, '"');
}

/**
 * Writes an XML document with CRLF line ends and two blanks of indentation, without a line end
 * behind it. An element that holds text is kept on one line.
 */
export function writeIndented(root: MarkupElement): string {
  return XML_DECLARATION + indented(root, "\r\n");
}

/** Writes an HTML page: the fragment of its root element behind the document type. */
export function writeHtmlPage(root: MarkupElement): string {
  return `<!DOCTYPE html>\n${writeElement(root, '"')}\n`;
}

/** Writes an HTML fragment on one line of ASCII attributes in single quotes. */
export function writeHtmlFragment(root: MarkupElement): string {
  return writeElement(root, "'");
}

type Quote = '"' | "'";

function writeElement(element: MarkupElement, quote: Quote): string {
  const children = element.children ?? [];
  let written = startOfTag(element, quote);
  if (children.length === 0) return `${written} />`;
  written += ">";
  for (const child of children) {
    written += typeof child === "string" ? escapeText(child) : writeElement(child, quote);
  }
  return `${written}</${element.name}>`;
}

function indented(element: MarkupElement, lineStart: string): string {
  const children = element.children ?? [];
  if (children.length === 0 || children.some((child) => typeof child === "string")) {
    return lineStart + writeElement(element, '"');
  }
  let written = `${lineStart}${startOfTag(element, '"')}>`;
  for (const child of children) {
    if (typeof child !== "string") written += indented(child, `${lineStart}  `);
  }
  return `${written}${lineStart}</${element.name}>`;
}

function startOfTag(element: MarkupElement, quote: Quote): string {
  let written = `<${element.name}`;
  const attributes = element.attributes ?? {};
  for (const name in attributes) {
    written += ` ${name}=${quote}${escapeAttribute(attributes[name]!)}${quote}`;
  }
  return written;
}

// Quotes are not escaped in text: the stack whose callers move here does not, and some of them
// search the reply for an attribute by its quote. A carriage return is, since a reader would take a
// literal one for a line feed (XML 1.0 §2.11).
function escapeText(text: string): string {
  return /[&<>\r]/.test(text)
    ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll("\r", "&#13;")
    : text;
}

// The five that could end a value in HTML or XML, and everything that is not printable ASCII: so a
// value survives attribute normalisation (XML 1.0 §3.3.3), a page on a wrong charset, and stays on
// one line.
function escapeAttribute(value: string): string {
  return value.replace(
    /[^\x20-\x7E]|[&<>"']/gu,
    (character) => ATTRIBUTE_ENTITIES.get(character) ?? `&#${character.codePointAt(0)};`,
  );
}

const ATTRIBUTE_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);
