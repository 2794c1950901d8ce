/**
 * The time that a store has for all of what one decision takes.
 *
 * @module
 */

import { PATIENCE_TICKS } from "./pipeline.ts";
import { SilenceError } from "./store_failure.ts";

/** As long as one command may wait, to be sent and then for its reply. */
const DEADLINE_TICKS = 2 * PATIENCE_TICKS;

interface Waiting {
  readonly sinceTick: number;
  readonly reject: (reason: unknown) => void;
}

/**
 * The deadlines of what waits for a store.
 *
 * A pipeline bounds one command. A decision may take several, one after the other: where a node sends
 * it on to another, or a store does not know the script. Time is counted in ticks of one timer for
 * all, as in a pipeline and for the same reason.
 */
export class Deadlines {
  readonly #tickMs: number;
  readonly #waiting = new Set<Waiting>();
  #tick = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Makes them for a store.
   *
   * @param patienceMs How long a reply of it may take, in milliseconds.
   */
  constructor(patienceMs: number) {
    this.#tickMs = patienceMs / PATIENCE_TICKS;
  }

  /**
   * Waits for something until its deadline.
   *
   * @param act What is waited for. It can ask whether it is over, since then nothing more of it may
   * be sent.
   * @throws {SilenceError} When it was not done by then.
   */
  within<T>(act: (isOver: () => boolean) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { sinceTick: this.#tick, reject };
      this.#waiting.add(waiting);
      this.#scheduleTick();
      // Either is for nothing once it is over.
      act(() => !this.#waiting.has(waiting)).then((result) => {
        this.#waiting.delete(waiting);
        resolve(result);
      }, (error) => {
        this.#waiting.delete(waiting);
        reject(error);
      });
    });
  }

  /** Waits for nothing any more. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #scheduleTick(): void {
    this.#timer ??= setTimeout(() => this.#onTick(), this.#tickMs);
  }

  #onTick(): void {
    this.#timer = undefined;
    this.#tick++;
    // The first of a set is the oldest.
    for (const waiting of this.#waiting) {
      if (this.#tick - waiting.sinceTick <= DEADLINE_TICKS) break;
      this.#waiting.delete(waiting);
      waiting.reject(new SilenceError("No decision in time"));
    }
    if (this.#waiting.size > 0) this.#scheduleTick();
  }
}
