/**
 * Limits for bodies: the number of long ones read at once, so that stalled uploads cannot exhaust
 * memory, and the time for each.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";
import { MemoryWatch } from "../system/memory_watch.ts";
import { Timeouts } from "../system/timeouts.ts";

/** Limit of long bodies read at once. */
export const MAX_LONG_BODIES = 256;

/** Timeout of a body, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;

const TOO_MUCH_MEMORY = "The bodies that are being read take too much memory.";

/** Limit for concurrent long bodies, and timeout of every body. */
export class BodyLimit {
  #long = 0;
  readonly #timeouts: Timeouts;
  readonly #memory = new MemoryWatch(() => new Fault("busy", TOO_MUCH_MEMORY));

  /** Makes a limit with the given timeout for each body. */
  constructor(timeoutMs: number = BODY_TIMEOUT_MS) {
    const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`;
    this.#timeouts = new Timeouts(timeoutMs, () => new Fault("timeout", message));
  }

  /**
   * Reads a short body. It takes little memory however slowly it arrives, so it is never refused
   * because of other bodies.
   *
   * @throws {Fault} When it does not arrive in time.
   */
  readShort<T>(read: () => Promise<T>): Promise<T> {
    return this.#timeouts.within(read);
  }

  /**
   * Reads a long body.
   *
   * @param isCounted Whether its length is declared. For another, Deno 2.9.6 keeps all trailer fields
   * in memory, without a limit.
   * @throws {Fault} When it does not arrive in time or takes too much memory, or too many are being
   * read.
   */
  async readLong<T>(read: () => Promise<T>, isCounted: boolean): Promise<T> {
    if (this.#long >= MAX_LONG_BODIES) {
      throw new Fault("busy", `No more than ${MAX_LONG_BODIES} long bodies are read at once.`);
    }
    this.#long++;
    try {
      const watched = isCounted ? read : () => this.#memory.within(read);
      return await this.#timeouts.within(watched);
    } finally {
      this.#long--;
    }
  }
}
