/**
 * Matrix of a symbol: its function patterns, and the placement of codewords between them (ISO/IEC
 * 18004:2015 clauses 6.3 and 7.7).
 *
 * While a symbol is made, it is a *double matrix*: `size` lines of 32-bit words in one array, line
 * i being row i of the symbol and, right behind it, column i; the module at the lowest coordinate
 * is the lowest bit. Operations from line to line, on all 32 bits of a word at once, thus cover
 * columns and rows together, and no bit is ever shifted across words.
 *
 * @module
 */

import { alignmentPositions, symbolSize, versionInformation } from "./tables.ts";

/** Parts common to all symbols of a version. */
export interface Template {
  /** Modules per side of the symbol: 21 to 177. */
  readonly size: number;
  /** Double matrix with the dark modules of the function patterns and the version information. */
  readonly functionPatterns: Int32Array;
  /** Modules for codewords and remainder bits, as y << 8 | x, in order of placement. */
  readonly placement: Uint16Array;
  /** The two bits of each such module in a double matrix, counted through its words. */
  readonly placementBits: Int32Array;
}

const templates: (Template | undefined)[] = [];

/** Returns the template of `version` 1 to 40; made on first use, then cached. */
export function templateOf(version: number): Template {
  return templates[version] ??= createTemplate(version);
}

/**
 * Returns the number of words per line of a double matrix for a symbol of `size` modules: 2 to 12.
 */
export function lineWords(size: number): number {
  return 2 * size + 31 >>> 5;
}

/** Makes the module in column `x` and row `y` of a double matrix dark. */
export function setDark(matrix: Int32Array, size: number, x: number, y: number): void {
  // A shift counts modulo 32.
  for (const bit of bitsOf(size, x, y)) matrix[bit >>> 5]! |= 1 << bit;
}

/**
 * Returns the bits of a module in a double matrix, counted through its words: in its row, and in
 * its column.
 */
function bitsOf(size: number, x: number, y: number): [number, number] {
  const lineBits = 32 * lineWords(size);
  return [lineBits * y + x, lineBits * x + size + y];
}

/**
 * Makes the double matrix with the function patterns of `template` and the unmasked `codewords`.
 */
export function placeCodewords(template: Template, codewords: Uint8Array): Int32Array {
  const { functionPatterns, placementBits } = template;
  const matrix = functionPatterns.slice();
  for (let i = 0; i < 8 * codewords.length; i++) {
    const bit = codewords[i >>> 3]! >>> (~i & 7) & 1;
    const inRow = placementBits[2 * i]!;
    const inColumn = placementBits[2 * i + 1]!;
    // Does the same as setDark(), without a branch that would be mispredicted for every other bit.
    matrix[inRow >>> 5]! |= bit << inRow;
    matrix[inColumn >>> 5]! |= bit << inColumn;
  }
  return matrix;
}

/**
 * Returns the two modules, as [x, y], of each bit of the format information, from the least
 * significant bit up (clause 7.9.1).
 */
export function formatModules(size: number): readonly (readonly [number, number])[][] {
  return Array.from({ length: 15 }, (_, bit) => {
    // Around the upper left finder pattern, past the timing patterns in row 6 and column 6.
    const along = bit < 6 ? bit : bit + 1;
    const atCorner: [number, number] = bit < 8 ? [8, along] : [bit === 8 ? 7 : 14 - bit, 8];
    const atOthers: [number, number] = bit < 8 ? [size - 1 - bit, 8] : [8, size - 15 + bit];
    return [atCorner, atOthers];
  });
}

function createTemplate(version: number): Template {
  const size = symbolSize(version);
  const functionPatterns = new Int32Array(size * lineWords(size));
  const occupied = new Uint8Array(size * size);
  const draw = (x: number, y: number, dark: boolean): void => {
    if (x < 0 || x >= size || y < 0 || y >= size) return;
    occupied[y * size + x] = 1;
    if (dark) setDark(functionPatterns, size, x, y);
  };
  drawFinderPatterns(size, draw);
  drawTimingPatterns(size, draw);
  drawAlignmentPatterns(version, draw);
  if (version >= 7) drawVersionInformation(version, draw);
  for (const [x, y] of formatModules(size).flat()) draw(x, y, false);
  // The dark module (clause 7.9.1).
  draw(8, size - 8, true);
  const placement = placementOrder(size, occupied);
  const bits = [...placement].flatMap((module) => bitsOf(size, module & 0xff, module >>> 8));
  return { size, functionPatterns, placement, placementBits: Int32Array.from(bits) };
}

/** Sets a module of a function pattern in column `x` and row `y`; ignored outside the symbol. */
type Draw = (x: number, y: number, dark: boolean) => void;

/** Draws finder patterns with their separators (clauses 6.3.3, 6.3.4). */
function drawFinderPatterns(size: number, draw: Draw): void {
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) {
    drawSquares(x, y, 4, (ring) => ring !== 2 && ring !== 4, draw);
  }
}

/** Draws alternating modules between the finder patterns, in row 6 and column 6 (clause 6.3.5). */
function drawTimingPatterns(size: number, draw: Draw): void {
  for (let i = 8; i < size - 8; i++) {
    draw(i, 6, i % 2 === 0);
    draw(6, i, i % 2 === 0);
  }
}

/** Draws alignment patterns, except on finder patterns (clause 6.3.6). */
function drawAlignmentPatterns(version: number, draw: Draw): void {
  const positions = alignmentPositions(version);
  const last = positions.at(-1);
  for (const x of positions) {
    for (const y of positions) {
      if (x === 6 && (y === 6 || y === last) || x === last && y === 6) continue;
      drawSquares(x, y, 2, (ring) => ring !== 1, draw);
    }
  }
}

/** Draws concentric squares around a centre; `isDark` decides by distance, at most `radius`. */
function drawSquares(
  centreX: number,
  centreY: number,
  radius: number,
  isDark: (ring: number) => boolean,
  draw: Draw,
): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      draw(centreX + dx, centreY + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }
}

/** Draws version information beside two finder patterns (clause 7.10). */
function drawVersionInformation(version: number, draw: Draw): void {
  const information = versionInformation(version);
  const edge = symbolSize(version) - 11;
  for (let bit = 0; bit < 18; bit++) {
    const along = Math.floor(bit / 3);
    const across = edge + bit % 3;
    const dark = (information >>> bit & 1) === 1;
    draw(along, across, dark);
    draw(across, along, dark);
  }
}

/**
 * Lists the modules that are not `occupied`, in the order of clause 7.7.3: two columns at a time
 * from the right, alternately upwards and downwards, without the vertical timing pattern.
 */
function placementOrder(size: number, occupied: Uint8Array): Uint16Array {
  const order: number[] = [];
  let upwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let i = 0; i < size; i++) {
      const y = upwards ? size - 1 - i : i;
      const free = [right, right - 1].filter((x) => occupied[y * size + x] === 0);
      order.push(...free.map((x) => y << 8 | x));
    }
    upwards = !upwards;
  }
  return Uint16Array.from(order);
}
