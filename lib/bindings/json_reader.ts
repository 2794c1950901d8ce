/**
 * One JSON object with its members, read as ASP.NET's JavaScriptSerializer reads what callers of .asmx
 * services write: names bare or in either quotes, texts in either quotes, numbers as they are written.
 * Values inside of members are checked and passed over. Time is linear in the text; nesting takes no
 * recursion.
 *
 * Not by `JSON.parse`, which puts names into tables: callers could send many of one hash.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";

/** How deep the value of a member may be nested. */
export const MAX_JSON_DEPTH = 64;

/** A member of the object. */
export interface JsonMember {
  /** The name, its escapes resolved. */
  readonly name: string;
  /** The text or number; undefined for an object or array. */
  readonly value: string | boolean | null | undefined;
  /** Where the name begins, in UTF-16 units. */
  readonly nameOffset: number;
  /** Where the value begins, in UTF-16 units. */
  readonly valueOffset: number;
}

/**
 * Reads an object.
 *
 * @throws {Fault} When the text is not an object, or anything stands behind it.
 */
export function readJsonObject(text: string): readonly JsonMember[] {
  return new Reader(text).object();
}

/** The fault for something wrong at a place in the text; the message without its full stop. */
export function faultAt(
  code: "unreadable" | "invalid",
  message: string,
  text: string,
  offset: number,
): Fault {
  const lines = text.slice(0, offset).split(/\r\n?|\n/);
  const column = [...lines.at(-1) ?? ""].length + 1;
  return new Fault(code, `${message} (line ${lines.length}, column ${column}).`);
}

// RFC 8259 §2.
const SPACE = /[ \t\r\n]*/y;
// A name without quotes, a number, or a word.
const BARE = /[\p{L}\p{Nd}_$.+-]+/uy;
// Unlike RFC 8259 §6, with leading zeros: they belong to a pin.
const NUMBER = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[Ee][-+]?[0-9]+)?$/;
// What may stand in a text before its end, an escape, or what is wrong.
const LITERAL = /[ !#-&(-[\]-\uFFFF]*/y;
const ESCAPE = /\\(?:["'\\/bfnrt]|u[0-9A-Fa-f]{4})/y;

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  object(): readonly JsonMember[] {
    this.#space();
    if (this.#at === this.#text.length) {
      throw new Fault("unreadable", "The body is empty; it must be a JSON object.");
    }
    if (!this.#skip("{")) throw this.#fail("The body must be a JSON object with the parameters");
    const members: JsonMember[] = [];
    if (!this.#skip("}")) {
      do members.push(this.#member()); while (this.#goesOn("}"));
    }
    if (this.#at < this.#text.length) throw this.#fail("The body holds more than one JSON object");
    return members;
  }

  #member(): JsonMember {
    const nameOffset = this.#at;
    const name = this.#name();
    const valueOffset = this.#at;
    return { name, value: this.#value(), nameOffset, valueOffset };
  }

  // A name with the colon behind it.
  #name(): string {
    const name = this.#string() ?? this.#match(BARE);
    if (name === undefined) throw this.#fail("The name of a member was expected");
    this.#space();
    if (!this.#skip(":")) throw this.#fail("A colon was expected");
    return name;
  }

  #value(): JsonMember["value"] {
    const scalar = this.#scalar();
    if (scalar === undefined) this.#pass();
    this.#space();
    return scalar;
  }

  #scalar(): string | boolean | null | undefined {
    const text = this.#string();
    if (text !== undefined) return text;
    const start = this.#at;
    const bare = this.#match(BARE);
    if (bare === undefined || NUMBER.test(bare)) return bare;
    const word = WORDS.get(bare);
    if (word !== undefined) return word;
    this.#at = start;
    throw this.#fail("A value is not in quotes, and no number");
  }

  // Passes an object or array. What is open is kept in a list.
  #pass(): void {
    const open: string[] = [];
    do {
      const end = this.#skip("{") ? "}" : this.#skip("[") ? "]" : undefined;
      if (end !== undefined) {
        if (open.push(end) > MAX_JSON_DEPTH) {
          throw this.#fail(`A value is nested more than ${MAX_JSON_DEPTH} deep`);
        }
        if (!this.#skip(end)) {
          if (end === "}") this.#name();
          continue;
        }
        open.pop();
      } else if (this.#scalar() === undefined) throw this.#fail("A value was expected");
      while (open.length > 0 && !this.#goesOn(open.at(-1)!)) open.pop();
      if (open.at(-1) === "}") this.#name();
    } while (open.length > 0);
  }

  // Behind a value: whether a comma follows, or the end of what it stands in.
  #goesOn(end: string): boolean {
    this.#space();
    if (this.#skip(end)) return false;
    if (!this.#skip(",")) throw this.#fail("A comma or the end of an object or array was expected");
    return true;
  }

  // A text in quotes; undefined when none stands here.
  #string(): string | undefined {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return undefined;
    this.#at++;
    const parts: string[] = [];
    for (;;) {
      parts.push(this.#match(LITERAL) ?? "");
      const next = this.#text[this.#at];
      if (next === quote) {
        this.#at++;
        return parts.join("");
      }
      if (next === "\\") parts.push(this.#escape());
      else if (next === '"' || next === "'") {
        parts.push(next);
        this.#at++;
      } else if (next === undefined) throw this.#fail("A text is not closed");
      else throw this.#fail("A text holds a control character that is not escaped");
    }
  }

  #escape(): string {
    const escape = this.#match(ESCAPE);
    if (escape === undefined) throw this.#fail("An escape is not one of JSON");
    const letter = escape[1]!;
    if (letter === "u") return String.fromCharCode(parseInt(escape.slice(2), 16));
    return ESCAPED.get(letter) ?? letter;
  }

  // What an expression finds here, which is passed; undefined when it is nothing.
  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const [found] = expression.exec(this.#text) ?? [];
    if (!found) return undefined;
    this.#at += found.length;
    return found;
  }

  #space(): void {
    this.#match(SPACE);
  }

  // Passes a token and the blanks behind it.
  #skip(token: string): boolean {
    if (this.#text[this.#at] !== token) return false;
    this.#at++;
    this.#space();
    return true;
  }

  #fail(message: string): Fault {
    return faultAt("unreadable", message, this.#text, this.#at);
  }
}
