/**
 * Tokenizer of XML 1.0 (fifth edition), one function for each production of the grammar, with the
 * production in the comment above it.
 *
 * Accepted: all of XML but the document type declaration and a version other than 1.0, which §2.8 has
 * read as 1.0; and of entities only the five predefined ones and character references. Checked here:
 * all that one token shows by itself. Checked in `tree.ts`: nesting, one root element, and Namespaces
 * in XML 1.0.
 *
 * Each token is a slice of the one text, which engines keep as offset and length, so time and
 * memory are linear in the text.
 *
 * @module
 */

import { Cursor, findForbiddenCharacter } from "./cursor.ts";

/** Limits of a document. */
export interface XmlLimits {
  /** Nested elements. */
  readonly depth: number;
  /** Elements in the document. */
  readonly elements: number;
  /** Attributes on one element, with namespace declarations. */
  readonly attributes: number;
  /** Prefixes bound at any one place, with the default namespace. */
  readonly namespaces: number;
  /** Characters in a name, with prefix and colon. */
  readonly nameLength: number;
  /** UTF-16 units in a namespace name. */
  readonly namespaceNameLength: number;
}

/** An attribute in a start-tag. */
export interface AttributeToken {
  /** Name with prefix. */
  readonly name: string;
  /** Value, with references resolved and white space normalised (§3.3.3, type CDATA). */
  readonly value: string;
  /** Offset of the name. */
  readonly offset: number;
}

/**
 * A token.
 *
 * ```text
 * <p:a b="c">  x &amp; y  <![CDATA[ z ]]>  </p:a>  <!-- … -->  <?target …?>
 * start-tag    text       cdata            end-tag  comment    pi
 * ```
 *
 * `offset` is the start of the token, in UTF-16 units.
 */
export type Token =
  | {
    readonly kind: "start-tag";
    readonly offset: number;
    readonly name: string;
    readonly attributes: readonly AttributeToken[];
    /** Whether it is an empty-element tag, `<a/>`. */
    readonly empty: boolean;
  }
  | { readonly kind: "end-tag"; readonly offset: number; readonly name: string }
  | {
    readonly kind: "text";
    readonly offset: number;
    /** Text with references resolved. */
    readonly value: string;
    /** Whether it is only white space, without references. */
    readonly blank: boolean;
  }
  | { readonly kind: "cdata"; readonly offset: number; readonly value: string }
  | { readonly kind: "comment"; readonly offset: number }
  | { readonly kind: "pi"; readonly offset: number };

const PREDEFINED_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["apos", "'"],
  ["quot", '"'],
]);

/**
 * Normalises the line ends of a text (XML 1.0 §2.11).
 *
 * @returns The text for `tokenize`; all offsets of tokens refer to it.
 */
export function normalizeLineEnds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/**
 * Splits a document into tokens. The XML declaration, if any, is checked and skipped.
 *
 * @param text Document without a byte order mark, with normalised line ends.
 * @throws {XmlError} At the first place that is not well-formed, refused, or past a limit.
 */
export function* tokenize(text: string, limits: XmlLimits): Generator<Token, void, void> {
  const cursor = new Cursor(text, limits.nameLength);
  const forbidden = findForbiddenCharacter(text);
  if (forbidden >= 0) cursor.fail("A character stands here that XML forbids", forbidden);
  // A longer name, such as xml-stylesheet, is a processing instruction.
  if (cursor.skip("<?") && cursor.name() === "xml") xmlDeclaration(cursor);
  else cursor.offset = 0;
  while (!cursor.atEnd) yield token(cursor, limits);
}

// [43] content ::= CharData? ((element | Reference | CDSect | PI | Comment) CharData?)*
function token(cursor: Cursor, limits: XmlLimits): Token {
  const { offset } = cursor;
  if (!cursor.sees("<")) return characterData(cursor, offset);
  if (cursor.skip("</")) return endTag(cursor, offset);
  if (cursor.skip("<?")) return processingInstruction(cursor, offset);
  if (!cursor.sees("<!") && cursor.skip("<")) return startTag(cursor, offset, limits);
  if (cursor.skip("<!--")) return comment(cursor, offset);
  if (cursor.skip("<![CDATA[")) return cdataSection(cursor, offset);
  if (cursor.sees("<!DOCTYPE")) cursor.fail("A document type declaration is not accepted");
  cursor.fail("A markup declaration is not allowed here");
}

