/**
 * A look at what a store sends before the client of Redis reads it. The client makes an array of
 * the length that is announced and keeps a text until it is complete: a few bytes from a store could
 * take all memory.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** Bytes that may come without a reply; no command of this program has as long a one. */
const MAX_REPLY_BYTES = 1_048_576;

/**
 * A type of RESP and a length: 100 elements or 100,000 bytes and more, which nothing of ours has. It
 * is looked for wherever it stands, in texts too: where one ends, the client takes the next two bytes
 * for its line end without a look at them, so that a line need not begin where lines do.
 * https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
export const LARGE = /[*%~>|][0-9]{3}|[$=!][0-9]{6}/;

/** The same for what a Cluster says of its slots: up to 9,999 ranges of them. */
export const LARGER = /[*%~>|][0-9]{5}|[$=!][0-9]{6}/;

/** Bytes in which such a type and length fit. */
const LARGE_BYTES = 7;

/** Watches one connection. */
export class ReplyWatch {
  readonly #large: RegExp;
  #unreadBytes = 0;
  #tail = "";

  /**
   * Watches for types with a length that no reply has.
   *
   * @param large Matches them.
   */
  constructor(large: RegExp = LARGE) {
    this.#large = large;
  }

  /** Whether what arrives is more than a reply to this program can be. */
  isTooLarge(chunk: Uint8Array): boolean {
    const text = this.#tail + Buffer.from(chunk).toString("latin1");
    this.#tail = text.slice(1 - LARGE_BYTES);
    this.#unreadBytes += chunk.length;
    return this.#unreadBytes > MAX_REPLY_BYTES || this.#large.test(text);
  }

  /** A reply was read. */
  reset(): void {
    this.#unreadBytes = 0;
  }
}
