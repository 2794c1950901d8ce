/**
 * A position in a text, and what may be asked of the text there. Nothing in this file knows what an
 * element is; nothing outside it counts characters.
 *
 * @module
 */

/**
 * The text is not XML as this service reads it: not well-formed, a construct that is refused, or a
 * limit passed. The message never repeats any of the text.
 */
export class XmlError extends SyntaxError {
  /** The line of the error, from 1; lines end as XML 1.0 §2.11 says. */
  readonly line: number;
  /** The column of the error in characters, not UTF-16 units, from 1. */
  readonly column: number;

  /**
   * Makes an error that points to a place.
   *
   * @param message What is wrong, one sentence without a full stop.
   * @param text The text that was read, its line ends normalised.
   * @param offset Where in it, in UTF-16 units from 0. Line and column are only counted here.
   */
  constructor(message: string, text: string, offset: number) {
    super(message);
    this.name = "XmlError";
    const before = text.slice(0, offset);
    const lineStart = before.lastIndexOf("\n") + 1;
    this.line = before.split("\n").length;
    this.column = [...before.slice(lineStart)].length + 1;
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
// Two expressions, because almost no text has a surrogate and the first one is much faster.
const NO_CHAR = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/;
const NO_CHAR_ASTRAL = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/**
 * Where the first character stands that XML forbids (production [2] Char), a lone surrogate
 * included.
 *
 * @returns An offset in UTF-16 units, or -1 when every character is allowed.
 */
export function findForbiddenCharacter(text: string): number {
  return NO_CHAR.test(text) ? text.search(NO_CHAR_ASTRAL) : -1;
}

/** Whether a name has no colon and so can be a prefix or a local name (Namespaces 1.0 [4] NCName). */
export function isNcName(name: string): boolean {
  return !name.includes(":") && NC_NAME.test(name);
}

// [3] S, without the carriage return that normalised line ends do not have.
function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a;
}

/** Reads a text from its beginning to its end. Every method either moves forward or throws. */
export class Cursor {
  /** The next character to read: an offset in UTF-16 units. */
  offset = 0;
  readonly #text: string;
  readonly #maxNameLength: number;

  /**
   * Begins at the first character.
   *
   * @param text The whole text, its line ends normalised to U+000A.
   * @param maxNameLength The longest name allowed, in characters.
   */
  constructor(text: string, maxNameLength: number) {
    this.#text = text;
    this.#maxNameLength = maxNameLength;
  }

  /** Whether nothing is left. */
  get atEnd(): boolean {
    return this.offset >= this.#text.length;
  }

  /** Whether the text goes on with a literal. */
  sees(literal: string): boolean {
    return this.#text.startsWith(literal, this.offset);
  }

  /** Passes a literal if the text goes on with it, and tells whether it did. */
  skip(literal: string): boolean {
    const found = this.sees(literal);
    if (found) this.offset += literal.length;
    return found;
  }

  /**
   * Passes a literal that must stand here.
   *
   * @throws {XmlError} With the message, when it does not.
   */
  expect(literal: string, message: string): void {
    if (!this.skip(literal)) this.fail(message);
  }

  /** Passes white space (production [3] S), and tells whether there was any. */
  skipSpace(): boolean {
    const from = this.offset;
    while (isSpace(this.#text.charCodeAt(this.offset))) this.offset++;
    return this.offset > from;
  }

  /**
   * Reads a name (production [5] Name).
   *
   * @throws {XmlError} When no name stands here, or a longer one than allowed.
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
   * Reads up to a delimiter and passes that too.
   *
   * @returns What stands before the delimiter.
   * @throws {XmlError} With the message, when the delimiter does not come.
   */
  until(delimiter: string, message: string): string {
    const end = this.#text.indexOf(delimiter, this.offset);
    if (end < 0) this.fail(message);
    const before = this.#text.slice(this.offset, end);
    this.offset = end + delimiter.length;
    return before;
  }

  /**
   * Reads up to a character, which is left to be read, or up to the end.
   *
   * @returns What stands before it.
   */
  before(character: string): string {
    const end = this.#text.indexOf(character, this.offset);
    const read = this.#text.slice(this.offset, end < 0 ? undefined : end);
    this.offset += read.length;
    return read;
  }

  /** Throws an error that points to an offset: where the cursor stands, unless another is given. */
  fail(message: string, offset: number = this.offset): never {
    throw new XmlError(message, this.#text, offset);
  }
}
