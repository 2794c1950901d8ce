/** A generator of numbers that tests can repeat: mulberry32. */

/** Gives whole numbers from 0 up to, but not including, its argument. */
export type Random = (limit: number) => number;

/** Returns a generator; the same seed gives the same numbers. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return (limit) => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return Math.floor(((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32 * limit);
  };
}

/** One of some items. */
export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random(items.length)]!;
}

/** A text of `length` characters drawn from those of `alphabet`. */
export function randomText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[random(alphabet.length)]).join("");
}
