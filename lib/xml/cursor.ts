/**
 * Cursor in a text. All counting of characters is here; elements are left to the other modules.
 *
 * @module
 */

import { placeAfter } from "../system/foreign_text.ts";

/**
 * Text that is not XML as this service reads it: not well-formed, with a refused construct, or past
 * a limit. The message repeats no part of the text.
 */
export class XmlError extends SyntaxError {
  /** Line of the error, from 1, with line ends as in XML 1.0 §2.11. */
  readonly line: number;
  /** Column of the error in characters, not UTF-16 units, from 1. */
  readonly column: number;

  /**
   * Makes an error at a place in the text.
   *
   * @param message Description, one sentence without a full stop.
   * @param text Text that was read, with normalised line ends.
   * @param offset Place in it, in UTF-16 units from 0. Line and column are only counted here.
   */
  constructor(message: string, text: string, offset: number) {
    super(message);
    this.name = "XmlError";
    const { line, column } = placeAfter(text.slice(0, offset));
    this.line = line;
    this.column = column;
  }
}

// XML 1.0 (fifth edition), productions [4] and [4a].
const NAME_START_CHAR =
  ":A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF" +
  "\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD" +
  "\\u{10000}-\\u{EFFFF}";
const NAME_CHAR = `${NAME_START_CHAR}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040`;

const NAME = new RegExp(`[${NAME_START_CHAR}][${NAME_CHAR}]*`, "uy");
const NC_NAME = new RegExp(`^(?!:)[${NAME_START_CHAR}][${NAME_CHAR}]*$`, "u");

// [2] Char ::= #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]
// Two expressions: almost no text has a surrogate, and the first one is much faster.
const NO_CHAR = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/;
const NO_CHAR_ASTRAL = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/**
 * Finds the first character that XML forbids (production [2] Char); lone surrogates are among them.
 *
 * @returns Offset in UTF-16 units, or -1 when every character is allowed.
 */
export function findForbiddenCharacter(text: string): number {
  return NO_CHAR.test(text) ? text.search(NO_CHAR_ASTRAL) : -1;
}

/**
 * Whether a name has no colon, and so can be a prefix or local name (Namespaces 1.0 [4] NCName).
 */
export function isNcName(name: string): boolean {
  return !name.includes(":") && NC_NAME.test(name);
}

// Whether a UTF-16 unit is white space: production [3] S without the carriage return, which
// normalised text does not have.
function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a;
}

/** Reader of a text from start to end; every method moves forward or throws. */
export class Cursor {
  /** Offset of the next character, in UTF-16 units. */
  offset = 0;
  readonly #text: string;
  readonly #maxNameLength: number;

  /**
   * Makes a cursor at the first character.
   *
   * @param text Whole text, with line ends normalised to U+000A.
   * @param maxNameLength Longest name allowed, in characters.
   */
  constructor(text: string, maxNameLength: number) {
    this.#text = text;
    this.#maxNameLength = maxNameLength;
  }

  /** Whether the text is read to its end. */
  get atEnd(): boolean {
    return this.offset >= this.#text.length;
  }

  /** Whether a literal comes next. */
  sees(literal: string): boolean {
    return this.#text.startsWith(literal, this.offset);
  }

  /** Skips a literal if it comes next, and returns whether it did. */
  skip(literal: string): boolean {
    const found = this.sees(literal);
    if (found) this.offset += literal.length;
    return found;
  }

  /**
   * Skips a literal that must come next.
   *
   * @throws {XmlError} With the message, when it does not.
   */
  expect(literal: string, message: string): void {
    if (!this.skip(literal)) this.fail(message);
  }

  /** Skips white space (production [3] S), and returns whether there was any. */
  skipSpace(): boolean {
    const from = this.offset;
    while (isSpace(this.#text.charCodeAt(this.offset))) this.offset++;
    return this.offset > from;
  }

  /**
   * Reads a name (production [5] Name).
   *
   * @throws {XmlError} When no name comes next, or a longer one than allowed.
   */
  name(): string {
    NAME.lastIndex = this.offset;
    if (!NAME.test(this.#text)) this.fail("A name was expected");
    const name = this.#text.slice(this.offset, NAME.lastIndex);
    if (name.length > this.#maxNameLength && [...name].length > this.#maxNameLength) {
      this.fail(`A name is longer than ${this.#maxNameLength} characters`);
    }
    this.offset = NAME.lastIndex;
    return name;
  }

  /**
   * Reads up to a delimiter, and skips the delimiter.
   *
   * @returns Text before the delimiter.
   * @throws {XmlError} With the message, when the delimiter is missing.
   */
  until(delimiter: string, message: string): string {
    const end = this.#text.indexOf(delimiter, this.offset);
    if (end < 0) this.fail(message);
    const before = this.#text.slice(this.offset, end);
    this.offset = end + delimiter.length;
    return before;
  }

  /**
   * Reads up to a character, without it, or to the end.
   *
   * @returns Text before the character.
   */
  before(character: string): string {
    const end = this.#text.indexOf(character, this.offset);
    const read = this.#text.slice(this.offset, end < 0 ? undefined : end);
    this.offset += read.length;
    return read;
  }

  /** Throws an error at an offset; by default, at the cursor. */
  fail(message: string, offset: number = this.offset): never {
    throw new XmlError(message, this.#text, offset);
  }
}
