/**
 * Mask patterns, their format information, and the choice between them (ISO/IEC 18004:2015 clauses
 * 7.8 and 7.9).
 *
 * @module
 */

import { formatModules, lineWords, setDark, type Template, templateOf } from "./matrix.ts";
import { penalty } from "./penalty.ts";
import { type ErrorCorrectionLevel, formatInformation } from "./tables.ts";

// Table 10: a mask pattern inverts the module in column x and row y when its condition holds.
const MASK_CONDITIONS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (y + x) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x, _y) => x % 3 === 0,
  (x, y) => (y + x) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => (y * x) % 2 + (y * x) % 3 === 0,
  (x, y) => ((y * x) % 2 + (y * x) % 3) % 2 === 0,
  (x, y) => ((y + x) % 2 + (y * x) % 3) % 2 === 0,
];

const layersByVersionAndLevel = new Map<string, readonly Int32Array[]>();

/**
 * Returns the layers of a version and level, one double matrix per mask pattern: the modules to
 * invert in a symbol without mask and format information to give it both. Made on first use, then
 * cached.
 */
export function maskLayers(version: number, level: ErrorCorrectionLevel): readonly Int32Array[] {
  const key = version + level;
  let layers = layersByVersionAndLevel.get(key);
  if (layers === undefined) {
    const template = templateOf(version);
    layers = MASK_CONDITIONS.map((_, mask) => createLayer(template, level, mask));
    layersByVersionAndLevel.set(key, layers);
  }
  return layers;
}

function createLayer(template: Template, level: ErrorCorrectionLevel, mask: number): Int32Array {
  const { size, placement } = template;
  const layer = new Int32Array(size * lineWords(size));
  const inverts = MASK_CONDITIONS[mask]!;
  for (const module of placement) {
    const x = module & 0xff;
    const y = module >>> 8;
    if (inverts(x, y)) setDark(layer, size, x, y);
  }
  const information = formatInformation(level, mask);
  formatModules(size).forEach((modules, bit) => {
    if ((information >>> bit & 1) === 0) return;
    for (const [x, y] of modules) setDark(layer, size, x, y);
  });
  return layer;
}

/**
 * Finds the mask pattern, 0 to 7, with the lowest penalty among `matrix` inverted by each of
 * `layers`; of equals, the lowest number.
 */
export function bestMask(matrix: Int32Array, layers: readonly Int32Array[], size: number): number {
  let best = 0;
  let lowest = Infinity;
  const masked = new Int32Array(matrix.length);
  layers.forEach((layer, mask) => {
    for (let i = 0; i < masked.length; i++) masked[i] = matrix[i]! ^ layer[i]!;
    const points = penalty(masked, size, lowest);
    if (points >= lowest) return;
    best = mask;
    lowest = points;
  });
  return best;
}
