import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import fc from "fast-check";
import { csvLine, type CsvRecord, csvRecords } from "../../../../lib/cli/io/csv.ts";
import { CommandError } from "../../../../lib/cli/io/io.ts";
import { runOptions } from "../../../support/property.ts";

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await bytes.subarray(at, at + size);
}

async function read(text: string | Uint8Array, size = 65_536): Promise<readonly CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const group of csvRecords(chunksOf(Buffer.from(text), size))) records.push(...group);
  return records;
}

async function fieldsOf(text: string, size?: number): Promise<readonly (readonly string[])[]> {
  return (await read(text, size)).map(({ fields }) => fields);
}

/** The records before the first error, and its message. */
async function readToError(
  text: string | Uint8Array,
  size = 65_536,
): Promise<readonly [number, string]> {
  let count = 0;
  const error = await assertRejects(async () => {
    for await (const group of csvRecords(chunksOf(Buffer.from(text), size))) count += group.length;
  }, CommandError);
  return [count, error.message];
}

// Records of RFC 4180 §2, and their fields.
const READ: readonly (readonly [string, readonly (readonly string[])[]])[] = [
  ["1,a\n2,b\n", [["1", "a"], ["2", "b"]]],
  ["1,a\r\n2,b\r\n", [["1", "a"], ["2", "b"]]],
  ['"1","a"\r\n', [["1", "a"]]],
  ['1,"a\r\nb\rc\nd"\n', [["1", "a\r\nb\rc\nd"]]],
  ['1,"a,b""c"""\n', [["1", 'a,b"c"']]],
  ["1,x,\n2,,\n", [["1", "x", ""], ["2", "", ""]]],
  ['1,""\n', [["1", ""]]],
  ["1, a\t\\ \n", [["1", " a\t\\ "]]],
  ["\uFEFF1,\uFEFFa\n", [["1", "\uFEFFa"]]],
  ["1,a\n\uFEFF2,b\n", [["1", "a"], ["\uFEFF2", "b"]]],
  ['1,"""\n"\n', [["1", '"\n']]],
  ["Zoë,🔑\0\n", [["Zoë", "🔑\0"]]],
];

Deno.test("csvRecords() reads records of RFC 4180, however the bytes arrive", async () => {
  for (const [text, fields] of READ) {
    for (let size = 1; size <= 9; size++) assertEquals(await fieldsOf(text, size), fields, text);
  }
});

Deno.test("csvRecords() numbers the records", async () => {
  assertEquals((await read("1,a\n2,b\n3,c\n", 5)).map(({ number }) => number), [1, 2, 3]);
});

// A table, the records before its error, and the message.
const LONG = "x".repeat(16_384);
const WRONG: readonly (readonly [string | Uint8Array, number, string])[] = [
  ["", 0, "standard input has no record"],
  ["\uFEFF", 0, "standard input has no record"],
  ["1,a\n2,b", 1, 'record 2 ("2") is cut off: it has no line end'],
  ["1,a\n2,b\r", 1, 'record 2 ("2") is cut off: it has no line end'],
  ["1,a\n2", 1, "record 2 is cut off: it has no line end"],
  ['1,a\n2,"b', 1, 'record 2 ("2") is cut off: it has no line end, or a quote does not close'],
  ['1,a\n2,"b"', 1, 'record 2 ("2") is cut off: it has no line end, or a quote does not close'],
  ["1,a\n\n2,b\n", 1, "record 2 has one field: it must have an id, and the secret as the last"],
  ["canary\n", 0, "record 1 has one field: it must have an id, and the secret as the last"],
  ["1,a\n2,b,canary\n", 1, 'record 2 ("2") has 3 fields, and the first has 2'],
  ["1,a,b\n2,canary\n", 1, 'record 2 ("2") has 2 fields, and the first has 3'],
  ['1,canary"\n', 0, 'record 1 ("1") has a quote or a carriage return in a field without quotes'],
  ["1,ca\rnary\n", 0, 'record 1 ("1") has a quote or a carriage return in a field without quotes'],
  ['1,"canary"x\n', 0, 'record 1 ("1") has text behind a closing quote'],
  ['1,"canary"\rx\n', 0, 'record 1 ("1") has text behind a closing quote'],
  ['canary"\n', 0, "record 1 has a quote or a carriage return in a field without quotes"],
  [Uint8Array.of(49, 44, 0xFF, 10), 0, 'record 1 ("1") is not UTF-8 text'],
  [Uint8Array.of(0xC3, 44, 97, 10), 0, "record 1 is not UTF-8 text"],
  [
    `1,a\n2,${LONG}\n`,
    1,
    'record 2 ("2") is longer than 16384 bytes, or a quote in it does not close',
  ],
  [`1,"${LONG}`, 0, 'record 1 ("1") is longer than 16384 bytes, or a quote in it does not close'],
  [
    "a\x1B[2J\u009B\u202E,ca\rnary\n",
    0,
    'record 1 ("a?[2J??") has a quote or a carriage return in a field without quotes',
  ],
  [
    `${"i".repeat(65)},ca\rnary\n`,
    0,
    `record 1 ("${"i".repeat(64)}") has a quote or a carriage return in a field without quotes`,
  ],
  ["7,a,b\nx,y\n", 1, 'record 2 ("x") has 2 fields, and the first has 3'],
];

Deno.test("csvRecords() stops at the first wrong record, with its number and id, never its secret", async () => {
  for (const [text, count, message] of WRONG) {
    for (const size of [1, 7, 65_536]) {
      if (size === 1 && text.length > 1000) continue;
      assertEquals(await readToError(text, size), [count, message]);
    }
  }
});

Deno.test("csvRecords() reads a record of the greatest length, and refuses a byte more", async () => {
  const text = `1,${LONG.slice(3)}\n`;
  assertEquals(text.length, 16_384);
  assertEquals((await read(text + text)).length, 2);
  assertEquals((await readToError(text.replace("x", "xx")))[0], 0);
});

Deno.test("csvRecords() refuses UTF-16, with advice", async () => {
  for (const size of [3, 65_536]) {
    const [count, message] = await readToError(Buffer.from("\uFEFF1,a\n", "utf16le"), size);
    assert(
      count === 0 && message.startsWith("standard input is UTF-16: save it as UTF-8"),
      message,
    );
  }
});

Deno.test("csvRecords() reads what csvLine() writes, however the bytes arrive", async () => {
  const field = fc.string({ unit: fc.constantFrom(...'"\r\n,\t\\a é🔑\uFEFF') });
  const width = fc.integer({ min: 2, max: 4 });
  const table = width.chain((length) =>
    fc.array(fc.array(field, { minLength: length, maxLength: length }), { minLength: 1 })
  );
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 50 }), async (rows, size) => {
      assertEquals(await fieldsOf(rows.map(csvLine).join(""), size), rows);
    }),
    runOptions(200),
  );
});

Deno.test("csvRecords() takes no cut of a table for a whole one", async () => {
  const text = csvLine(["17", 'a\r\n"b"']) + csvLine(["18", "c,d"]);
  const end = csvLine(["17", 'a\r\n"b"']).length;
  for (let at = 0; at < text.length; at++) {
    if (at === end) assertEquals((await read(text.slice(0, at))).length, 1);
    else assertEquals((await readToError(text.slice(0, at)))[0], at < end ? 0 : 1, `${at}`);
  }
});
