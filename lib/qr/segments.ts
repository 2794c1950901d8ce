/**
 * Segments: runs of characters in one mode, and the choice of modes with the fewest bits (ISO/IEC
 * 18004:2015 clauses 7.3 and 7.4, annex J).
 *
 * Left out: Kanji mode, structured append and FNC1. Byte segments hold UTF-8. For text beyond
 * ASCII, an ECI header before the first segment declares it: without one, bytes are ISO 8859-1 by
 * clause 7.4.5, and readers that guess take some texts for Shift JIS or Big5. A Key URI is ASCII
 * and has no header.
 *
 * @module
 */

/** Modes for characters in this encoder. */
export type Mode = "numeric" | "alphanumeric" | "byte";

/** Characters in one mode, or an ECI header. */
export interface Segment {
  /**
   * Mode; `eci` for the header that declares the encoding of the bytes behind it (clause 7.4.2).
   */
  readonly mode: Mode | "eci";
  /**
   * Values of the characters: 0 to 9, 0 to 44 (table 5), or bytes. For an ECI header, only its ECI
   * assignment number, below 128.
   */
  readonly values: Uint8Array;
}

/** Header for bytes in UTF-8: ECI 000026 of the AIM register. */
export const UTF_8_HEADER: Segment = { mode: "eci", values: Uint8Array.of(26) };

/** Versions with the same lengths of character count indicators, both ends included. */
export interface VersionRange {
  /** Smallest version. */
  readonly min: number;
  /** Largest version. */
  readonly max: number;
}

/** The three version ranges of table 3. */
export const VERSION_RANGES: readonly VersionRange[] = [
  { min: 1, max: 9 },
  { min: 10, max: 26 },
  { min: 27, max: 40 },
];

/** Row of the modes in the standard. */
export interface ModeRow {
  /** Mode indicator, the four bits that open a segment (table 2). */
  readonly indicator: number;
  /**
   * Bits of the character count indicator, by index in `VERSION_RANGES` (table 3). The largest
   * count that fits into a version always fits into them, so no check is needed.
   */
  readonly countBits: readonly number[];
  /**
   * Upper bound of character values (table 5): numeric ones are also alphanumeric, and all are
   * bytes.
   */
  readonly valueLimit: number;
  /**
   * Cost of a character, in sixths of a bit. Three digits take 10 bits, two alphanumeric characters
   * 11, a byte 8 (clauses 7.4.3 to 7.4.5). In sixths each character has its own cost, and the sum
   * of a segment, rounded up to whole bits, equals the standard's length with a last, incomplete
   * group. An ECI assignment number below 128 is a byte (table 4).
   */
  readonly sixths: number;
}

/** Row of each mode. */
// deno-fmt-ignore
export const MODE_ROWS: Readonly<Record<Segment["mode"], ModeRow>> = {
  numeric:      { indicator: 1, countBits: [10, 12, 14], valueLimit: 10,  sixths: 20 },
  alphanumeric: { indicator: 2, countBits: [ 9, 11, 13], valueLimit: 45,  sixths: 33 },
  byte:         { indicator: 4, countBits: [ 8, 16, 16], valueLimit: 256, sixths: 48 },
  eci:          { indicator: 7, countBits: [ 0,  0,  0], valueLimit: 128, sixths: 48 },
};

/** Bits of a mode indicator. */
export const MODE_INDICATOR_BITS = 4;

// Table 5: the value of a character is its position.
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

const ALPHANUMERIC_VALUES = new Uint8Array(256).fill(255);
for (let value = 0; value < ALPHANUMERIC.length; value++) {
  ALPHANUMERIC_VALUES[ALPHANUMERIC.charCodeAt(value)] = value;
}

/** Makes a segment of `bytes` (UTF-8) in `mode`, which must have a code for each of them. */
export function createSegment(mode: Mode, bytes: Uint8Array): Segment {
  return {
    mode,
    values: mode === "byte" ? bytes : bytes.map((byte) => ALPHANUMERIC_VALUES[byte]!),
  };
}

/**
 * Returns the number of bits of the character count indicator of `mode` in `version` 1 to 40: 8 to
 * 16, or 0 for ECI.
 */
export function countIndicatorBits(mode: Segment["mode"], version: number): number {
  return MODE_ROWS[mode].countBits[version <= 9 ? 0 : version <= 26 ? 1 : 2]!;
}

/**
 * Counts the bits of `segments` in a symbol of `version` 1 to 40, without terminator and padding.
 */
export function bitLength(segments: readonly Segment[], version: number): number {
  let bits = 0;
  for (const { mode, values } of segments) {
    bits += MODE_INDICATOR_BITS + countIndicatorBits(mode, version);
    bits += Math.ceil(values.length * MODE_ROWS[mode].sixths / 6);
  }
  return bits;
}

// Modes by index, as the dynamic programming below names them.
const MODES: readonly Mode[] = ["byte", "alphanumeric", "numeric"];
const VALUE_LIMITS = MODES.map((mode) => MODE_ROWS[mode].valueLimit);
const CHARACTER_COSTS = MODES.map((mode) => MODE_ROWS[mode].sixths);

// Higher than the cost of any text, and still a small integer.
const IMPOSSIBLE = 2 ** 29;

/**
 * Finds the segments of `bytes` (UTF-8) with the fewest bits in the versions of `range`, by dynamic
 * programming in time linear in the length.
 */
export function optimalSegments(bytes: Uint8Array, range: VersionRange): readonly Segment[] {
  const { last, before } = cheapestModes(bytes, range);
  const segments: Segment[] = [];
  let mode = last;
  let end = bytes.length;
  for (let i = end - 1; i >= 0; i--) {
    const modeBefore = before[i]! >>> 2 * mode & 3;
    if (i > 0 && modeBefore === mode) continue;
    segments.push(createSegment(MODES[mode]!, bytes.subarray(i, end)));
    mode = modeBefore;
    end = i;
  }
  return segments.reverse();
}

/**
 * Finds the cheapest path through `bytes`: the mode of the `last` character, and `before`, which
 * has for each character, in bits 2m and 2m + 1, the mode of its predecessor on the cheapest path
 * that gives the character itself mode m.
 */
function cheapestModes(
  bytes: Uint8Array,
  range: VersionRange,
): { readonly last: number; readonly before: Uint8Array } {
  const headerCosts = MODES.map((mode) =>
    6 * (MODE_INDICATOR_BITS + countIndicatorBits(mode, range.min))
  );
  // Cost in sixths of a bit of all characters so far, by the mode of the last one.
  const costs = [IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE];
  const before = new Uint8Array(bytes.length);
  let cheapest = 0;
  let cheapestWhole = 0;
  for (let i = 0; i < bytes.length; i++) {
    const value = ALPHANUMERIC_VALUES[bytes[i]!]!;
    let choices = 0;
    for (let mode = 0; mode < 3; mode++) {
      const stay = costs[mode]!;
      const change = cheapestWhole + headerCosts[mode]!;
      choices |= (stay <= change ? mode : cheapest) << 2 * mode;
      const cost = Math.min(stay, change) + CHARACTER_COSTS[mode]!;
      costs[mode] = value < VALUE_LIMITS[mode]! ? cost : IMPOSSIBLE;
    }
    before[i] = choices;
    // Rounding up keeps the order of costs, so they can be compared before it.
    cheapest = costs[1]! < costs[0]! ? 1 : 0;
    if (costs[2]! < costs[cheapest]!) cheapest = 2;
    const padded = costs[cheapest]! + 5;
    cheapestWhole = padded - padded % 6;
  }
  return { last: cheapest, before };
}
