// What it costs to read an envelope, and the shapes of 64 KiB (the longest body that is accepted)
// that cost the most. The limits are lifted where a shape would otherwise end early.

import { XmlError } from "../lib/xml/cursor.ts";
import { parseXml, XML_LIMITS } from "../lib/xml/tree.ts";
import type { XmlLimits } from "../lib/xml/tokenizer.ts";
import { ENVELOPE } from "./libraries.ts";

const SIZE = 65_536;

const UNLIMITED: XmlLimits = {
  depth: SIZE,
  elements: SIZE,
  attributes: SIZE,
  namespaces: SIZE,
  nameLength: SIZE,
  namespaceNameLength: SIZE,
};

/** Pieces, each made from its number, between a start and an end, as many as fit. */
function filled(start: string, piece: (i: number) => string, end: string): string {
  const pieces = [start];
  let length = start.length + end.length;
  for (let i = 0;; i++) {
    const next = piece(i);
    length += next.length;
    if (length > SIZE) return pieces.join("") + end;
    pieces.push(next);
  }
}

/** Elements inside one another, as many as fit. */
function nested(startTag: string): string {
  const depth = Math.floor(SIZE / (startTag.length + "</a>".length));
  return startTag.repeat(depth) + "</a>".repeat(depth);
}

/** Elements of 64 attributes each; with `declared`, each is a declaration and shadows another. */
function manyAttributes(declared: boolean): string {
  const attributes = Array.from(
    { length: 64 },
    (_, i) => declared ? ` xmlns:p${i}='u'` : ` a${i}=''`,
  );
  return filled("<r>", () => `<a${attributes.join("")}/>`, "</r>");
}

const SHAPES: readonly (readonly [name: string, document: string, limits?: XmlLimits])[] = [
  ["deep", nested("<a>"), UNLIMITED],
  ["wide, 1,024 elements", `<r>${`<a>${"x".repeat(56)}</a>`.repeat(1023)}</r>`],
  ["wide, without limits", filled("<r>", () => "<a/>", "</r>"), UNLIMITED],
  ["64 attributes on each element", manyAttributes(false)],
  ["64 declarations on each element", manyAttributes(true)],
  ["attributes on one element", filled("<a", (i) => ` a${i}=''`, "/>"), UNLIMITED],
  ["declarations on one element", filled("<a", (i) => ` xmlns:p${i}='u'`, "/>"), UNLIMITED],
  ["declarations, nested and shadowed", nested("<a xmlns:p='u'>"), UNLIMITED],
  ["one text", filled("<a>", () => "x", "</a>")],
  ["one text outside the BMP", filled("<a>", () => "\u{1F511}", "</a>")],
  ["one attribute", filled("<a b='", () => "\n", "'/>")],
  ["one name", filled("<", () => "a", "/>"), UNLIMITED],
  ["one character reference", filled("<a>&#", () => "0", "65;</a>")],
  ["character references", filled("<a>", () => "&#65;", "</a>")],
  ["character references in an attribute", filled("<a b='", () => "&#x1F511;", "'/>")],
  ["predefined entities", filled("<a>", () => "&lt;", "</a>")],
  ["comments", filled("<a>", () => "<!---->", "</a>")],
  ["processing instructions", filled("<a>", () => "<?a?>", "</a>")],
  ["CDATA sections", filled("<a>", () => "<![CDATA[]]>", "</a>")],
  ["text and comments", filled("<a>", () => "]]<!---->", "</a>")],
  ["section ends that are none", filled("<a>", () => "]] >", "</a>")],
  ["line ends", filled("<a>", () => "\r\n", "</a>")],
  ["white space in a tag", filled("<a", () => " ", "/>")],
];

const ERRORS: readonly (readonly [name: string, document: string])[] = [
  ["too many elements", filled("<a>", () => "<a/>", "")],
  ["a text not closed", filled("<a>", () => "x", "")],
  ["an attribute not closed", filled("<a b='", () => "x", "")],
  ["a comment not closed", filled("<a><!--", () => "- ", "")],
  ["a CDATA section not closed", filled("<a><![CDATA[", () => "]] ", "")],
  ["a processing instruction not closed", filled("<a><?b ", () => "? ", "")],
  ["a reference not closed", filled("<a>&#", () => "1", "")],
  ["a name without end", filled("<", () => "a", "")],
  ["an error on the last of many lines", filled("<a>", () => "\n", "&")],
  ["an error at the end of a line outside the BMP", filled("<a>", () => "\u{1F511}", "&")],
  ["a character that is forbidden at the end", filled("<a>", () => "\u{1F511}", "\0")],
];

Deno.bench("a SOAP envelope", { group: "xml", baseline: true }, () => {
  parseXml(ENVELOPE);
});

for (const [name, document, limits = XML_LIMITS] of SHAPES) {
  Deno.bench(`64 KiB: ${name}`, { group: "xml" }, () => {
    parseXml(document, limits);
  });
}

for (const [name, document] of ERRORS) {
  Deno.bench(`64 KiB refused: ${name}`, { group: "xml" }, () => {
    try {
      parseXml(document);
    } catch (error) {
      if (error instanceof XmlError) return;
      throw error;
    }
    throw new Error(`The document was not refused: ${name}`);
  });
}
