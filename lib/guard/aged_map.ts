/**
 * A map in the order of last change, in which each entry is remembered until a time.
 *
 * @module
 */

/** Expired entries that one call removes at most. */
const SWEPT = 8;

interface Aged<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/** A map in the order of last change. */
export class AgedMap<Value> {
  readonly #entries = new Map<string, Aged<Value>>();

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key; undefined when there is none, or it expired. */
  get(key: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.untilMs <= nowMs ? undefined : entry.value;
  }

  /** Sets a value, which is the youngest from then on. */
  set(key: string, value: Value, untilMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs });
  }

  /** Removes a key; false when there is none. */
  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** Removes the oldest entry. */
  deleteOldest(): void {
    const [key] = this.#entries.keys();
    if (key !== undefined) this.#entries.delete(key);
  }

  /** Removes the oldest entries if they expired, a few at a time. */
  sweep(nowMs: number): void {
    let left = SWEPT;
    for (const [key, { untilMs }] of this.#entries) {
      if (untilMs > nowMs || left-- === 0) return;
      this.#entries.delete(key);
    }
  }

  /** The keys, that of the oldest entry first. */
  *keys(nowMs: number): Generator<string> {
    for (const [key, { untilMs }] of this.#entries) if (untilMs > nowMs) yield key;
  }
}
