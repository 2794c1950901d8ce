import { assertEquals } from "@std/assert/equals";
import { templateOf } from "../../../lib/qr/matrix.ts";
import {
  alignmentPositions,
  blockLayout,
  codewordCount,
  type ErrorCorrectionLevel,
  formatInformation,
  symbolSize,
  versionInformation,
} from "../../../lib/qr/tables.ts";

const LEVELS: readonly ErrorCorrectionLevel[] = ["L", "M"];
const VERSIONS = Array.from({ length: 40 }, (_, i) => i + 1);

// Table 1, the capacity in codewords of versions 1 to 40.
// deno-fmt-ignore
const CODEWORDS = [
    26,   44,   70,  100,  134,  172,  196,  242,  292,  346,
   404,  466,  532,  581,  655,  733,  815,  901,  991, 1085,
  1156, 1258, 1364, 1474, 1588, 1706, 1828, 1921, 2051, 2185,
  2323, 2465, 2611, 2761, 2876, 3034, 3196, 3362, 3532, 3706,
];

// Table 1, remainder bits, by the last version of each group.
const REMAINDER_BITS = [[1, 0], [6, 7], [13, 0], [20, 3], [27, 4], [34, 3], [40, 0]] as const;

Deno.test("codewordCount() returns the figures of table 1", () => {
  assertEquals(VERSIONS.map(codewordCount), CODEWORDS);
});

Deno.test("templateOf() leaves a module free for each codeword bit and remainder bit", () => {
  for (const version of VERSIONS) {
    const remainderBits = REMAINDER_BITS.find(([last]) => version <= last)![1];
    const expected = 8 * CODEWORDS[version - 1]! + remainderBits;
    assertEquals(templateOf(version).placement.length, expected, `version ${version}`);
  }
});

Deno.test("templateOf() places no module twice", () => {
  for (const version of VERSIONS) {
    const { placement } = templateOf(version);
    assertEquals(new Set(placement).size, placement.length, `version ${version}`);
  }
});

Deno.test("blockLayout() shares all codewords of a symbol out among its blocks", () => {
  for (const version of VERSIONS) {
    for (const level of LEVELS) {
      const { blocks, ecCodewords, dataCodewords } = blockLayout(version, level);
      assertEquals(blocks * ecCodewords + dataCodewords, CODEWORDS[version - 1]!);
      // No block is longer than its code, and the divisor has one of the degrees of annex A.
      assertEquals(Math.ceil(dataCodewords / blocks) + ecCodewords <= 255, true);
      assertEquals([7, 10, 13, 15, 16, 17, 18, 20, 22, 24, 26, 28, 30].includes(ecCodewords), true);
    }
  }
});

Deno.test("blockLayout() has more error correction at each higher level", () => {
  for (const version of VERSIONS) {
    const data = LEVELS.map((level) => blockLayout(version, level).dataCodewords);
    assertEquals(data, data.toSorted((a, b) => b - a), `version ${version}`);
    assertEquals(new Set(data).size, 2, `version ${version}`);
  }
});

Deno.test("symbolSize() returns 21 to 177 modules", () => {
  assertEquals([1, 2, 7, 40].map(symbolSize), [21, 25, 45, 177]);
});

Deno.test("alignmentPositions() returns the rows of table E.1", () => {
  const rows: readonly (readonly [number, ...number[]])[] = [
    [1],
    [2, 6, 18],
    [6, 6, 34],
    [7, 6, 22, 38],
    [13, 6, 34, 62],
    [14, 6, 26, 46, 66],
    [15, 6, 26, 48, 70],
    [16, 6, 26, 50, 74],
    [20, 6, 34, 62, 90],
    [21, 6, 28, 50, 72, 94],
    [22, 6, 26, 50, 74, 98],
    [27, 6, 34, 62, 90, 118],
    [28, 6, 26, 50, 74, 98, 122],
    [30, 6, 26, 52, 78, 104, 130],
    [31, 6, 30, 56, 82, 108, 134],
    [32, 6, 34, 60, 86, 112, 138],
    [33, 6, 30, 58, 86, 114, 142],
    [35, 6, 30, 54, 78, 102, 126, 150],
    [36, 6, 24, 50, 76, 102, 128, 154],
    [39, 6, 26, 54, 82, 110, 138, 166],
    [40, 6, 30, 58, 86, 114, 142, 170],
  ];
  for (const [version, ...positions] of rows) {
    assertEquals([...alignmentPositions(version)], positions, `version ${version}`);
  }
});

Deno.test("formatInformation() returns the sequences of table C.1", () => {
  const table: Readonly<Record<ErrorCorrectionLevel, readonly number[]>> = {
    M: [0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0],
    L: [0x77c4, 0x72f3, 0x7daa, 0x789d, 0x662f, 0x6318, 0x6c41, 0x6976],
  };
  for (const level of LEVELS) {
    assertEquals(table[level].map((_, mask) => formatInformation(level, mask)), [...table[level]]);
  }
});

Deno.test("versionInformation() returns the sequences of table D.1", () => {
  assertEquals(
    [7, 8, 9, 10, 21, 32, 40].map(versionInformation),
    [0x07c94, 0x085bc, 0x09a99, 0x0a4d3, 0x15683, 0x209d5, 0x28c69],
  );
});
