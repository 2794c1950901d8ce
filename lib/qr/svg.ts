/**
 * SVG picture of a QR Code symbol, as plain data that a writer of markup turns into text.
 *
 * @module
 */

import { type QrCode, rowWords } from "./symbol.ts";
import { type PictureSize, QUIET_ZONE_MODULES } from "./tables.ts";

export type { PictureSize };

/** An SVG element. */
export interface SvgElement {
  /** Local name. */
  readonly name: string;
  /** Attributes by name, in the order to be written; values unescaped. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Child elements. */
  readonly children: readonly SvgElement[];
}

const USUAL_PIXELS = 300;

/** Smallest module that cameras read well off a screen, in pixels. */
const MIN_MODULE_PIXELS = 3;

// Set every inherited property that affects drawing: CSS of the surrounding page reaches the
// picture by inheritance, and an attribute on the element itself overrides that (SVG 2 §13).
const GROUND = { "fill": "#fff", "fill-opacity": "1", "stroke": "none" };
const MODULES = {
  "fill": "none",
  "stroke": "#000",
  "stroke-width": "1",
  "stroke-opacity": "1",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  "stroke-miterlimit": "4",
  "stroke-dasharray": "none",
  "stroke-dashoffset": "0",
  "marker-start": "none",
  "marker-mid": "none",
  "marker-end": "none",
  "shape-rendering": "crispEdges",
};

/**
 * Draws `code` with the accessible name `label`: an opaque white ground that includes the quiet
 * zone, and all dark modules as one black path. The picture needs no style sheet and looks the same
 * on a dark page. In a picture that is not square, the symbol is in the middle.
 *
 * @param size Default 300 by 300 pixels, or more to give each module three pixels.
 */
export function svgElement(
  code: QrCode,
  label: string,
  size: PictureSize = usualSize(code),
): SvgElement {
  const side = String(sideOf(code));
  return {
    name: "svg",
    attributes: {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${side} ${side}`,
      width: String(size.width),
      height: String(size.height),
      role: "img",
      "aria-label": label,
    },
    children: [
      { name: "rect", attributes: { width: side, height: side, ...GROUND }, children: [] },
      { name: "path", attributes: { ...MODULES, d: pathData(code) }, children: [] },
    ],
  };
}

/** Returns the number of modules per side of the picture. */
function sideOf(code: QrCode): number {
  return code.size + 2 * QUIET_ZONE_MODULES;
}

function usualSize(code: QrCode): PictureSize {
  const pixels = Math.max(USUAL_PIXELS, MIN_MODULE_PIXELS * sideOf(code));
  return { width: pixels, height: pixels };
}

/**
 * Draws runs of dark modules as strokes one module wide along the middle of each row. Each run
 * starts relative to the end of the one before, which takes the fewest bytes.
 */
function pathData({ size, rows }: QrCode): string {
  const words = rowWords(size);
  let path = "";
  // Position of the pen, in modules of the symbol; at first the picture's origin.
  let penX = -QUIET_ZONE_MODULES;
  let penY = -QUIET_ZONE_MODULES - 0.5;
  let start = 0;
  for (let y = 0; y < size; y++) {
    let previous = 0;
    for (let word = 0; word < words; word++) {
      const modules = rows[y * words + word]!;
      // Bits where a module differs from the one before. A row has an odd number of modules, so its
      // last word has room for the edge after the last of them.
      let edges = modules ^ (modules << 1 | previous >>> 31);
      for (; edges !== 0; edges &= edges - 1) {
        const x = 32 * word + 31 - Math.clz32(edges & -edges);
        if ((modules >>> x & 1) === 1) start = x;
        else {
          path += runData(start - penX, y - penY, x - start);
          penX = x;
          penY = y;
        }
      }
      previous = modules;
    }
  }
  return path;
}

// Cache of frequent runs: most are short, after a short gap in their row, and formatting each would
// take longer than the rest of the path. The parts are joined, since JavaScriptCore keeps a
// template's result in parts and would gather them again in each path.
const SHORT = 16;
const SHORT_RUNS: readonly string[] = Array.from(
  { length: SHORT * SHORT },
  (_, i) => ["m", Math.floor(i / SHORT), " 0h", i % SHORT].join(""),
);

/** Moves the pen by `dx` and `dy`, and draws a run of `length` modules to the right. */
function runData(dx: number, dy: number, length: number): string {
  if (dy === 0 && dx < SHORT && length < SHORT) return SHORT_RUNS[dx * SHORT + length]!;
  return `m${dx} ${dy}h${length}`;
}
