/**
 * PNG picture of a QR Code symbol (ISO/IEC 15948, W3C PNG third edition), one bit a pixel.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import { isDark, type QrCode } from "./symbol.ts";
import { type PictureSize, QUIET_ZONE_MODULES } from "./tables.ts";

export type { PictureSize };

// W3C PNG §5.2 and §11.2.1: bit depth 1, greyscale, and the only methods defined.
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const FORMAT = [1, 0, 0, 0, 0];
const FILTER_NONE = 0;
const FILTER_UP = 2;

/**
 * Draws a symbol in the middle of a white ground, each module a square of whole pixels, as large as
 * the size allows with a quiet zone of four modules. A size too small for that gets one pixel a
 * module and a narrower quiet zone.
 *
 * @returns PNG file; undefined when the size has fewer pixels than the symbol has modules.
 */
export function pngImage(
  code: QrCode,
  size: PictureSize,
): Uint8Array<ArrayBuffer> | undefined {
  const side = Math.min(size.width, size.height);
  if (side < code.size) return undefined;
  const scale = Math.max(1, Math.floor(side / (code.size + 2 * QUIET_ZONE_MODULES)));
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  return Uint8Array.from(Buffer.concat([
    SIGNATURE,
    chunk("IHDR", Buffer.concat([header, Buffer.from(FORMAT)])),
    chunk("IDAT", deflateSync(scanlines(code, size, scale))),
    chunk("IEND", Buffer.alloc(0)),
  ]));
}

// Draws the scanlines of a picture. A line is its filter type and its pixels, eight in a byte,
// white set (§7.2, §9.2). A line equal to the one above is filtered by Up and left as zeros, which
// saves drawing and compression.
function scanlines(code: QrCode, { width, height }: PictureSize, scale: number): Uint8Array {
  const stride = 1 + Math.ceil(width / 8);
  const lines = new Uint8Array(stride * height);
  const left = Math.floor((width - code.size * scale) / 2);
  const top = Math.floor((height - code.size * scale) / 2);
  let above: number | undefined;
  for (let y = 0; y < height; y++) {
    const row = rowAt(y - top, scale, code.size);
    const line = lines.subarray(y * stride, (y + 1) * stride);
    line[0] = row === above ? FILTER_UP : FILTER_NONE;
    if (row !== above) drawRow(line.subarray(1), code, row, { left, scale });
    above = row;
  }
  return lines;
}

// Returns the row of the symbol `y` pixels below its upper edge; -1 outside the symbol.
function rowAt(y: number, scale: number, size: number): number {
  const row = Math.floor(y / scale);
  return row < size ? Math.max(row, -1) : -1;
}

function drawRow(
  pixels: Uint8Array,
  code: QrCode,
  row: number,
  { left, scale }: { readonly left: number; readonly scale: number },
): void {
  pixels.fill(0xff);
  for (let column = 0; column < code.size; column++) {
    if (!isDark(code, column, row)) continue;
    const start = left + column * scale;
    for (let x = start; x < start + scale; x++) pixels[x >>> 3]! &= ~(0x80 >>> (x & 7));
  }
}

// Makes a chunk: length, type, data, and the CRC of type and data (§5.3).
function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
