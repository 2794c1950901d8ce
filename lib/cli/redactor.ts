/**
 * Texts of a server, made harmless to read and to paste into a shell.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import { printable } from "../system/foreign_text.ts";

/** Length of a piece of a sent secret that is not shown, in characters. */
const PIECE = 8;

/** Limit of a text for a line, before it is cut to the length of one, in characters. */
const MAX_CHARACTERS = 10_000;

/** Maker of texts without the secrets that were sent, for one platform's shell. */
export class Redactor {
  readonly #pieces: ReadonlySet<string>;
  readonly #isWindows: boolean;

  /**
   * Makes a redactor.
   *
   * @param secrets Secrets that were sent: an API key, a secret that was typed.
   */
  constructor(secrets: readonly string[], platform: string = process.platform) {
    this.#isWindows = platform === "win32";
    const pieces = secrets.flatMap((secret) => {
      // Base64 of three alignments: other bytes may stand before the secret.
      const encoded = [0, 1, 2].map((skip) =>
        Buffer.from(secret).subarray(skip).toString("base64")
      );
      return [secret, ...encoded];
    }).map((text) => folded(text.replace(/=+$/, "")))
      .flatMap((text) => Array.from(text, (_, i) => text.slice(i, i + PIECE)));
    this.#pieces = new Set(pieces.filter(({ length }) => length === PIECE));
  }

  /** Returns a text for a line, in quotes where a shell would read more than words into it. */
  text(foreign: string): string {
    const text = printable(this.#withoutKeys(foreign.slice(0, MAX_CHARACTERS)));
    return /^[\w ,./:-]*$/.test(text) ? text : this.#quoted(text);
  }

  /** Writes an option with its value as on a command line; without it where that is not harmless. */
  setting(flag: string, value: string): string {
    // cmd.exe has no quotes for these.
    const isForShell = /^[!-~]+$/.test(value) && !(this.#isWindows && /["%&<>^|]/.test(value));
    const isWhole = printable(this.#withoutKeys(value)) === value;
    return isForShell && isWhole
      ? `${flag} ${/^[\w./:-]+$/.test(value) ? value : this.#quoted(value)}`
      : flag;
  }

  /** Returns a text of any length with an ellipsis in place of each secret and its pieces. */
  withoutSecrets(foreign: string): string {
    // A percent-encoded character counts as the character.
    const tokens = foreign.match(/%[\dA-F]{2}|[^]/gi) ?? [];
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
      .replace(/\uFFFC+/g, "…");
  }

  #withoutKeys(foreign: string): string {
    return this.withoutSecrets(foreign).replace(/[A-Z2-7]{16,}/g, "…");
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
