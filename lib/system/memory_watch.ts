/**
 * Watch of the process's memory while bodies of unknown length arrive.
 *
 * @module
 */

import process from "node:process";

/** Growth at which bodies are given up, in bytes. */
const MAX_GROWTH_BYTES = 64 * 2 ** 20;

/** Time between two looks, in milliseconds. */
const LOOK_MS = 50;

/**
 * Watch of the process's memory: it ends all watched actions when the memory has grown by 64 MiB
 * since there were none.
 */
export class MemoryWatch {
  readonly #createError: () => Error;
  readonly #residentBytes: () => number;
  readonly #watched = new Set<(reason: unknown) => void>();
  #startBytes = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * Makes a watch.
   *
   * @param createError Makes the error of an ended action.
   * @param residentBytes Returns the resident memory of the process, in bytes.
   */
  constructor(
    createError: () => Error,
    residentBytes: () => number = process.memoryUsage.rss,
  ) {
    this.#createError = createError;
    this.#residentBytes = residentBytes;
  }

  /**
   * Runs an action that the watch may end.
   *
   * @throws {Error} When the memory grows too much first.
   */
  within<T>(act: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#watched.size === 0) this.#start();
      this.#watched.add(reject);
      act().then(resolve, reject).finally(() => this.#remove(reject));
    });
  }

  #start(): void {
    this.#startBytes = this.#residentBytes();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  #remove(reject: (reason: unknown) => void): void {
    this.#watched.delete(reject);
    if (this.#watched.size === 0) clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#residentBytes() - this.#startBytes < MAX_GROWTH_BYTES) return;
    for (const reject of this.#watched) {
      reject(this.#createError());
      this.#remove(reject);
    }
  }
}
