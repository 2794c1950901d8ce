/**
 * Deadlines of request bodies, and of commands to a store.
 *
 * @module
 */

/** Timer ticks in one deadline. */
const TICKS = 10;

interface Waiting {
  readonly sinceTick: number;
  readonly reject: (reason: unknown) => void;
}

/**
 * Deadlines of one length, counted in ticks of a shared timer.
 *
 * A late tick counts as one, so a pause of this process causes no timeout: the data that arrived
 * during the pause is read after the timer.
 */
export class Deadlines {
  readonly #tickMs: number;
  readonly #errorOf: (reason: string) => Error;
  readonly #waiting = new Set<Waiting>();
  #tick = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Makes deadlines of `timeoutMs` milliseconds.
   *
   * @param errorOf Makes the error of a passed deadline, or of a closed one.
   */
  constructor(timeoutMs: number, errorOf: (reason: string) => Error) {
    this.#tickMs = timeoutMs / TICKS;
    this.#errorOf = errorOf;
  }

  /**
   * Runs an action with a deadline.
   *
   * @param act The action; `isOver` tells it to send nothing more.
   * @throws {Error} When the deadline passes first.
   */
  within<T>(act: (isOver: () => boolean) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { sinceTick: this.#tick, reject };
      this.#waiting.add(waiting);
      this.#scheduleTick();
      act(() => !this.#waiting.has(waiting)).then((result) => {
        this.#waiting.delete(waiting);
        resolve(result);
      }, (error) => {
        this.#waiting.delete(waiting);
        reject(error);
      });
    });
  }

  /** Ends all deadlines now. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const waiting of this.#waiting) this.#end(waiting, "Closed");
  }

  #scheduleTick(): void {
    this.#timer ??= setTimeout(() => this.#onTick(), this.#tickMs);
  }

  #onTick(): void {
    this.#timer = undefined;
    this.#tick++;
    // Sets keep insertion order: the oldest is first.
    for (const waiting of this.#waiting) {
      if (this.#tick - waiting.sinceTick <= TICKS) break;
      this.#end(waiting, "No answer in time");
    }
    if (this.#waiting.size > 0) this.#scheduleTick();
  }

  #end(waiting: Waiting, reason: string): void {
    this.#waiting.delete(waiting);
    waiting.reject(this.#errorOf(reason));
  }
}
