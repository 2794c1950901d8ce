import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { Cursor, findForbiddenCharacter, isNcName, XmlError } from "../../../lib/xml/cursor.ts";

type Ranges = readonly (readonly [first: number, last: number])[];

// XML 1.0 (fifth edition), production [4] NameStartChar, range by range as it stands there.
const NAME_START_CHAR: Ranges = [
  [0x3a, 0x3a],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
  [0x10000, 0xeffff],
];

// Production [4a] NameChar.
const NAME_CHAR: Ranges = [
  ...NAME_START_CHAR,
  [0x2d, 0x2d],
  [0x2e, 0x2e],
  [0x30, 0x39],
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
];

// Production [2] Char.
const CHAR: Ranges = [
  [0x9, 0x9],
  [0xa, 0xa],
  [0xd, 0xd],
  [0x20, 0xd7ff],
  [0xe000, 0xfffd],
  [0x10000, 0x10ffff],
];

// The whole Basic Multilingual Plane, and of each other plane the ends and the middle.
const CODE_POINTS: readonly number[] = [
  ...Array.from({ length: 0x10000 }, (_, codePoint) => codePoint),
  ...Array.from({ length: 16 }, (_, i) => (i + 1) * 0x10000).flatMap((plane) =>
    [0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff].map((low) => plane + low)
  ),
];

/** The code points where a function on a character disagrees with the ranges of a production. */
function disagreements(ranges: Ranges, accepts: (character: string) => boolean): string[] {
  return CODE_POINTS.filter((codePoint) => {
    const expected = ranges.some(([first, last]) => first <= codePoint && codePoint <= last);
    return accepts(String.fromCodePoint(codePoint)) !== expected;
  }).map((codePoint) => codePoint.toString(16));
}

function startsWithName(text: string, name: string): boolean {
  try {
    return new Cursor(text, 2).name() === name;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return false;
  }
}

Deno.test("Cursor.name() begins a name with the characters of [4] NameStartChar", () => {
  assertEquals(disagreements(NAME_START_CHAR, (c) => startsWithName(c, c)), []);
});

Deno.test("Cursor.name() continues with the characters of [4a] NameChar", () => {
  assertEquals(disagreements(NAME_CHAR, (c) => startsWithName(`a${c}`, `a${c}`)), []);
});

Deno.test("isNcName() accepts the same characters except the colon", () => {
  const withoutColon = (ranges: Ranges): Ranges => ranges.filter(([first]) => first !== 0x3a);
  assertEquals(disagreements(withoutColon(NAME_START_CHAR), isNcName), []);
  assertEquals(disagreements(withoutColon(NAME_CHAR), (c) => isNcName(`a${c}`)), []);
  assertEquals(["", "a b", "a\n", "\na"].filter(isNcName), []);
});

Deno.test("findForbiddenCharacter() follows [2] Char", () => {
  assertEquals(disagreements(CHAR, (c) => findForbiddenCharacter(c) < 0), []);
});

Deno.test("findForbiddenCharacter() returns the offset of the first one", () => {
  const rows: [text: string, offset: number][] = [
    ["", -1],
    ["abc", -1],
    ["\u{1F511}\u{10FFFF}", -1],
    ["ab\0\x01", 2],
    ["\u{1F511}\x1F", 2],
    ["\x0B\u{1F511}", 0],
    ["\u{1F511}\uD83D", 2],
    ["\uDD11\uD83D", 0],
    ["a\uD83Db\uDD11", 1],
    ["\u{1F511}\uFFFE", 2],
  ];
  assertEquals(rows.map(([text]): [string, number] => [text, findForbiddenCharacter(text)]), rows);
});

Deno.test("Cursor.name() counts characters, not UTF-16 units, against the longest name", () => {
  assertEquals(new Cursor("abc ", 3).name(), "abc");
  assertEquals(new Cursor("\u{10000}\u{10000}\u{10000} ", 3).name(), "\u{10000}".repeat(3));
  for (const name of ["abcd", "\u{10000}".repeat(4)]) {
    assertThrows(() => new Cursor(name, 3).name(), XmlError, "A name is longer than 3 characters");
  }
});

Deno.test("XmlError has line and column in characters, from 1", () => {
  const text = "ab\n\u{1F511}\u{1F511}c\n\n";
  const rows: [offset: number, line: number, column: number][] = [
    [0, 1, 1],
    [2, 1, 3],
    [3, 2, 1],
    [5, 2, 2],
    [7, 2, 3],
    [8, 2, 4],
    [9, 3, 1],
    [10, 4, 1],
  ];
  assertEquals(
    rows.map(([offset]): [number, number, number] => {
      const { line, column } = new XmlError("Something is wrong", text, offset);
      return [offset, line, column];
    }),
    rows,
  );
});

Deno.test("XmlError is a SyntaxError whose message has no position", () => {
  const error = new XmlError("Something is wrong", "secret", 3);
  assertEquals(error instanceof SyntaxError, true);
  assertEquals(String(error), "XmlError: Something is wrong");
});
