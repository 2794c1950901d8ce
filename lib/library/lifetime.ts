/**
 * Lifetime of a service in this process: its calls in flight, and its end.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";

/** Longest wait for the calls in flight, in milliseconds. */
export const LONGEST_CLOSE_MS = 10_000;

/** Lifetime of a service. */
export class Lifetime {
  readonly #release: () => void;
  #inFlight = 0;
  #onIdle = (): void => {};
  #closing: Promise<void> | undefined;

  /**
   * Begins a lifetime.
   *
   * @param release Gives up what the calls need, when they have ended or have taken too long.
   */
  constructor(release: () => void) {
    this.#release = release;
  }

  /** Whether it has ended for new calls. */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Checks that new calls are taken.
   *
   * @throws {Fault} When they are not.
   */
  check(): void {
    if (this.isClosed) throw new Fault("closed", "The service is closed.");
  }

  /** Counts a call as in flight until it ends, if it began before `close`. */
  async during<T>(call: Promise<T>): Promise<T> {
    if (this.isClosed) return await call;
    this.#inFlight++;
    try {
      return await call;
    } finally {
      this.#inFlight--;
      if (this.#inFlight === 0) this.#onIdle();
    }
  }

  /** Takes no new calls, waits for those in flight, and releases what they need; once. */
  close(): Promise<void> {
    return this.#closing ??= this.#end();
  }

  async #end(): Promise<void> {
    if (this.#inFlight > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LONGEST_CLOSE_MS);
        this.#onIdle = (): void => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#release();
    // A turn, so that the callers have their results and have written their replies.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
