/**
 * Symbol of segments: its version, its modules, its mask pattern.
 *
 * @module
 */

import { codewordSequence } from "./codewords.ts";
import { bestMask, maskLayers } from "./mask.ts";
import { lineWords, placeCodewords, templateOf } from "./matrix.ts";
import { bitLength, type Segment } from "./segments.ts";
import { blockLayout, type ErrorCorrectionLevel } from "./tables.ts";

/** A symbol, without its quiet zone. */
export interface QrCode {
  /** Version, 1 to 40. */
  readonly version: number;
  /** Error correction level, as requested: it is never raised to use up free codewords. */
  readonly level: ErrorCorrectionLevel;
  /** Mask pattern, 0 to 7. */
  readonly mask: number;
  /** Modules per side, 21 to 177. */
  readonly size: number;
  /**
   * Modules row by row, dark ones set. Each row starts a new 32-bit word and takes ⌈size / 32⌉
   * words; column x is bit x modulo 32 of its word, from the lowest; unused bits are zero.
   */
  readonly rows: ArrayLike<number>;
}

/**
 * Whether the module of `code` in column `x` and row `y` is dark; outside the symbol, all are
 * light.
 */
export function isDark(code: QrCode, x: number, y: number): boolean {
  if (x < 0 || x >= code.size || y < 0 || y >= code.size) return false;
  return (code.rows[y * rowWords(code.size) + (x >>> 5)]! >>> x & 1) === 1;
}

/** Returns the number of words per row of a symbol of `size` modules: 1 to 6. */
export function rowWords(size: number): number {
  return size + 31 >>> 5;
}

/** Finds the smallest version in a range with room for `segments` at `level`. */
export function smallestVersion(
  segments: readonly Segment[],
  level: ErrorCorrectionLevel,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  for (let version = min; version <= max; version++) {
    const capacityBits = 8 * blockLayout(version, level).dataCodewords;
    if (bitLength(segments, version) <= capacityBits) return version;
  }
  return undefined;
}

/** Segments with a version and a level, which has room for them. */
export interface SymbolPlan {
  /** Segments. */
  readonly segments: readonly Segment[];
  /** Version, 1 to 40. */
  readonly version: number;
  /** Error correction level. */
  readonly level: ErrorCorrectionLevel;
  /** Mask pattern; the best unless given. */
  readonly mask?: number | undefined;
}

/** Creates a symbol. */
export function createSymbol({ segments, version, level, mask: wanted }: SymbolPlan): QrCode {
  const template = templateOf(version);
  const { size } = template;
  const matrix = placeCodewords(template, codewordSequence(segments, version, level));
  const layers = maskLayers(version, level);
  const mask = wanted ?? bestMask(matrix, layers, size);
  return { version, level, mask, size, rows: rowsOf(matrix, layers[mask]!, size) };
}

/** Returns the rows of a double matrix after inversion by `layer`, without its columns. */
function rowsOf(matrix: Int32Array, layer: Int32Array, size: number): Int32Array {
  const words = rowWords(size);
  const lastWordMask = (1 << size % 32) - 1;
  const rows = new Int32Array(size * words);
  for (let y = 0; y < size; y++) {
    const line = y * lineWords(size);
    for (let word = 0; word < words; word++) {
      rows[y * words + word] = matrix[line + word]! ^ layer[line + word]!;
    }
    rows[y * words + words - 1]! &= lastWordMask;
  }
  return rows;
}