// [23] XMLDecl ::= '<?xml' VersionInfo EncodingDecl? SDDecl? S? '?>'; '<?xml' is already read
function xmlDeclaration(cursor: Cursor): void {
  if (declared(cursor, "version") !== "1.0") {
    cursor.fail('The XML declaration must begin with version="1.0"');
  }
  // Ignore the encoding: the text is decoded already (WS-I Basic Profile R1019).
  // [81] EncName ::= [A-Za-z] ([A-Za-z0-9._] | '-')*
  if (!/^[A-Za-z][A-Za-z0-9._-]*$/.test(declared(cursor, "encoding") ?? "utf-8")) {
    cursor.fail("The XML declaration holds no name of an encoding");
  }
  const standalone = declared(cursor, "standalone") ?? "no";
  if (standalone !== "yes" && standalone !== "no") {
    cursor.fail("The standalone document declaration must be yes or no");
  }
  cursor.skipSpace();
  cursor.expect("?>", "The XML declaration is not well-formed");
}

// [24] VersionInfo ::= S 'version' Eq ("'" VersionNum "'" | '"' VersionNum '"'), [32], [80] alike
function declared(cursor: Cursor, name: string): string | undefined {
  const before = cursor.offset;
  if (!cursor.skipSpace() || !cursor.skip(name)) {
    cursor.offset = before;
    return undefined;
  }
  equalsSign(cursor);
  return quoted(cursor);
}

// [25] Eq ::= S? '=' S?
function equalsSign(cursor: Cursor): void {
  cursor.skipSpace();
  cursor.expect("=", "An equals sign was expected");
  cursor.skipSpace();
}

function quoted(cursor: Cursor): string {
  const quote = cursor.skip('"') ? '"' : cursor.skip("'") ? "'" : undefined;
  if (quote === undefined) cursor.fail("A value in quotes was expected");
  return cursor.until(quote, "A value in quotes is not closed");
}

// In functions that start a token, the opening literal is already read.

// [40] STag ::= '<' Name (S Attribute)* S? '>'      [44] EmptyElemTag ::= … '/>'
function startTag(cursor: Cursor, offset: number, limits: XmlLimits): Token {
  const name = cursor.name();
  const attributes: AttributeToken[] = [];
  for (;;) {
    const spaced = cursor.skipSpace();
    const empty = cursor.skip("/>");
    if (empty || cursor.skip(">")) return { kind: "start-tag", offset, name, attributes, empty };
    if (cursor.atEnd) cursor.fail("A start-tag is not closed");
    if (!spaced) cursor.fail("White space was expected before an attribute");
    if (attributes.length === limits.attributes) {
      cursor.fail(`An element has more than ${limits.attributes} attributes`);
    }
    const next = attribute(cursor);
    if (attributes.some(({ name }) => name === next.name)) {
      cursor.fail("An attribute stands twice on an element", next.offset);
    }
    attributes.push(next);
  }
}

// [41] Attribute ::= Name Eq AttValue
// [10] AttValue ::= '"' ([^<&"] | Reference)* '"' | "'" ([^<&'] | Reference)* "'"
function attribute(cursor: Cursor): AttributeToken {
  const offset = cursor.offset;
  const name = cursor.name();
  equalsSign(cursor);
  const valueOffset = cursor.offset + 1;
  const raw = quoted(cursor);
  const lessThan = raw.indexOf("<");
  if (lessThan >= 0) {
    cursor.fail("A less-than sign stands in an attribute value", valueOffset + lessThan);
  }
  // §3.3.3: literal white space becomes blanks; white space written as a reference stays.
  const value = resolveReferences(cursor, raw.replace(/[\t\n]/g, " "), valueOffset);
  return { name, value, offset };
}

