/**
 * Segments: runs of characters in one mode, and the choice of modes that needs the fewest bits
 * (ISO/IEC 18004:2015 clauses 7.3 and 7.4, annex J).
 *
 * Left out: Kanji mode, structured append and FNC1. Byte segments hold UTF-8. Where that is more than
 * ASCII, an ECI header before the first segment says so: without one, bytes are ISO 8859-1 by clause
 * 7.4.5, and readers that guess take some texts for Shift JIS or Big5. A Key URI is ASCII and has none.
 *
 * @module
 */

/** The modes in which this encoder encodes characters. */
export type Mode = "numeric" | "alphanumeric" | "byte";

/** Characters to be encoded in one mode, or an ECI header. */
export interface Segment {
  /** The mode; `eci` for the header that says what the bytes behind it stand for (clause 7.4.2). */
  readonly mode: Mode | "eci";
  /**
   * A value for each character: 0 to 9, 0 to 44 (table 5), or a byte. Of an ECI header, its ECI
   * assignment number alone, below 128.
   */
  readonly values: Uint8Array;
}

/** The header that makes bytes UTF-8: ECI 000026 of the AIM register. */
export const UTF_8_HEADER: Segment = { mode: "eci", values: Uint8Array.of(26) };

/** Versions that share the lengths of the character count indicators; both ends are included. */
export interface VersionRange {
  /** The smallest version. */
  readonly min: number;
  /** The largest version. */
  readonly max: number;
}

/** The three version ranges of table 3. */
export const VERSION_RANGES: readonly VersionRange[] = [
  { min: 1, max: 9 },
  { min: 10, max: 26 },
  { min: 27, max: 40 },
];

/** What a mode is in the standard. */
export interface ModeFacts {
  /** The four bits that open a segment (table 2). */
  readonly indicator: number;
  /**
   * The bits of the character count indicator by index in `VERSION_RANGES` (table 3). The largest
   * count that a version has room for always fits, so that nothing has to check for it.
   */
  readonly countBits: readonly number[];
  /** Values of characters are below it (table 5): what is numeric is alphanumeric, any is a byte. */
  readonly valueLimit: number;
  /**
   * What a character takes, in sixths of a bit. Three digits take 10 bits, two alphanumeric
   * characters 11, a byte 8 (clauses 7.4.3 to 7.4.5): in sixths each character has a cost of its own,
   * and rounding the sum of a segment up to whole bits gives exactly what the standard's rules for a
   * last, incomplete group give. An ECI assignment number below 128 is a byte (table 4).
   */
  readonly sixths: number;
}

/** The facts of each mode. */
// deno-fmt-ignore
export const MODE_FACTS: Readonly<Record<Segment["mode"], ModeFacts>> = {
  numeric:      { indicator: 1, countBits: [10, 12, 14], valueLimit: 10,  sixths: 20 },
  alphanumeric: { indicator: 2, countBits: [ 9, 11, 13], valueLimit: 45,  sixths: 33 },
  byte:         { indicator: 4, countBits: [ 8, 16, 16], valueLimit: 256, sixths: 48 },
  eci:          { indicator: 7, countBits: [ 0,  0,  0], valueLimit: 128, sixths: 48 },
};

/** The bits of a mode indicator. */
export const MODE_INDICATOR_BITS = 4;

// Table 5: the value of a character is its position.
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

const ALPHANUMERIC_VALUES = new Uint8Array(256).fill(255);
for (let value = 0; value < ALPHANUMERIC.length; value++) {
  ALPHANUMERIC_VALUES[ALPHANUMERIC.charCodeAt(value)] = value;
}

/**
 * The segment of `characters` (a string counts as its UTF-8 bytes) in `mode`.
 *
 * @throws {RangeError} when the mode has no code for one of the characters
 */
export function createSegment(mode: Mode, characters: string | Uint8Array): Segment {
  const bytes = typeof characters === "string" ? new TextEncoder().encode(characters) : characters;
  if (mode === "byte") return { mode, values: bytes };
  const values = bytes.map((byte) => ALPHANUMERIC_VALUES[byte]!);
  if (values.some((value) => value >= MODE_FACTS[mode].valueLimit)) {
    throw new RangeError(`Cannot encode the characters as ${mode}: one of them has no code`);
  }
  return { mode, values };
}

/** The bits of the character count indicator of `mode` in `version` 1 to 40: 8 to 16, of ECI none. */
export function countIndicatorBits(mode: Segment["mode"], version: number): number {
  return MODE_FACTS[mode].countBits[version <= 9 ? 0 : version <= 26 ? 1 : 2]!;
}

/** The bits of `segments` in a symbol of `version` 1 to 40, without terminator and padding. */
export function bitLength(segments: readonly Segment[], version: number): number {
  let bits = 0;
  for (const { mode, values } of segments) {
    bits += MODE_INDICATOR_BITS + countIndicatorBits(mode, version);
    bits += Math.ceil(values.length * MODE_FACTS[mode].sixths / 6);
  }
  return bits;
}

// The dynamic programming below names modes by their index here.
const MODES: readonly Mode[] = ["byte", "alphanumeric", "numeric"];
const VALUE_LIMITS = MODES.map((mode) => MODE_FACTS[mode].valueLimit);
const CHARACTER_COSTS = MODES.map((mode) => MODE_FACTS[mode].sixths);

// More than any text costs, and still a small integer.
const IMPOSSIBLE = 2 ** 29;

/**
 * The segments that hold `bytes` (UTF-8) in the fewest bits in the versions of `range`, found by
 * dynamic programming in time linear in the length.
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
 * The mode of the `last` character on the cheapest way through `bytes`, and `before`, which holds
 * for each character, in bits 2m and 2m + 1, the mode of its predecessor on the cheapest way that
 * gives the character itself mode m.
 */
function cheapestModes(
  bytes: Uint8Array,
  range: VersionRange,
): { readonly last: number; readonly before: Uint8Array } {
  const headerCosts = MODES.map((mode) =>
    6 * (MODE_INDICATOR_BITS + countIndicatorBits(mode, range.min))
  );
  // The cost, in sixths of a bit, of all characters so far when the last of them has each mode.
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
    // Rounding up keeps the order of costs, so that they can be compared before it.
    cheapest = costs[1]! < costs[0]! ? 1 : 0;
    if (costs[2]! < costs[cheapest]!) cheapest = 2;
    const padded = costs[cheapest]! + 5;
    cheapestWhole = padded - padded % 6;
  }
  return { last: cheapest, before };
}
