/**
 * Tables of ISO/IEC 18004:2015, literal where the standard has no rule behind the numbers, else a
 * formula. Tables by version have an impossible value at index 0, so that the version is the index.
 *
 * @module
 */

/**
 * Error correction level, by recoverable part: about 7 % at L, 15 % at M. Q and H are left out: a
 * screen damages no symbol.
 */
export type ErrorCorrectionLevel = "L" | "M";

/** Size of a picture. */
export interface PictureSize {
  /** Width in pixels. */
  readonly width: number;
  /** Height in pixels. */
  readonly height: number;
}

/** Width of the quiet zone on every side, in modules (clause 6.3.8). */
export const QUIET_ZONE_MODULES = 4;

type VersionTable = Readonly<Record<ErrorCorrectionLevel, readonly number[]>>;

// Table 9, error correction codewords in each block.
// deno-fmt-ignore
const EC_CODEWORDS_PER_BLOCK: VersionTable = {
  // 0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31  32  33  34  35  36  37  38  39  40
  L: [-1,  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
  M: [-1, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28],
};

// Table 9, number of error correction blocks.
// deno-fmt-ignore
const BLOCKS: VersionTable = {
  // 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
  L: [-1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9,10,12,12,12,13,14,15,16,17,18,19,19,20,21,22,24,25],
  M: [-1, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9,10,10,11,13,14,16,17,17,18,20,21,23,25,26,28,29,31,33,35,37,38,40,43,45,47,49],
};

/** Division of the codewords of a version and level into blocks (clause 7.5.1, table 9). */
export interface BlockLayout {
  /** Number of blocks. */
  readonly blocks: number;
  /** Error correction codewords in each block. */
  readonly ecCodewords: number;
  /** Data codewords in all blocks together. */
  readonly dataCodewords: number;
}

/** Returns the blocks of a symbol of `version` 1 to 40 at `level`. */
export function blockLayout(version: number, level: ErrorCorrectionLevel): BlockLayout {
  const blocks = BLOCKS[level][version]!;
  const ecCodewords = EC_CODEWORDS_PER_BLOCK[level][version]!;
  return { blocks, ecCodewords, dataCodewords: codewordCount(version) - blocks * ecCodewords };
}

/** Returns the number of modules per side of a symbol of `version` 1 to 40: 21 to 177. */
export function symbolSize(version: number): number {
  return 17 + 4 * version;
}

/**
 * Returns the number of data and error correction codewords of a symbol of `version` 1 to 40
 * together: 26 to 3706 (table 1).
 */
export function codewordCount(version: number): number {
  const size = symbolSize(version);
  // Three finder patterns with separators, two timing patterns, format information, dark module.
  let functionModules = 3 * 8 * 8 + 2 * (size - 16) + 2 * 15 + 1;
  if (version >= 2) {
    const side = Math.floor(version / 7) + 2;
    // Three corners of the grid of alignment patterns are finder patterns; the patterns between the
    // corners of the first row and column share five modules each with a timing pattern.
    functionModules += (side * side - 3) * 25 - (side - 2) * 2 * 5;
  }
  if (version >= 7) functionModules += 2 * 18;
  // The rest, fewer than 8 modules, are remainder bits.
  return Math.floor((size * size - functionModules) / 8);
}

/**
 * Returns the coordinates of the alignment pattern centres of `version` 1 to 40, ascending, the
 * same for rows and columns (annex E); empty for version 1.
 */
export function alignmentPositions(version: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = symbolSize(version) - 7;
  // Steps between positions are even; only version 32 does not round up to the next even
  // number.
  const step = version === 32 ? 26 : Math.ceil((last - 6) / (count - 1) / 2) * 2;
  return Array.from({ length: count }, (_, i) => i === 0 ? 6 : last - (count - 1 - i) * step);
}

// Table 12: the two bits for each level.
const LEVEL_INDICATOR: Readonly<Record<ErrorCorrectionLevel, number>> = { L: 1, M: 0 };

/**
 * Returns the 15 bits of format information for `level` and `mask` 0 to 7, masked (clause 7.9,
 * annex C): a BCH (15,5) code, so that a reader can tell the level from a damaged symbol.
 */
export function formatInformation(level: ErrorCorrectionLevel, mask: number): number {
  const data = LEVEL_INDICATOR[level] << 3 | mask;
  return bchCode(data, 10, 0x537) ^ 0x5412;
}

/**
 * Returns the 18 bits of version information for `version` 7 to 40, a BCH (18,6) code (annex D).
 */
export function versionInformation(version: number): number {
  return bchCode(version, 12, 0x1f25);
}

/** Returns `data` with its remainder of `degree` bits after division by `generator`. */
function bchCode(data: number, degree: number, generator: number): number {
  let remainder = data;
  for (let i = 0; i < degree; i++) {
    remainder = remainder << 1 ^ (remainder >>> (degree - 1)) * generator;
  }
  return data << degree | remainder;
}
