/// <reference types="../../support/peers.d.ts" />

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import qrcode from "qrcode";
import { encodeQr, fitsScreen, isDark, type QrCode, rowWords } from "../../../lib/qr/encode.ts";
import type { Mode } from "../../../lib/qr/segments.ts";
import { blockLayout, type ErrorCorrectionLevel } from "../../../lib/qr/tables.ts";
import { KEY_URIS } from "./accounts.ts";
import { randomText, seededRandom } from "../../support/random.ts";
import { segment, symbol, symbolOf } from "./symbol.ts";

const LEVELS: readonly ErrorCorrectionLevel[] = ["L", "M"];
const VERSIONS = Array.from({ length: 40 }, (_, i) => i + 1);

const ALPHABETS: Readonly<Record<Mode, string>> = {
  numeric: "0123456789",
  alphanumeric: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:",
  byte: "abcdefghijklmnopqrstuvwxyz?&=%0123456789ABCDEF",
};

/** Where two symbols differ first, or an empty string. */
function firstDifference(
  code: QrCode | undefined,
  foreign: ReturnType<typeof qrcode.create>,
): string {
  if (code === undefined) return "there is no symbol";
  if (code.version !== foreign.version) return `version ${code.version}, not ${foreign.version}`;
  const { size, data } = foreign.modules;
  if (code.size !== size) return `size ${code.size}, not ${size}`;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (isDark(code, x, y) !== (data[y * size + x] === 1)) return `the module at ${x}, ${y}`;
    }
  }
  return "";
}

function foreignSymbol(
  parts: readonly (readonly [Mode, string])[],
  version: number,
  errorCorrectionLevel: ErrorCorrectionLevel,
  maskPattern: number,
): ReturnType<typeof qrcode.create> {
  const segments = parts.map(([mode, text]) => ({
    mode,
    data: mode === "byte" ? new TextEncoder().encode(text) : text,
  }));
  return qrcode.create(segments, { version, errorCorrectionLevel, maskPattern });
}

function compare(
  parts: readonly (readonly [Mode, string])[],
  version: number,
  level: ErrorCorrectionLevel,
  mask: number,
): void {
  const segments = parts.map(([mode, text]) => segment(mode, text));
  const code = symbolOf(segments, version, level, mask);
  const difference = firstDifference(code, foreignSymbol(parts, version, level, mask));
  assertEquals(difference, "", `${version}-${level}, mask pattern ${mask}, ${parts}`);
  assertEquals([code?.level, code?.mask], [level, mask]);
}

Deno.test("createSymbol() returns the symbol of another encoder where versions begin to differ", () => {
  // Alignment patterns from 2 on, several blocks, version information from 7 on, count indicators at
  // 10 and 27, and the alignment patterns of 32, which follow no rule.
  const rows: readonly (readonly [number, ErrorCorrectionLevel, number])[] = [
    [1, "L", 0],
    [2, "M", 1],
    [5, "L", 2],
    [6, "M", 3],
    [7, "L", 4],
    [9, "M", 5],
    [10, "L", 6],
    [14, "M", 7],
    [26, "L", 0],
    [27, "M", 1],
    [32, "L", 2],
  ];
  for (const [version, level, mask] of rows) {
    compare([["byte", "a=%2B"], ["numeric", "12345678"]], version, level, mask);
    compare([["alphanumeric", "A B"], ["numeric", "1234567"]], version, level, mask);
    const largest = blockLayout(version, level).dataCodewords - (version < 10 ? 2 : 3);
    compare([["byte", "x".repeat(largest)]], version, level, mask);
  }
});

/** The largest number of characters that fit, by bisection. */
function capacity(mode: Mode, version: number, level: ErrorCorrectionLevel): number {
  let fits = 0;
  let tooMany = 7090;
  while (tooMany - fits > 1) {
    const middle = fits + tooMany >>> 1;
    const segments = [segment(mode, "7".repeat(middle))];
    const code = symbolOf(segments, version, level, 0);
    if (code === undefined) tooMany = middle;
    else fits = middle;
  }
  return fits;
}

Deno.test("createSymbol() returns the symbol of another encoder in every version and level, with each mask pattern", () => {
  const random = seededRandom(3);
  for (const version of VERSIONS) {
    for (const [i, level] of LEVELS.entries()) {
      const largest = blockLayout(version, level).dataCodewords - (version < 10 ? 2 : 3);
      // Full, all but full, and with any amount of padding, each with another mask pattern.
      for (const [j, length] of [largest, largest - 1, 1 + random(largest)].entries()) {
        const mask = (version + 3 * i + 5 * j) % 8;
        compare([["byte", randomText(random, ALPHABETS.byte, length)]], version, level, mask);
      }
    }
  }
});

