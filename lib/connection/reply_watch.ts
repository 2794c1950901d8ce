/**
 * A look at what a store sends before the client of Redis reads it. The client takes every byte for a
 * digit, so that a length can be below zero and send it back to what it has read, without end. It
 * makes an array of the length that is announced, and keeps a text until it is complete. A few bytes
 * from a store could stop this process, or take all memory.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** Bytes of a reply, announced ones too; no command of this program has as long a one. */
const MAX_REPLY_BYTES = 1_048_576;

/**
 * Bytes of a line, which is read again with each piece of it that arrives; no error of a store is as
 * long.
 */
const MAX_LINE_BYTES = 4_096;

/** Bytes of the shortest element of an array, `+` and the end of its line. */
const ELEMENT_BYTES = 3;

/** Bytes of the end of a line. */
const END_BYTES = 2;

const LINE_FEED = 0x0a;

/**
 * A line of RESP 2, or the beginning of one, with the length of a text or of an array. There is no
 * other type where RESP 3 was not asked for.
 * https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
const LINE =
  /^(?:[+-][^\r\n]*|:-?[0-9]*|[$*]-(?!\r)1?|\$(?<text>[0-9]*)|\*(?<array>[0-9]*))(?:\r\n?)?$/;

/** Watches one connection. */
export class ReplyWatch {
  #line = "";
  /** Bytes still to come of a text and of the end of its line, which are not looked at. */
  #textBytes = 0;
  #replyBytes = 0;

  /** Whether what arrives can be no reply to this program. */
  isNone(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.length;) {
      const passed = Math.min(this.#textBytes, chunk.length - at);
      this.#textBytes -= passed;
      at += passed;
      if (at === chunk.length) break;
      const end = chunk.indexOf(LINE_FEED, at) + 1 || chunk.length;
      this.#line += Buffer.from(chunk.subarray(at, end)).toString("latin1");
      at = end;
      if (!this.#readLine()) return true;
    }
    return false;
  }

  /** A reply was read. */
  reset(): void {
    this.#replyBytes = 0;
  }

  #readLine(): boolean {
    const groups = this.#line.length > MAX_LINE_BYTES ? undefined : LINE.exec(this.#line)?.groups;
    if (groups === undefined) return false;
    const textBytes = groups.text === undefined ? 0 : Number(groups.text) + END_BYTES;
    const announcedBytes = textBytes + ELEMENT_BYTES * Number(groups.array ?? 0);
    const replyBytes = this.#replyBytes + this.#line.length + announcedBytes;
    if (replyBytes > MAX_REPLY_BYTES) return false;
    if (this.#line.endsWith("\n")) {
      this.#replyBytes = replyBytes;
      this.#textBytes = textBytes;
      this.#line = "";
    }
    return true;
  }
}