// [42] ETag ::= '</' Name S? '>'
function endTag(cursor: Cursor, offset: number): Token {
  const name = cursor.name();
  cursor.skipSpace();
  cursor.expect(">", "An end-tag is not closed");
  return { kind: "end-tag", offset, name };
}

// [14] CharData ::= [^<&]* - ([^<&]* ']]>' [^<&]*), with the references between two of them
function characterData(cursor: Cursor, offset: number): Token {
  const raw = cursor.before("<");
  // Search the slice: a search of the whole text from here would make the sum quadratic.
  const sectionEnd = raw.indexOf("]]>");
  if (sectionEnd >= 0) cursor.fail("A section end stands in character data", offset + sectionEnd);
  const blank = !/[^ \t\n]/.test(raw);
  return { kind: "text", offset, value: resolveReferences(cursor, raw, offset), blank };
}

// [66] CharRef ::= '&#' [0-9]+ ';' | '&#x' [0-9a-fA-F]+ ';'      [68] EntityRef ::= '&' Name ';'
const REFERENCE = /&(?:#([0-9]+)|#x([0-9a-fA-F]+)|(amp|lt|gt|apos|quot));/y;

// [67] Reference ::= EntityRef | CharRef
function resolveReferences(cursor: Cursor, raw: string, offset: number): string {
  let resolved = "";
  let done = 0;
  for (let at = raw.indexOf("&"); at >= 0; at = raw.indexOf("&", done)) {
    REFERENCE.lastIndex = at;
    const match = REFERENCE.exec(raw);
    if (match === null) {
      cursor.fail(
        "An ampersand begins neither a character reference nor a predefined entity",
        offset + at,
      );
    }
    const [, decimal, hexadecimal, entity] = match;
    const character = entity === undefined
      ? characterOf(decimal === undefined ? parseInt(hexadecimal!, 16) : parseInt(decimal, 10))
      : PREDEFINED_ENTITIES.get(entity);
    if (character === undefined) {
      cursor.fail("A character reference names a character that XML forbids", offset + at);
    }
    resolved += raw.slice(done, at) + character;
    done = REFERENCE.lastIndex;
  }
  return done === 0 ? raw : resolved + raw.slice(done);
}

// Returns the character of a reference; undefined unless it matches [2] Char (well-formedness
// constraint "Legal Character").
function characterOf(codePoint: number): string | undefined {
  if (codePoint > 0x10ffff) return undefined;
  const character = String.fromCodePoint(codePoint);
  return findForbiddenCharacter(character) < 0 ? character : undefined;
}

// [18] CDSect ::= '<![CDATA[' (Char* - (Char* ']]>' Char*)) ']]>'
function cdataSection(cursor: Cursor, offset: number): Token {
  return { kind: "cdata", offset, value: cursor.until("]]>", "A CDATA section is not closed") };
}

// [15] Comment ::= '<!--' ((Char - '-') | ('-' (Char - '-')))* '-->'
function comment(cursor: Cursor, offset: number): Token {
  cursor.until("--", "A comment is not closed");
  cursor.expect(">", "Two hyphens stand in a comment");
  return { kind: "comment", offset };
}

// [16] PI ::= '<?' PITarget (S (Char* - (Char* '?>' Char*)))? '?>'
// [17] PITarget ::= Name - (('X' | 'x') ('M' | 'm') ('L' | 'l'))
function processingInstruction(cursor: Cursor, offset: number): Token {
  const target = cursor.name();
  if (target.toLowerCase() === "xml") {
    const message = offset === 0
      ? "The name of an XML declaration must be in lower case"
      : "An XML declaration may only stand at the very beginning";
    cursor.fail(message, offset);
  }
  // Namespaces in XML 1.0 §7: no processing instruction target contains a colon.
  if (target.includes(":")) cursor.fail("A processing instruction target holds a colon", offset);
  if (!cursor.skip("?>")) {
    if (!cursor.skipSpace()) cursor.fail("A processing instruction is not well-formed");
    cursor.until("?>", "A processing instruction is not closed");
  }
  return { kind: "pi", offset };
}
