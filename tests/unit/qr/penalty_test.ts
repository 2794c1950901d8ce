import { assertEquals } from "@std/assert/equals";
import { encodeQr, isDark } from "../../../lib/qr/encode.ts";
import { bestMask } from "../../../lib/qr/mask.ts";
import { lineWords, setDark } from "../../../lib/qr/matrix.ts";
import { penalty } from "../../../lib/qr/penalty.ts";
import type { ErrorCorrectionLevel } from "../../../lib/qr/tables.ts";
import { KEY_URIS } from "./accounts.ts";
import { type Modules, naivePenalty, naivePoints } from "./naive_penalty.ts";
import { randomText, seededRandom } from "../../support/random.ts";
import { symbol } from "./symbol.ts";

const LEVELS: readonly ErrorCorrectionLevel[] = ["L", "M"];
const MASKS = [0, 1, 2, 3, 4, 5, 6, 7];

/** The penalty of a symbol of `size` by `size` modules, counted up to `limit`. */
function penaltyOf(modules: Modules, size: number, limit?: number): number {
  const matrix = new Int32Array(size * lineWords(size));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) if (modules(x, y)) setDark(matrix, size, x, y);
  }
  return penalty(matrix, size, limit);
}

/** The modules of a symbol given by its rows, dark ones as `#`. */
function drawn(rows: readonly string[]): Modules {
  return (x, y) => rows[y]![x] === "#";
}

Deno.test("bestMask() returns the first of the mask patterns with the same penalty", () => {
  const size = 21;
  const light = new Int32Array(size * lineWords(size));
  const finer = Int32Array.from(light, (_, i) => i % 2 === 0 ? 0x55555555 : 0);
  const choices = [[light], [light, light], [light, finer, finer, light], [finer, light, finer]];
  assertEquals(choices.map((layers) => bestMask(light, layers, size)), [0, 0, 1, 0]);
});

Deno.test("penalty() equals the sum of the rules, module by module, for any modules", () => {
  const random = seededRandom(5);
  for (let size = 21; size <= 177; size += 12) {
    for (const percentDark of [0, 5, 30, 50, 70, 95, 100]) {
      const dark = Uint8Array.from(
        { length: size * size },
        () => Number(random(100) < percentDark),
      );
      const modules: Modules = (x, y) => dark[y * size + x] === 1;
      assertEquals(penaltyOf(modules, size), naivePoints(modules, size), `size ${size}`);
    }
  }
});

Deno.test("penalty() equals the sum of the rules when patterns like a finder pattern abound", () => {
  const random = seededRandom(6);
  const pieces = ["#.###.#", "....", "...", ".", "#", "##", "####.#", "#.##"];
  for (let size = 21; size <= 177; size += 12) {
    const rows = Array.from({ length: size }, () => {
      let row = "";
      while (row.length < size) row += pieces[random(pieces.length)];
      return row.slice(0, size);
    });
    for (const modules of [drawn(rows), (x: number, y: number) => drawn(rows)(y, x)]) {
      assertEquals(naivePenalty(modules, size).n3 > 0, true);
      assertEquals(penaltyOf(modules, size), naivePoints(modules, size), `size ${size}`);
    }
  }
});

Deno.test("penalty() counts a finder-like pattern once, and the quiet zone as its light area", () => {
  // One row each, the rest of the symbol being light.
  const rows: readonly (readonly [string, number])[] = [
    ["......#.###.#....####", 1],
    ["####..#.###.#....####", 1],
    ["####....#.###.#..####", 1],
    ["#.###.#..####..####.#", 1],
    ["##.####..####.#.###.#", 1],
    ["####...#.###.#...####", 0],
    ["####....#.###.##.####", 0],
    ["##..##.###.#....#####", 0],
    ["####....##.###.#....#", 0],
    ["#.###.#....#.###.#.##", 2],
  ];
  for (const [row, count] of rows) {
    const light = ".".repeat(21);
    const symbol = [light, row, ...Array.from({ length: 19 }, () => light)];
    assertEquals(naivePenalty(drawn(symbol), 21).n3, 40 * count, row);
    assertEquals(penaltyOf(drawn(symbol), 21), naivePoints(drawn(symbol), 21), row);
  }
});

Deno.test("penalty() counts everything below its limit, and stops once it is reached", () => {
  let distinct = 0;
  for (const text of ["000000", "00000000000000", "HELLO 42"]) {
    for (const mask of MASKS) {
      const code = symbol(text, "M", { mask })!;
      const modules: Modules = (x, y) => isDark(code, x, y);
      const { n1, n2, n3, n4 } = naivePenalty(modules, code.size);
      const points = n1 + n2 + n3 + n4;
      // Each finder pattern has three rows and three columns like itself.
      const least = n1 + n2 + 40 * 18;
      if (least < points - n4 && n4 > 0) distinct++;
      const limits = [0, least, least + 1, n1 + n2 + n3, n1 + n2 + n3 + 1, points, points + 1];
      const counted = limits.map((limit) => penaltyOf(modules, code.size, limit));
      const expected = limits.map((limit) =>
        least >= limit ? least : n1 + n2 + n3 >= limit ? n1 + n2 + n3 : points
      );
      assertEquals(counted, expected, `${text} with mask pattern ${mask}`);
    }
  }
  assertEquals(distinct > 0, true);
});

Deno.test("encodeQr() uses the mask pattern with the lowest penalty, and the first of equal ones", () => {
  const random = seededRandom(7);
  const chosen = new Set<number>();
  const texts = [
    ...KEY_URIS,
    ...Array.from({ length: 60 }, (_, i) => randomText(random, "0aA%", i)),
  ];
  for (const [i, text] of texts.entries()) {
    const level = LEVELS[i % 2]!;
    const points = MASKS.map((mask) => {
      const code = symbol(text, level, { mask })!;
      return naivePoints((x, y) => isDark(code, x, y), code.size);
    });
    const mask = encodeQr(text, level)!.mask;
    assertEquals(mask, points.indexOf(Math.min(...points)), `${text} at ${level}: ${points}`);
    chosen.add(mask);
  }
  assertEquals(chosen.size, MASKS.length);
});

Deno.test("encodeQr() uses the mask pattern with the lowest penalty in every version", () => {
  for (let version = 1; version <= 40; version += 3) {
    const points = MASKS.map((mask) => {
      const code = symbol("HELLO 42", "L", { version, mask })!;
      return naivePoints((x, y) => isDark(code, x, y), code.size);
    });
    const { mask } = symbol("HELLO 42", "L", { version })!;
    assertEquals(mask, points.indexOf(Math.min(...points)), `version ${version}: ${points}`);
  }
});
