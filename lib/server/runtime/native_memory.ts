/**
 * Memory of the process outside of the JavaScript heap, where a runtime keeps what its callers send
 * and do not take.
 *
 * @module
 */

const MIB = 2 ** 20;

/**
 * Growth that is too much, in bytes: more than `MemoryWatch` allows bodies, which usually end first.
 */
const MAX_GROWTH_BYTES = 160 * MIB;

// Beyond this many bytes, a smaller growth is too much. The allocator reuses memory that connections
// gave back, but does not return it to the system: without this, each drop would leave 100 MiB more.
const MUCH_BYTES = 400 * MIB;
const LEAST_GROWTH_BYTES = 20 * MIB;

/** Figures of a process's memory, in bytes. */
export interface MemoryFigures {
  /** Resident memory. */
  readonly rss: number;
  /** JavaScript heap, which the guard fills. */
  readonly heapTotal: number;
}

/** Watch of the memory outside of the heap. */
export class NativeMemory {
  readonly #figures: () => MemoryFigures;
  #leastBytes = Infinity;

  /**
   * Makes a watch that begins with its first look.
   *
   * @param figures Reads the figures of the process.
   */
  constructor(figures: () => MemoryFigures) {
    this.#figures = figures;
  }

  /** Whether the memory has grown too much beyond the least that a look has found. */
  hasGrown(): boolean {
    const { rss, heapTotal } = this.#figures();
    const bytes = rss - heapTotal;
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    const limit = Math.min(this.#leastBytes + MAX_GROWTH_BYTES, MUCH_BYTES);
    return bytes >= Math.max(limit, this.#leastBytes + LEAST_GROWTH_BYTES);
  }
}
