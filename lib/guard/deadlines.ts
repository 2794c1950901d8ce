/**
 * Deadlines of bodies, and of questions to a store.
 *
 * @module
 */

/** Ticks of a deadline. */
const TICKS = 10;

interface Waiting {
  readonly sinceTick: number;
  readonly reject: (reason: unknown) => void;
}

/**
 * Deadlines of one length, counted in ticks of one timer.
 *
 * A tick that comes late counts as one, so this process looks for the answer once more before it
 * blames others for its own pauses: an answer that came meanwhile is read after the timer.
 */
export class Deadlines {
  readonly #tickMs: number;
  readonly #errorOf: (reason: string) => Error;
  readonly #waiting = new Set<Waiting>();
  #tick = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Makes deadlines of so many milliseconds.
   *
   * @param errorOf Makes the error of what is late or was closed.
   */
  constructor(timeoutMs: number, errorOf: (reason: string) => Error) {
    this.#tickMs = timeoutMs / TICKS;
    this.#errorOf = errorOf;
  }

  /**
   * Waits for something until its deadline.
   *
   * @param act What is waited for. It can ask whether the deadline is over, to send nothing more.
   * @throws {Error} When the deadline is over first.
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
    // The first of a set is the oldest.
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
