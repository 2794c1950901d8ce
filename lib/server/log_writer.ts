/**
 * Writer of log lines to standard error, whose slow or absent reader delays no request.
 *
 * @module
 */

import { sleep } from "./runtime/timeout.ts";

/** Maximum number of lines in the queue; further lines are lost. */
const MAX_WAITING = 10_000;

// Time in which lines are collected for one write. A write costs as much as many lines, above all
// on Deno, where it takes another thread; a reader does not notice so short a delay.
const BATCH_MS = 10;

/**
 * Writer of log lines. Lines queue during a write and go out together. A failed write loses its
 * lines, and later lines are still tried, since a disk may be full only briefly.
 */
export class LogWriter {
  readonly #write: (text: string) => Promise<void>;
  readonly #onLost: (count: number) => void;
  #waiting: string[] = [];
  #writing: readonly string[] = [];
  #written: Promise<void> | undefined;
  #lost = 0;
  #reported = 0;

  /**
   * Makes a writer.
   *
   * @param write Writes text; rejects on failure.
   * @param onLost Called with the number of lost lines after the next successful write.
   */
  constructor(write: (text: string) => Promise<void>, onLost: (count: number) => void) {
    this.#write = write;
    this.#onLost = onLost;
  }

  /** The number of lines lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** Queues a line, which includes its line end. It never throws. */
  write(line: string): void {
    if (this.#waiting.length + this.#writing.length >= MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push(line);
    this.#written ??= this.#writeAll();
  }

  /** Resolves once all lines are written or lost; it does not resolve while the reader blocks. */
  async flush(): Promise<void> {
    await this.#written;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await sleep(BATCH_MS);
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
    const count = this.#lost - this.#reported;
    this.#reported = this.#lost;
    if (count > 0) this.#onLost(count);
  }
}
