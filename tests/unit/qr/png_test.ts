import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { isDark, type QrCode } from "../../../lib/qr/encode.ts";
import { pngImage } from "../../../lib/qr/png.ts";
import { KEY_URIS } from "./accounts.ts";
import { decode, readPng } from "../../support/pictures.ts";
import { symbol } from "./symbol.ts";

const URI = KEY_URIS[0]!;

function codeOf(text: string, version?: number): QrCode {
  return symbol(text, "M", version === undefined ? {} : { version })!;
}

const USUAL = { width: 300, height: 300 };

Deno.test("pngImage() is read back in the usual size", () => {
  for (const uri of KEY_URIS) {
    const picture = readPng(pngImage(codeOf(uri), USUAL)!);
    assertEquals([picture.width, picture.height, decode(picture)], [300, 300, uri]);
  }
});

Deno.test("pngImage() is read back in small and large versions", () => {
  for (const version of [7, 22, 40]) {
    const picture = readPng(pngImage(codeOf(URI, version), { width: 1000, height: 1000 })!);
    assertEquals(decode(picture), URI, `version ${version}`);
  }
});

// Modules of version 1 on one side; the quiet zone adds 8.
const MODULES = 21;

// The width and height asked for, then pixels a module, and the symbol's left and upper edge.
const LAYOUTS: readonly (readonly [number, number, number, number, number])[] = [
  [29, 29, 1, 4, 4],
  [57, 57, 1, 18, 18],
  [58, 58, 2, 8, 8],
  [300, 300, 10, 45, 45],
  [64, 40, 1, 21, 9],
  [40, 64, 1, 9, 21],
  [1000, 1000, 34, 143, 143],
  // Too small for the whole quiet zone.
  [28, 28, 1, 3, 3],
  [21, 21, 1, 0, 0],
];

for (const [width, height, scale, left, top] of LAYOUTS) {
  Deno.test(`pngImage() draws ${scale} pixels a module in ${width}x${height}, centred`, () => {
    const code = codeOf("1", 1);
    assertEquals(code.size, MODULES);
    const picture = readPng(pngImage(code, { width, height })!);
    assertEquals([picture.width, picture.height], [width, height]);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const dark = isDark(code, Math.floor((x - left) / scale), Math.floor((y - top) / scale));
        assertEquals(picture.isWhite(x, y), !dark, `pixel ${x}, ${y}`);
      }
    }
  });
}

Deno.test("pngImage() returns nothing when a side has fewer pixels than the symbol has modules", () => {
  assertEquals(pngImage(codeOf("1", 1), { width: 20, height: 300 }), undefined);
  assertEquals(pngImage(codeOf("1", 1), { width: 300, height: 20 }), undefined);
});

Deno.test("pngImage() is small", () => {
  assert(pngImage(codeOf(URI), USUAL)!.length < 1000);
});
