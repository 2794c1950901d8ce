/** What the parser read, on one line: the right-hand column of the tables in these tests. */

import { assertEquals } from "@std/assert/equals";
import { XmlError } from "../../../lib/xml/cursor.ts";
import { normalizeLineEnds, type Token, tokenize } from "../../../lib/xml/tokenizer.ts";
import { isElement, parseXml, XML_LIMITS, type XmlElement } from "../../../lib/xml/tree.ts";

/** An input and what is expected of it. */
export type Row = readonly [input: string, expected: string];

/** Registers a test that holds every row of a table, and shows all that fail at once. */
export function testTable(
  name: string,
  outline: (input: string) => string,
  rows: readonly Row[],
): void {
  Deno.test(name, () => {
    assertEquals(rows.map(([input]): Row => [input, outline(input)]), rows);
  });
}

/**
 * The tokens of a text: `start a b='1' | text x | end a`, and `! Message (line:column)` where an
 * error ends them.
 */
export function outlineTokens(source: string): string {
  const parts: string[] = [];
  return withError(parts, () => {
    for (const token of tokenize(normalizeLineEnds(source), XML_LIMITS)) {
      parts.push(outlineToken(token));
    }
  });
}

/** The tree of a document, or its error: `start {ns}a {ns}b='1' | text x | end`. */
export function outlineDocument(source: string): string {
  const parts: string[] = [];
  return withError(parts, () => outlineElement(parseXml(source).root, parts));
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  [" ", " "],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Characters that a reader of a table could not see, or not tell apart, as escapes. */
function visible(text: string): string {
  return text.replace(
    /[\p{C}\p{Z}]/gu,
    (character) =>
      ESCAPES.get(character) ?? `\\u{${character.codePointAt(0)!.toString(16).toUpperCase()}}`,
  );
}

function withError(parts: string[], read: () => void): string {
  try {
    read();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    parts.push(`! ${error.message} (${error.line}:${error.column})`);
  }
  return parts.join(" | ");
}

function outlineToken(token: Token): string {
  switch (token.kind) {
    case "start-tag": {
      const attributes = token.attributes.map(({ name, value }) => ` ${name}='${visible(value)}'`);
      return `${token.empty ? "empty" : "start"} ${token.name}${attributes.join("")}`;
    }
    case "end-tag":
      return `end ${token.name}`;
    case "text":
      return `${token.blank ? "blank" : "text"} ${visible(token.value)}`;
    case "cdata":
      return `cdata ${visible(token.value)}`;
    case "comment":
    case "pi":
      return token.kind;
  }
}

function outlineElement(element: XmlElement, parts: string[]): void {
  const attributes = element.attributes.map((attribute) =>
    ` ${expandedName(attribute)}='${visible(attribute.value)}'`
  );
  parts.push(`start ${expandedName(element)}${attributes.join("")}`);
  for (const child of element.children) {
    if (isElement(child)) outlineElement(child, parts);
    else parts.push(`text ${visible(child.text)}`);
  }
  parts.push("end");
}

function expandedName(
  node: { readonly namespaceName: string; readonly localName: string },
): string {
  return node.namespaceName === "" ? node.localName : `{${node.namespaceName}}${node.localName}`;
}