Deno.test("createSymbol() returns the symbol of another encoder for segments in all modes", () => {
  const random = seededRandom(4);
  for (const version of [1, 2, 5, 9, 10, 14, 26, 27, 32, 40]) {
    for (const level of LEVELS) {
      for (const mode of ["numeric", "alphanumeric"] as const) {
        const largest = capacity(mode, version, level);
        for (const length of [largest, largest - 1, largest - 2, 1 + random(largest)]) {
          compare([[mode, randomText(random, ALPHABETS[mode], length)]], version, level, random(8));
        }
      }
    }
  }
  for (const version of [5, 9, 10, 26, 27, 40]) {
    for (let i = 0; i < 10; i++) {
      const parts = Array.from({ length: 1 + random(3) }, () => {
        const mode = (["numeric", "alphanumeric", "byte"] as const)[random(3)]!;
        return [mode, randomText(random, ALPHABETS[mode], 1 + random(7))] as const;
      });
      compare(parts, version, LEVELS[random(2)]!, random(8));
    }
  }
});

Deno.test("smallestVersion() has the capacities of another encoder in each version, level and mode", () => {
  for (const version of VERSIONS) {
    for (const level of LEVELS) {
      for (const mode of ["numeric", "alphanumeric", "byte"] as const) {
        const largest = capacity(mode, version, level);
        const full = "7".repeat(largest);
        assertEquals(foreignSymbol([[mode, full]], version, level, 0).version, version);
        assertThrows(() => foreignSymbol([[mode, full + "7"]], version, level, 0), Error);
      }
    }
  }
});

Deno.test("encodeQr() chooses the next version when a text is longer than table 7 allows", () => {
  // Numeric, alphanumeric and byte capacity at L and M.
  // deno-fmt-ignore
  const rows: readonly (readonly number[])[] = [
    [ 1,   41,   25,   17,   34,   20,   14],
    [ 2,   77,   47,   32,   63,   38,   26],
    [ 5,  255,  154,  106,  202,  122,   84],
    [ 6,  322,  195,  134,  255,  154,  106],
    [ 7,  370,  224,  154,  293,  178,  122],
    [ 9,  552,  335,  230,  432,  262,  180],
    [10,  652,  395,  271,  513,  311,  213],
    [20, 2061, 1249,  858, 1600,  970,  666],
    [26, 3283, 1990, 1367, 2544, 1542, 1059],
    [27, 3517, 2132, 1465, 2701, 1637, 1125],
    [30, 4158, 2520, 1732, 3289, 1994, 1370],
    [40, 7089, 4296, 2953, 5596, 3391, 2331],
  ];
  for (const [version, ...capacities] of rows) {
    for (const [i, length] of capacities.entries()) {
      const level = LEVELS[Math.floor(i / 3)]!;
      const character = "7Ax"[i % 3]!;
      const versionOf = (text: string) => encodeQr(text, level)?.version;
      const next = version === 40 ? undefined : version! + 1;
      assertEquals(versionOf(character.repeat(length)), version, `${version}-${level}`);
      assertEquals(versionOf(character.repeat(length + 1)), next, `${version}-${level}`);
    }
  }
});

Deno.test("encodeQr() counts the bytes of UTF-8 when characters are beyond ASCII", () => {
  // 1-M has 128 bits: 12 of the ECI header, 12 to begin bytes, and 104 for 13 of them.
  assertEquals(encodeQr("é".repeat(6) + "x", "M")?.version, 1);
  assertEquals(encodeQr("é".repeat(7), "M")?.version, 2);
  assertEquals(encodeQr("é".repeat(6) + "xx", "M")?.version, 2);
  assertEquals(encodeQr("x".repeat(14), "M")?.version, 1);
});

Deno.test("encodeQr() returns a symbol of version 1 for an empty text", () => {
  assertEquals(encodeQr("", "M")?.version, 1);
});

Deno.test("encodeQr() keeps the level when a higher one would fit in the same version", () => {
  for (const level of LEVELS) assertEquals(encodeQr("7", level)?.level, level);
});

Deno.test("encodeQr() returns undefined when the text does not fit, and fitsScreen() false", () => {
  assertEquals(encodeQr("7".repeat(7090), "L"), undefined);
  assertEquals(encodeQr("x".repeat(2954), "L"), undefined);
  assertEquals(encodeQr("x".repeat(10_000_000), "L"), undefined);
  assertEquals([2953, 2954].map((length) => fitsScreen("x".repeat(length))), [true, false]);
});

Deno.test("encodeQr() returns the same symbol each time", () => {
  for (const uri of KEY_URIS) {
    const first = encodeQr(uri, "M");
    encodeQr(uri.toUpperCase(), "M");
    assertEquals(encodeQr(uri, "M"), first);
  }
});

Deno.test("encodeQr() leaves the bits of a row after the last module zero", () => {
  for (const version of VERSIONS) {
    const code = symbol("HELLO", "L", { version })!;
    const words = rowWords(code.size);
    assertEquals(code.rows.length, code.size * words);
    for (let y = 0; y < code.size; y++) {
      assertEquals(code.rows[y * words + words - 1]! >>> code.size % 32, 0);
    }
  }
});

Deno.test("isDark() is false outside the symbol", () => {
  const code = encodeQr("HELLO", "M")!;
  assert(isDark(code, 0, 0) && isDark(code, 20, 0) && isDark(code, 0, 20));
  for (const [x, y] of [[-1, 0], [0, -1], [21, 0], [0, 21], [-1, -1], [32, 0]] as const) {
    assertEquals(isDark(code, x, y), false, `${x}, ${y}`);
  }
});
