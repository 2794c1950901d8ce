/**
 * Timeouts of request bodies, and of commands to a store.
 *
 * @module
 */

/** Timer ticks in one timeout. */
const TICKS = 10;

interface Waiting {
  readonly sinceTick: number;
  readonly reject: (reason: unknown) => void;
}

/**
 * Timeouts of one length, counted in ticks of a shared timer, which stops with the last of them.
 *
 * A late tick counts as one, so a pause of this process causes no timeout: the data that arrived
 * during the pause is read after the timer.
 */
export class Timeouts {
  readonly #tickMs: number;
  readonly #createError: () => Error;
  readonly #waiting = new Set<Waiting>();
  #tick = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Makes timeouts of `timeoutMs` milliseconds with the given error. */
  constructor(timeoutMs: number, createError: () => Error) {
    this.#tickMs = timeoutMs / TICKS;
    this.#createError = createError;
  }

  /**
   * Runs an action with a timeout.
   *
   * @throws {Error} When the time is over first.
   */
  within<T>(act: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { sinceTick: this.#tick, reject };
      this.#waiting.add(waiting);
      this.#scheduleTick();
      act().finally(() => this.#remove(waiting)).then(resolve, reject);
    });
  }

  /** Ends all timeouts now, with their error. */
  close(): void {
    this.#stopTicks();
    for (const waiting of this.#waiting) this.#end(waiting);
  }

  #scheduleTick(): void {
    this.#timer ??= setTimeout(() => this.#onTick(), this.#tickMs);
  }

  #stopTicks(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    if (this.#waiting.size === 0) this.#stopTicks();
  }

  #onTick(): void {
    this.#timer = undefined;
    this.#tick++;
    // Sets keep insertion order: the oldest is first.
    for (const waiting of this.#waiting) {
      if (this.#tick - waiting.sinceTick <= TICKS) break;
      this.#end(waiting);
    }
    if (this.#waiting.size > 0) this.#scheduleTick();
  }

  #end(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    waiting.reject(this.#createError());
  }
}
