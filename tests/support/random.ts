/** A generator of numbers that tests can repeat: mulberry32. */

/** Returns a function that gives whole numbers from 0 up to, but not including, its argument. */
export function seededRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return Math.floor(((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32 * limit);
  };
}

/** A text of `length` characters drawn from those of `alphabet`. */
export function randomText(
  random: (limit: number) => number,
  alphabet: string,
  length: number,
): string {
  return Array.from({ length }, () => alphabet[random(alphabet.length)]).join("");
}
