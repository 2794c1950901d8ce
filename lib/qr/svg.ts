/**
 * A QR Code symbol as an SVG picture: plain data, which a writer of markup turns into text.
 *
 * @module
 */

import { type QrCode, rowWords } from "./encode.ts";
import type { PictureSize } from "./png.ts";
import { QUIET_ZONE_MODULES } from "./tables.ts";

/** An SVG element. */
export interface SvgElement {
  /** The local name. */
  readonly name: string;
  /** The attributes by name, in the order in which they are to be written; values unescaped. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The child elements. */
  readonly children: readonly SvgElement[];
}

const USUAL_PIXELS = 300;

/** Smallest module that cameras read well off a screen. */
const MIN_MODULE_PIXELS = 3;

// CSS of the page around the picture reaches it by inheritance, and an attribute on the element
// itself is stronger: so each inherited property that draws has one (SVG 2 §13).
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
 * The picture of `code` with the accessible name `label`: an opaque white ground that takes in the
 * quiet zone, and on it all dark modules as one black path. It needs no style sheet, and looks the
 * same on a dark page. Where it is not as wide as high, the symbol is in its middle.
 *
 * @param size 300 by 300 pixels unless given, and as much more as three pixels a module take.
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

/** The modules on one side of the picture. */
function sideOf(code: QrCode): number {
  return code.size + 2 * QUIET_ZONE_MODULES;
}

function usualSize(code: QrCode): PictureSize {
  const pixels = Math.max(USUAL_PIXELS, MIN_MODULE_PIXELS * sideOf(code));
  return { width: pixels, height: pixels };
}

/**
 * The runs of dark modules as strokes one module wide along the middle of each row. Each run starts
 * relative to the end of the one before it, which takes the fewest bytes.
 */
function pathData({ size, rows }: QrCode): string {
  const words = rowWords(size);
  let path = "";
  // Where the pen is, in modules of the symbol; at first at the picture's origin.
  let penX = -QUIET_ZONE_MODULES;
  let penY = -QUIET_ZONE_MODULES - 0.5;
  let start = 0;
  for (let y = 0; y < size; y++) {
    let previous = 0;
    for (let word = 0; word < words; word++) {
      const modules = rows[y * words + word]!;
      // Where a module differs from the one before it. A row has an odd number of modules, so that
      // its last word has room for the edge after the last of them.
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

// Most runs are short and follow another one in their row after a short gap; to make their text
// anew each time would take longer than all the rest of the path. Joined, since JavaScriptCore keeps
// a template's result in parts and would gather them again in each path.
const SHORT = 16;
const SHORT_RUNS: readonly string[] = Array.from(
  { length: SHORT * SHORT },
  (_, i) => ["m", Math.floor(i / SHORT), " 0h", i % SHORT].join(""),
);

/** A move of the pen by `dx` and `dy`, and a run of `length` modules to the right. */
function runData(dx: number, dy: number, length: number): string {
  if (dy === 0 && dx < SHORT && length < SHORT) return SHORT_RUNS[dx * SHORT + length]!;
  return `m${dx} ${dy}h${length}`;
}
