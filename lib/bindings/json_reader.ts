/**
 * Reader of one JSON object, as lenient as ASP.NET's JavaScriptSerializer with the callers of .asmx
 * services: names bare or in either quotes, strings in either quotes, numbers kept as written.
 * Nested values are checked and skipped. Time is linear in the text; nesting uses no recursion.
 *
 * `JSON.parse` is not used: it puts names into hash tables, and callers could send many that
 * collide.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";
import { placeAfter } from "../system/foreign_text.ts";
import { emptyBody } from "./faults.ts";

/** Deepest nesting of a member's value. */
export const MAX_JSON_DEPTH = 64;

/** A member of the object. */
export interface JsonMember {
  /** Name, unescaped. */
  readonly name: string;
  /** Text or number; undefined for an object or array. */
  readonly value: string | boolean | null | undefined;
  /** Offset of the name, in UTF-16 units. */
  readonly nameOffset: number;
  /** Offset of the value, in UTF-16 units. */
  readonly valueOffset: number;
  /** Names of the members inside of an object or array, at any depth. */
  readonly nestedNames: readonly string[];
}

/**
 * Reads an object.
 *
 * @throws {Fault} When the text is not an object, or is followed by more text.
 */
export function readJsonObject(text: string): readonly JsonMember[] {
  return new Reader(text).object();
}

/**
 * Makes the fault for an error at an offset of the text; the message comes without its full stop.
 */
export function faultAt(
  code: "unreadable" | "invalid",
  message: string,
  text: string,
  offset: number,
): Fault {
  const { line, column } = placeAfter(text.slice(0, offset));
  return new Fault(code, `${message} (line ${line}, column ${column}).`);
}

// White space (RFC 8259 §2).
const SPACE = /[ \t\r\n]*/y;
// A bare name, a number, or a word.
const BARE = /[\p{L}\p{Nd}_$.+-]+/uy;
// Numbers of RFC 8259 §6, and those with leading zeros, which pins have.
const NUMBER = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[Ee][-+]?[0-9]+)?$/;
// Characters of a string up to its end, an escape, or an error.
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
  #nestedNames: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  object(): readonly JsonMember[] {
    this.#space();
    if (this.#at === this.#text.length) {
      throw emptyBody("a JSON object");
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
    this.#nestedNames = [];
    const value = this.#value();
    return { name, value, nameOffset, valueOffset, nestedNames: this.#nestedNames };
  }

  // Reads a name and its colon.
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

  // Skips an object or array, with a list of the open brackets.
  #pass(): void {
    const open: string[] = [];
    do {
      const end = this.#skip("{") ? "}" : this.#skip("[") ? "]" : undefined;
      if (end !== undefined) {
        if (open.push(end) > MAX_JSON_DEPTH) {
          throw this.#fail(`A value is nested more than ${MAX_JSON_DEPTH} deep`);
        }
        if (!this.#skip(end)) {
          if (end === "}") this.#nestedNames.push(this.#name());
          continue;
        }
        open.pop();
      } else if (this.#scalar() === undefined) throw this.#fail("A value was expected");
      while (open.length > 0 && !this.#goesOn(open.at(-1)!)) open.pop();
      if (open.at(-1) === "}") this.#nestedNames.push(this.#name());
    } while (open.length > 0);
  }

  // Moves behind a value: returns true at a comma, false at the end of the object or array.
  #goesOn(end: string): boolean {
    this.#space();
    if (this.#skip(end)) return false;
    if (!this.#skip(",")) throw this.#fail("A comma or the end of an object or array was expected");
    return true;
  }

  // Reads a quoted string; undefined when no string begins here.
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

  // Matches an expression here and moves past it. Returns undefined without a match, or with an
  // empty one.
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

  // Skips a token and the white space behind it.
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
