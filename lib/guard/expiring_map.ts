/**
 * Map in the order of expiry.
 *
 * @module
 */

/** Maximum number of expired entries removed by one sweep. */
const SWEPT = 8;

/** Entry of a map. */
export interface Entry<Value> {
  /** The key. */
  readonly key: string;
  /** The value. */
  readonly value: Value;
  /** Time of expiry in milliseconds. */
  readonly untilMs: number;
  /** Number of entries that were set before, which orders entries of the same expiry. */
  readonly serial: number;
  /** Index in the heap. */
  at: number;
}

/** Map in the order of expiry: its entries are also a binary heap (Williams, 1964). */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  /** No entry expires before the one at half its index, rounded down. */
  readonly #heap: Entry<Value>[] = [];
  #serial = 0;

  /** The number of entries, with expired ones that are not removed yet. */
  get size(): number {
    return this.#heap.length;
  }

  /** Returns the value of a key; undefined when the key is absent or expired. */
  get(key: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.untilMs <= nowMs ? undefined : entry.value;
  }

  /** Sets the value of a key. */
  set(key: string, value: Value, untilMs: number): void {
    this.delete(key);
    const entry = { key, value, untilMs, serial: this.#serial++, at: 0 };
    this.#entries.set(key, entry);
    this.#place(entry, this.#heap.length);
  }

  /** Removes a key. */
  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const last = this.#heap.pop()!;
    if (last !== entry) this.#place(last, entry.at);
  }

  /** Removes the entry that expires first, and returns it; of equal ones, the oldest. */
  deleteFirst(): Entry<Value> | undefined {
    const [first] = this.#heap;
    if (first !== undefined) this.delete(first.key);
    return first;
  }

  /** Removes expired entries, a few in each call. */
  sweep(nowMs: number): void {
    for (let left = SWEPT; left > 0 && this.#isExpired(0, nowMs); left--) this.deleteFirst();
  }

  /** Returns the number of unexpired entries. */
  living(nowMs: number): number {
    return this.size - this.#expired(0, nowMs);
  }

  /** Yields the unexpired values. */
  *values(nowMs: number): Generator<Value> {
    for (const { value, untilMs } of this.#entries.values()) if (untilMs > nowMs) yield value;
  }

  #isExpired(at: number, nowMs: number): boolean {
    return at < this.#heap.length && this.#heap[at]!.untilMs <= nowMs;
  }

  // Counts the expired entries from an index on; those behind an unexpired one are unexpired too.
  #expired(at: number, nowMs: number): number {
    if (!this.#isExpired(at, nowMs)) return 0;
    return 1 + this.#expired(2 * at + 1, nowMs) + this.#expired(2 * at + 2, nowMs);
  }

  // Places an entry at an index, and moves it to where the order holds.
  #place(entry: Entry<Value>, start: number): void {
    const heap = this.#heap;
    let at = start;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(entry, heap[up]!); up = (at - 1) >> 1) {
      this.#put(heap[up]!, at);
      at = up;
    }
    for (let down = 2 * at + 1; down < heap.length; down = 2 * at + 1) {
      if (down + 1 < heap.length && isBefore(heap[down + 1]!, heap[down]!)) down++;
      if (!isBefore(heap[down]!, entry)) break;
      this.#put(heap[down]!, at);
      at = down;
    }
    this.#put(entry, at);
  }

  #put(entry: Entry<Value>, at: number): void {
    this.#heap[at] = entry;
    entry.at = at;
  }
}

function isBefore(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.untilMs < b.untilMs || a.untilMs === b.untilMs && a.serial < b.serial;
}
