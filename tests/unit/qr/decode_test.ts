/// <reference types="../../support/peers.d.ts" />

import { assertEquals } from "@std/assert/equals";
import jsqr from "jsqr";
import { encodeQr, isDark, type QrCode } from "../../../lib/qr/encode.ts";
import { createSegment } from "../../../lib/qr/segments.ts";
import { blockLayout, type ErrorCorrectionLevel } from "../../../lib/qr/tables.ts";
import { KEY_URIS } from "./accounts.ts";
import { randomText, seededRandom } from "../../support/random.ts";
import { symbol, symbolOf } from "./symbol.ts";

const LEVELS: readonly ErrorCorrectionLevel[] = ["L", "M"];
const PIXELS_PER_MODULE = 3;
const QUIET_ZONE = 4;

/** What a reader sees in `code`; the modules of `flipped` are seen wrong. */
function read(
  code: QrCode | undefined,
  flipped: (x: number, y: number) => boolean = () => false,
): ReturnType<typeof jsqr.default> {
  if (code === undefined) return null;
  const side = (code.size + 2 * QUIET_ZONE) * PIXELS_PER_MODULE;
  const pixels = new Uint8ClampedArray(4 * side * side).fill(255);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const moduleX = Math.floor(x / PIXELS_PER_MODULE) - QUIET_ZONE;
      const moduleY = Math.floor(y / PIXELS_PER_MODULE) - QUIET_ZONE;
      if (isDark(code, moduleX, moduleY) === flipped(moduleX, moduleY)) continue;
      pixels.fill(0, 4 * (y * side + x), 4 * (y * side + x) + 3);
    }
  }
  return jsqr.default(pixels, side, side);
}

Deno.test("encodeQr() makes symbols that a reader reads when the text is a Key URI", () => {
  for (const [i, uri] of KEY_URIS.entries()) {
    assertEquals(read(encodeQr(uri, LEVELS[i % 2]!))?.data, uri);
    assertEquals(read(encodeQr(uri, "M"))?.data, uri);
  }
});

// Where versions begin to differ; encode_test.ts compares all with another encoder.
const VERSIONS = [1, 2, 6, 7, 9, 10, 14, 26, 27, 32, 40];

Deno.test("encodeQr() makes symbols that a reader reads where versions begin to differ", () => {
  const random = seededRandom(8);
  for (const version of VERSIONS) {
    for (const level of version < 10 ? LEVELS : [LEVELS[version % 2]!]) {
      const length = blockLayout(version, level).dataCodewords - 3;
      const text = randomText(random, "abcdefghijklmnopqrstuvwxyz/:?&", length);
      const result = read(symbol(text, level, { version }));
      assertEquals([result?.version, result?.data], [version, text], `${version}-${level}`);
    }
  }
});

Deno.test("encodeQr() makes symbols that a reader reads when the text needs several modes", () => {
  const texts = [
    "0123456789012345678901234567890",
    "HTTPS://EXAMPLE.COM/$%*+-./: 0",
    "abc0123456789012345ABCDEFGHIJKLMNOPQRSTUVWXYZxyz",
    "Bücher & Söhne 株式会社 😀",
    "é0123456789012345é",
    "漢字ABCDEFGHIJKLMNOPQRSTUVWXYZ12345678901234567890",
  ];
  for (const text of texts) {
    for (const level of LEVELS) assertEquals(read(encodeQr(text, level))?.data, text);
    assertEquals(read(encodeQr(text.repeat(9), "L"))?.data, text.repeat(9));
  }
});

Deno.test("encodeQr() marks bytes as UTF-8 where one is not ASCII, and only there", () => {
  const eci = (text: string): readonly number[] =>
    read(encodeQr(text, "M"))!.chunks.flatMap(({ type, assignmentNumber }) =>
      type === "eci" ? [assignmentNumber!] : []
    );
  for (const text of ["café", "\x80", "é0123456789012345é", "日本語", "😀", "\ufffd".repeat(300)]) {
    assertEquals([eci(text), read(encodeQr(text, "M"))?.data], [[26], text]);
  }
  for (const text of ["cafe", "0123456789", "HTTPS://A", "\x7f", "a\0b", ...KEY_URIS]) {
    assertEquals(eci(text), [], text);
  }
});

Deno.test("encodeQr() makes U+FFFD of a lone surrogate", () => {
  assertEquals(read(encodeQr("a\ud800b", "M"))?.data, "a\ufffdb");
});

Deno.test("createSymbol() makes symbols that give back any bytes", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  const code = symbolOf([createSegment("byte", bytes)], 20, "M");
  assertEquals([...read(code)?.binaryData ?? []], [...bytes]);
});

Deno.test("encodeQr() makes symbols that a reader reads when modules are damaged", () => {
  // 4 by 4 modules lie in at most 9 codewords; 5-L corrects 13, each block of 5-M 12.
  const damaged = (x: number, y: number): boolean => x >= 20 && x < 24 && y >= 12 && y < 16;
  for (const level of LEVELS) {
    const text = "otpauth://totp/Contoso?secret=GEZDGNBVGY3TQO";
    const code = symbol(text, level, { version: 5 });
    assertEquals(read(code, damaged)?.data, text, level);
  }
});
