/**
 * Penalty points of a masked symbol (ISO/IEC 18004:2015 clause 7.8.3.1, table 11), counted in all
 * modules of a word at once. Decisions that the standard leaves open:
 *
 * - Runs and blocks are those of the symbol itself: the quiet zone makes no run longer.
 * - The pattern 1:1:3:1:1 consists of whole runs: its outermost dark modules have a light module,
 *   or the symbol's edge, on their far side. Its unit is one module, as table 11 gives the light
 *   area as "4 modules wide".
 * - The light area may reach into the quiet zone, as a reader sees it. A pattern with a light area
 *   on both sides counts once ("preceded or followed").
 *
 * @module
 */

import { lineWords } from "./matrix.ts";

// Table 11; N1, which is 3, is built into runs().
const N2 = 3;
const N3 = 40;
const N4 = 10;
const LIGHT_AREA_MODULES = 4;
// Every symbol has these: three rows and three columns of each finder pattern are 1:1:3:1:1,
// between a separator and the quiet zone.
const LEAST_FINDER_LIKE_PATTERNS = 18;

/**
 * Counts the penalty points of the symbol of `size` modules in the double matrix `matrix`. Counting
 * stops at `limit`: a result from `limit` on means at least that many.
 */
export function penalty(matrix: Int32Array, size: number, limit = Infinity): number {
  let points = runs(matrix, size) + N2 * blocks(matrix, size);
  const least = points + N3 * LEAST_FINDER_LIKE_PATTERNS;
  if (least >= limit) return least;
  points += N3 * finderLikePatterns(matrix, size);
  return points >= limit ? points : points + N4 * proportion(matrix, size);
}

/**
 * Counts the points for runs of five or more modules in one colour: three each, and one per module
 * over five.
 */
function runs(matrix: Int32Array, size: number): number {
  const words = lineWords(size);
  let points = 0;
  for (let word = 0; word < words; word++) {
    // Rows and columns of the symbol; the rest of the last word is unused.
    const lanes = lowBits(2 * size - 32 * word);
    let previous = matrix[word]!;
    // Bits where two, three, five lines up to the previous one (1) or the one before it (2) are
    // equal.
    let two1 = 0;
    let three1 = 0;
    let three2 = 0;
    let five1 = 0;
    let five2 = 0;
    for (let i = word + words; i < matrix.length; i += words) {
      const line = matrix[i]!;
      const two = ~(line ^ previous) & lanes;
      const three = two & two1;
      const five = three & three2;
      // A run of n contains n - 4 runs of five and scores 3 + (n - 5) points, two more than those:
      // one in each line where a run of five ends, and in the two lines after the last of them.
      points += popCount(five | five1 | five2);
      previous = line;
      two1 = two;
      three2 = three1;
      three1 = three;
      five2 = five1;
      five1 = five;
    }
    points += popCount(five1 | five2) + popCount(five1);
  }
  return points;
}

/** Counts the blocks of 2 by 2 modules in one colour; they may overlap. */
function blocks(matrix: Int32Array, size: number): number {
  const words = lineWords(size);
  let count = 0;
  for (let word = 0; 32 * word < size - 1; word++) {
    // Count each block at its left column, and no block right of the row.
    const lanes = lowBits(size - 1 - 32 * word);
    let previous = matrix[word]!;
    let previousSteps = stepsAcross(previous, matrix[word + 1]!);
    for (let i = word + words; i < matrix.length; i += words) {
      const line = matrix[i]!;
      const steps = stepsAcross(line, matrix[i + 1]!);
      count += popCount(~(steps | previousSteps | line ^ previous) & lanes);
      previous = line;
      previousSteps = steps;
    }
  }
  return count;
}

/**
 * Returns the bits where a module of `word` differs from the next one; the first of `next` follows
 * the last.
 */
function stepsAcross(word: number, next: number): number {
  return word ^ (word >>> 1 | next << 31);
}

/** Counts the patterns 1:1:3:1:1, dark first, beside a light area. */
function finderLikePatterns(matrix: Int32Array, size: number): number {
  const words = lineWords(size);
  let count = 0;
  for (let i = 6 * words; i < matrix.length; i++) {
    const found = matrix[i]! & ~matrix[i - words]! & matrix[i - 2 * words]! &
      matrix[i - 3 * words]! & matrix[i - 4 * words]! & ~matrix[i - 5 * words]! &
      matrix[i - 6 * words]!;
    if (found !== 0) count += popCount(found & besideLightArea(matrix, words, i - 6 * words, i));
  }
  return count;
}

/**
 * Returns the bits where the lines `first` to `last`, given by the index of a word, have a light
 * line on both sides and four light lines on one side; outside the symbol all is light.
 */
function besideLightArea(
  matrix: Int32Array,
  words: number,
  first: number,
  last: number,
): number {
  let darkNext = 0;
  let darkBefore = 0;
  let darkAfter = 0;
  for (let distance = 1; distance <= LIGHT_AREA_MODULES; distance++) {
    const before = first - distance * words;
    const after = last + distance * words;
    if (before >= 0) darkBefore |= matrix[before]!;
    if (after < matrix.length) darkAfter |= matrix[after]!;
    if (distance === 1) darkNext = darkBefore | darkAfter;
  }
  return ~(darkNext | darkBefore & darkAfter);
}

/** Counts the whole steps of 5 % between the proportion of dark modules and 50 %. */
function proportion(matrix: Int32Array, size: number): number {
  let twiceDark = 0;
  // An iterator takes three times as long in V8, eight times in JavaScriptCore.
  for (let i = 0; i < matrix.length; i++) twiceDark += popCount(matrix[i]!);
  const modules = size * size;
  return Math.floor(Math.abs(10 * twiceDark - 10 * modules) / modules);
}

/** Returns a word with its lowest `count` bits set; all of them from 32 on. */
function lowBits(count: number): number {
  return count >= 32 ? -1 : (1 << count) - 1;
}

/** Counts the bits set in a 32-bit word. */
function popCount(word: number): number {
  // No `>>> 24`: JavaScriptCore adds its results as wider numbers, three times as slowly.
  const pairs = word - (word >>> 1 & 0x55555555);
  const nibbles = (pairs & 0x33333333) + (pairs >>> 2 & 0x33333333);
  return Math.imul(nibbles + (nibbles >>> 4) & 0x0f0f0f0f, 0x01010101) >> 24;
}
