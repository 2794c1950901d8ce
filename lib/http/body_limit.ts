/**
 * A limit for bodies that are read at once, so that stalled uploads cannot exhaust memory, and the
 * time that each may take.
 *
 * @module
 */

import { Deadlines } from "../guard/deadlines.ts";
import { Fault } from "../operations/fault.ts";

/** Long bodies that are read at once. */
export const MAX_LONG_BODIES = 256;

/** How long a body may take to arrive, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;

/** Limit for the long bodies that are read at once, and for the time of every body. */
export class BodyLimit {
  #long = 0;
  readonly #deadlines: Deadlines;

  /** A limit before the first body; each may take so many milliseconds. */
  constructor(timeoutMs: number = BODY_TIMEOUT_MS) {
    const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`;
    this.#deadlines = new Deadlines(timeoutMs, () => new Fault("timeout", message));
  }

  /**
   * Reads a body that takes little memory, however long it takes to arrive: it is never refused for
   * others.
   *
   * @throws {Fault} When it does not arrive in time.
   */
  readShort<T>(read: () => Promise<T>): Promise<T> {
    return this.#deadlines.within(read);
  }

  /**
   * Reads any other body.
   *
   * @throws {Fault} When it does not arrive in time, or too many are being read.
   */
  async readLong<T>(read: () => Promise<T>): Promise<T> {
    if (this.#long >= MAX_LONG_BODIES) {
      throw new Fault("busy", `No more than ${MAX_LONG_BODIES} long bodies are read at once.`);
    }
    this.#long++;
    try {
      return await this.#deadlines.within(read);
    } finally {
      this.#long--;
    }
  }
}
