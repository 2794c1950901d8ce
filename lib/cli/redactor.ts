/**
 * Texts of the other side, made harmless to read and to paste into a shell.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import { printable } from "../system/foreign_text.ts";

/** Length of a piece of the API key that is not shown, in characters. */
const PIECE = 8;

/** Limit of a text that is searched for the key: more than a line shows. */
const MAX_SEARCHED = 10_000;

/** Maker of texts without the API key and setup keys, for one platform's shell. */
export class Redactor {
  readonly #pieces: ReadonlySet<string>;
  readonly #isWindows: boolean;

  /**
   * Makes a redactor.
   *
   * @param key The API key that is sent; undefined for none.
   */
  constructor(key: string | undefined, platform: string = process.platform) {
    this.#isWindows = platform === "win32";
    // Base64 of three alignments: other bytes may stand before the key.
    const encoded = [0, 1, 2].map((skip) =>
      Buffer.from(key ?? "").subarray(skip).toString("base64")
    );
    const pieces = [key ?? "", ...encoded].map((text) => folded(text.replace(/=+$/, "")))
      .flatMap((text) => Array.from(text, (_, i) => text.slice(i, i + PIECE)));
    this.#pieces = new Set(pieces.filter(({ length }) => length === PIECE));
  }

  /** Returns a text for a line, in quotes where a shell would read more than words into it. */
  text(foreign: string): string {
    const text = printable(this.#redacted(foreign));
    return /^[\w ,./:-]*$/.test(text) ? text : this.#quoted(text);
  }

  /** Writes an option with its value as on a command line; without it where that is not harmless. */
  setting(flag: string, value: string): string {
    // cmd.exe has no quotes for these.
    const isForShell = /^[!-~]+$/.test(value) && !(this.#isWindows && /["%&<>^|]/.test(value));
    const isWhole = printable(this.#redacted(value)) === value;
    return isForShell && isWhole
      ? `${flag} ${/^[\w./:-]+$/.test(value) ? value : this.#quoted(value)}`
      : flag;
  }

  #redacted(foreign: string): string {
    // A percent-encoded character counts as the character.
    const tokens = foreign.slice(0, MAX_SEARCHED).match(/%[\dA-F]{2}|[^]/gi) ?? [];
    const plain = folded(
      tokens.map((token) =>
        token.length === 3 ? String.fromCharCode(parseInt(token.slice(1), 16)) : token
      ).join(""),
    );
    const hidden = new Set<number>();
    for (let start = 0; start <= plain.length - PIECE; start++) {
      if (!this.#pieces.has(plain.slice(start, start + PIECE))) continue;
      for (let i = start; i < start + PIECE; i++) hidden.add(i);
    }
    return tokens.map((token, i) => hidden.has(i) ? "\uFFFC" : token).join("")
      .replace(/\uFFFC+|[A-Z2-7]{16,}/g, "…");
  }

  #quoted(text: string): string {
    // PowerShell takes typographic quotes for quotes.
    return this.#isWindows
      ? `'${text.replace(/['\u2018-\u201B]/g, "$&$&")}'`
      : `'${text.replaceAll("'", "'\\''")}'`;
  }
}

// Makes letters of both cases, and of both alphabets of Base64 (RFC 4648), the same.
function folded(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replaceAll("-", "+").replaceAll("_", "/");
}
