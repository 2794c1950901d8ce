/**
 * Map in the order of last change, with an expiry time for each entry.
 *
 * @module
 */

/** Maximum number of expired entries removed by one sweep. */
const SWEPT = 8;

interface Expiring<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/** Map in the order of last change. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, Expiring<Value>>();

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value of a key; undefined when the key is absent or expired. */
  get(key: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.untilMs <= nowMs ? undefined : entry.value;
  }

  /** Sets the value of a key and makes its entry the youngest. */
  set(key: string, value: Value, untilMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs });
  }

  /** Removes a key; returns false when it is absent. */
  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** Removes the oldest entry. */
  deleteOldest(): void {
    const [key] = this.#entries.keys();
    if (key !== undefined) this.#entries.delete(key);
  }

  /** Removes expired entries from the oldest on, a few in each call. */
  sweep(nowMs: number): void {
    let left = SWEPT;
    for (const [key, { untilMs }] of this.#entries) {
      if (untilMs > nowMs || left-- === 0) return;
      this.#entries.delete(key);
    }
  }

  /** Yields the unexpired keys, oldest entry first. */
  *keys(nowMs: number): Generator<string> {
    for (const [key, { untilMs }] of this.#entries) if (untilMs > nowMs) yield key;
  }
}
