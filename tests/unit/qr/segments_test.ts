import { assertEquals } from "@std/assert/equals";
import {
  bitLength,
  type Mode,
  optimalSegments,
  type Segment,
  VERSION_RANGES,
} from "../../../lib/qr/segments.ts";
import { KEY_URIS } from "./accounts.ts";
import { randomText, seededRandom } from "../../support/random.ts";
import { segment } from "./symbol.ts";

const MODES: readonly Mode[] = ["numeric", "alphanumeric", "byte"];
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

// The bits of mode indicator and character count indicator, by range of versions (tables 2 and 3).
const HEADER_BITS: Readonly<Record<Mode, readonly number[]>> = {
  numeric: [4 + 10, 4 + 12, 4 + 14],
  alphanumeric: [4 + 9, 4 + 11, 4 + 13],
  byte: [4 + 8, 4 + 16, 4 + 16],
};

function dataBits(mode: Mode, count: number): number {
  if (mode === "byte") return 8 * count;
  if (mode === "alphanumeric") return 11 * Math.floor(count / 2) + 6 * (count % 2);
  return 10 * Math.floor(count / 3) + [0, 4, 7][count % 3]!;
}

function encodable(mode: Mode, byte: number): boolean {
  const character = String.fromCharCode(byte);
  return mode === "byte" || ALPHANUMERIC.slice(0, mode === "numeric" ? 10 : 45).includes(character);
}

/** The fewest bits of all segmentations, tried one by one: every mode for every byte. */
function fewestBitsByTrial(bytes: Uint8Array, range: number): number {
  let fewest = Infinity;
  for (let trial = 0; trial < 3 ** bytes.length; trial++) {
    const modes = Array.from(bytes, (_, i) => MODES[Math.floor(trial / 3 ** i) % 3]!);
    if (!modes.every((mode, i) => encodable(mode, bytes[i]!))) continue;
    let bits = 0;
    let end = 0;
    while (end < modes.length) {
      const start = end;
      while (end < modes.length && modes[end] === modes[start]) end++;
      bits += HEADER_BITS[modes[start]!][range]! + dataBits(modes[start]!, end - start);
    }
    fewest = Math.min(fewest, bits);
  }
  return fewest;
}

/** The fewest bits of all segmentations, the last segment of each beginning being every one. */
function fewestBits(bytes: Uint8Array, range: number): number {
  const fewest = [0];
  for (let end = 1; end <= bytes.length; end++) {
    fewest[end] = Infinity;
    for (const mode of MODES) {
      for (let start = end - 1; start >= 0 && encodable(mode, bytes[start]!); start--) {
        const bits = fewest[start]! + HEADER_BITS[mode][range]! + dataBits(mode, end - start);
        fewest[end] = Math.min(fewest[end]!, bits);
      }
    }
  }
  return fewest[bytes.length]!;
}

/** The bytes that `segments` hold. */
function contentOf(segments: readonly Segment[]): number[] {
  return segments.flatMap(({ mode, values }) =>
    Array.from(values, (value) => mode === "byte" ? value : ALPHANUMERIC.charCodeAt(value))
  );
}

/** A text of a few stretches, each of which one of the modes is made for. */
function patchwork(random: (limit: number) => number, longest: number): string {
  const alphabets = ["0123456789", ALPHANUMERIC, "abcdefghij", "aé漢"];
  return Array.from(
    { length: 1 + random(5) },
    () => randomText(random, alphabets[random(4)]!, 1 + random(longest)),
  ).join("");
}

Deno.test("optimalSegments() needs the fewest bits of all segmentations of short texts", () => {
  const random = seededRandom(1);
  for (let i = 0; i < 100; i++) {
    const bytes = new TextEncoder().encode(patchwork(random, 4)).subarray(0, 8);
    for (const [range, versions] of VERSION_RANGES.entries()) {
      const segments = optimalSegments(bytes, versions);
      const message = `${bytes} in range ${range}`;
      assertEquals(bitLength(segments, versions.min), fewestBitsByTrial(bytes, range), message);
    }
  }
});

Deno.test("optimalSegments() needs the fewest bits, and loses nothing, when texts are long", () => {
  const random = seededRandom(2);
  const texts = Array.from({ length: 300 }, () => patchwork(random, 25));
  for (const text of [...texts, ...KEY_URIS]) {
    const bytes = new TextEncoder().encode(text);
    for (const [range, versions] of VERSION_RANGES.entries()) {
      const segments = optimalSegments(bytes, versions);
      assertEquals(bitLength(segments, versions.max), fewestBits(bytes, range), text);
      assertEquals(contentOf(segments), [...bytes], text);
    }
  }
});

Deno.test("optimalSegments() counts a segment in whole bits before it begins the next", () => {
  const bytes = new TextEncoder().encode("aaddbacadbJH I7424192978270HDCGHDFF I C$");
  assertEquals(bitLength(optimalSegments(bytes, VERSION_RANGES[2]!), 27), 282);
  assertEquals(fewestBits(bytes, 2), 282);
});

Deno.test("optimalSegments() changes mode only where that pays", () => {
  const rows = [
    ["", ""],
    ["1", "numeric"],
    ["A1", "alphanumeric"],
    ["a1", "byte"],
    // Six digits as bytes take 48 bits; as a numeric segment, 20 + 14, and 12 to start bytes again.
    ["a12345b", "byte"],
    ["a123456b", "byte numeric byte"],
    ["é123456789", "byte numeric"],
    ["ABCDEFGHIJ0123456789012", "alphanumeric numeric"],
    // As many bits either way: fewer segments.
    ["a123", "byte"],
    ["aABCDEF", "byte", 1],
    ["1234a", "byte", 2],
  ] as const;
  for (const [text, modes, range = 0] of rows) {
    const segments = optimalSegments(new TextEncoder().encode(text), VERSION_RANGES[range]!);
    assertEquals(segments.map(({ mode }) => mode).join(" "), modes, text);
  }
});

Deno.test("bitLength() counts indicators and the last, incomplete groups of characters", () => {
  for (const mode of MODES) {
    for (let count = 0; count <= 12; count++) {
      const segments = [segment(mode, "7".repeat(count))];
      for (const [range, { min, max }] of VERSION_RANGES.entries()) {
        const expected = HEADER_BITS[mode][range]! + dataBits(mode, count);
        assertEquals([min, max].map((v) => bitLength(segments, v)), [expected, expected]);
      }
    }
  }
});

Deno.test("createSegment() encodes characters with the values of table 5", () => {
  assertEquals([...segment("numeric", "0189").values], [0, 1, 8, 9]);
  assertEquals(
    [...segment("alphanumeric", "09AZ $%*+-./:").values],
    [0, 9, 10, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44],
  );
  assertEquals([...segment("byte", "aé").values], [0x61, 0xc3, 0xa9]);
});
