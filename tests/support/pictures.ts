/**
 * Readers of the pictures that are made: PNG and QR codes by independent decoders, SVG by another
 * parser and a pen that follows the path, terminal text by what a terminal shows.
 *
 * @module
 */

/// <reference types="./peers.d.ts" />

import { Buffer } from "node:buffer";
import { assertEquals } from "@std/assert/equals";
import jsqr from "jsqr";
import { PNG } from "pngjs";
import { SaxesParser } from "saxes";

/** Black and white pixels. */
export interface Picture {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Whether a pixel is white. */
  readonly isWhite: (x: number, y: number) => boolean;
}

/** Reads a PNG of one bit a pixel, greyscale, in one chunk and with no other. */
export function readPng(png: Uint8Array): Picture {
  const file = Buffer.from(png);
  const chunks: string[] = [];
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    chunks.push(file.toString("latin1", at + 4, at + 8));
  }
  assertEquals(chunks, ["IHDR", "IDAT", "IEND"]);
  const { width, height, depth, colorType, interlace, data } = PNG.sync.read(file);
  assertEquals({ depth, colorType, interlace }, { depth: 1, colorType: 0, interlace: false });
  // Each pixel as red, green, blue and alpha.
  return { width, height, isWhite: (x, y) => data[4 * (y * width + x)] === 255 };
}

/** Reads the one SVG in a piece of well-formed markup: a ground and horizontal strokes on it. */
export function readSvg(markup: string): Picture {
  const elements = new Map<string, Record<string, string>>();
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    assertEquals(elements.has(name), false, `two elements ${name}`);
    elements.set(name, attributes);
  });
  parser.write(markup).close();
  const [, width, height] = /^0 0 (\d+) (\d+)$/.exec(elements.get("svg")!["viewBox"]!)!.map(Number);
  const { width: groundWidth, height: groundHeight, fill } = elements.get("rect")!;
  assertEquals([groundWidth, groundHeight, fill], [`${width}`, `${height}`, "#fff"]);
  const black = new Set<string>();
  let x = 0;
  // A stroke is as wide as a pixel, along its middle.
  let y = -0.5;
  const path = elements.get("path")!["d"]!;
  assertEquals(/^(m-?\d+ -?\d+(\.5)?h\d+)+$/.test(path), true, path);
  for (const [, dx, dy, length] of path.matchAll(/m(\S+) ([\d.]+)h(\d+)/g)) {
    x += Number(dx);
    y += Number(dy);
    for (const end = x + Number(length); x < end; x++) black.add(`${x} ${y}`);
  }
  return { width: width!, height: height!, isWhite: (x, y) => !black.has(`${x} ${y}`) };
}

/** What a dark terminal shows of plain text, or any terminal of text in black on white. */
export function readTerminal(text: string): Picture {
  const rows = text.split("\n").flatMap((line) => {
    // deno-lint-ignore no-control-regex -- ESC is what commands a terminal
    const coloured = /^\x1b\[38;5;16;48;5;231m([^\x1b]*)\x1b\[0m$/.exec(line);
    const cells = [...(coloured?.[1] ?? line)];
    assertEquals(cells.filter((cell) => !" ▀▄█".includes(cell)), []);
    const inkIsWhite = coloured === null;
    const half = (inked: string): boolean[] =>
      cells.map((cell) => inked.includes(cell) === inkIsWhite);
    return [half("▀█"), half("▄█")];
  });
  const width = rows[0]!.length;
  assertEquals(rows.filter((row) => row.length !== width), []);
  return { width, height: rows.length, isWhite: (x, y) => rows[y]![x]! };
}

/** What a reader of QR codes reads, each pixel shown `scale` pixels wide and high. */
export function decode({ width, height, isWhite }: Picture, scale = 1): string | undefined {
  const pixels = new Uint8ClampedArray(4 * width * height * scale * scale).fill(255);
  for (let y = 0; y < height * scale; y++) {
    for (let x = 0; x < width * scale; x++) {
      const at = 4 * (y * width * scale + x);
      if (!isWhite(Math.floor(x / scale), Math.floor(y / scale))) pixels.fill(0, at, at + 3);
    }
  }
  return jsqr.default(pixels, width * scale, height * scale)?.data;
}

// ISO/IEC 18004 §7.9: the mask over the format information, and the levels by its first two bits.
const FORMAT_MASK = 0x5412;
const LEVELS = ["M", "L"];

/** Version and level of a symbol, as `40-L`, shown a pixel for each module, in a quiet zone. */
export function symbolOf({ width, isWhite }: Picture, quietZone = 4): string {
  const side = width - 2 * quietZone;
  const isDark = (x: number): number => isWhite(quietZone + x, quietZone + 8) ? 0 : 1;
  // The two most significant bits stand at the left end of row 8.
  const level = (isDark(0) << 1 | isDark(1)) ^ FORMAT_MASK >> 13;
  return `${(side - 17) / 4}-${LEVELS[level]}`;
}
