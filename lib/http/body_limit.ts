/**
 * A limit for bodies that are read at once, so that stalled uploads cannot exhaust memory, and the
 * time that each may take.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";

/** Long bodies that are read at once. */
export const MAX_LONG_BODIES = 256;

/** A body. */
export interface Body<T> {
  /** Reads it. */
  readonly read: () => Promise<T>;
  /** Whether it takes little memory, however long it takes to arrive. */
  readonly isShort: boolean;
  /** The time it may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
}

/** Counts long bodies. */
export class BodyLimit {
  #long = 0;

  /**
   * Reads a body. A short one is never refused for others.
   *
   * @throws {Fault} When it does not arrive in time, or too many long ones are being read.
   */
  async read<T>({ read, isShort, timeoutMs }: Body<T>): Promise<T> {
    if (isShort) return await inTime(read(), timeoutMs);
    if (this.#long >= MAX_LONG_BODIES) {
      throw new Fault("busy", `No more than ${MAX_LONG_BODIES} long bodies are read at once.`);
    }
    this.#long++;
    try {
      return await inTime(read(), timeoutMs);
    } finally {
      this.#long--;
    }
  }
}

// After a pause of the process a late timer goes off before what came meanwhile is read. So there are
// two in a row: the pause uses up only the first.
const SECOND_PART = 0.1;

async function inTime<T>(body: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const end = (): void =>
    reject(
      new Fault("timeout", `The body did not arrive within ${timeoutMs / 1000} seconds.`),
    );
  const secondMs = timeoutMs * SECOND_PART;
  let timer = setTimeout(() => timer = setTimeout(end, secondMs), timeoutMs - secondMs);
  try {
    return await Promise.race([body, late]);
  } finally {
    clearTimeout(timer);
  }
}
