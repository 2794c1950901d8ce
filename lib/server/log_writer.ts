/**
 * Log lines on their way to standard error, where a slow or absent reader stops no request.
 *
 * @module
 */

import { sleep } from "./runtime/timeout.ts";

/** How many lines may wait for a slow reader; those after them are lost. */
const MAX_WAITING = 10_000;

// How long lines wait for others to be written with. To write costs as much as many lines, most of all
// on Deno, where it takes another thread; whoever follows a log does not see so short a delay.
const TOGETHER_MS = 10;

/**
 * Writer of log lines. While some are being written, the next ones wait to be written together. Lines
 * that cannot be written are lost, and the next are tried all the same: a disk may be full for a moment
 * only.
 */
export class LogWriter {
  readonly #write: (text: string) => Promise<void>;
  readonly #onLost: (count: number) => void;
  #waiting: string[] = [];
  #writing: readonly string[] = [];
  #written: Promise<void> | undefined;
  #lost = 0;

  /**
   * Makes a writer.
   *
   * @param write Writes text; rejects when it cannot.
   * @param onLost Called with the number of lost lines, once lines could be written again.
   */
  constructor(write: (text: string) => Promise<void>, onLost: (count: number) => void) {
    this.#write = write;
    this.#onLost = onLost;
  }

  /** Takes a line with its line end. It never throws. */
  write(line: string): void {
    if (this.#waiting.length + this.#writing.length >= MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push(line);
    this.#written ??= this.#writeAll();
  }

  /** Resolves once all lines are written or lost: never, while nothing reads them. */
  async flush(): Promise<void> {
    await this.#written;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await sleep(TOGETHER_MS);
      await this.#writeOnce();
    }
    this.#written = undefined;
  }

  async #writeOnce(): Promise<void> {
    [this.#writing, this.#waiting] = [this.#waiting, []];
    try {
      await this.#write(this.#writing.join(""));
    } catch {
      this.#lost += this.#writing.length;
      return;
    } finally {
      this.#writing = [];
    }
    if (this.#lost === 0) return;
    const count = this.#lost;
    this.#lost = 0;
    this.#onLost(count);
  }
}
