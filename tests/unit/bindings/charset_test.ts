import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { textOf } from "../../../lib/bindings/charset.ts";
import { readForm, readQuery } from "../../../lib/bindings/form_urlencoded.ts";
import { Fault } from "../../../lib/operations/fault.ts";

function bytes(text: string, encoding: "utf8" | "latin1" | "utf16le" = "utf8"): Uint8Array {
  return Buffer.from(text, encoding);
}

// Beside what tests/exchanges/charsets.md has.
const READ: readonly (readonly [charset: string | undefined, bytes: Uint8Array, text: string])[] = [
  ["ascii", Uint8Array.of(0x80), "€"],
  ["iso-8859-15", Uint8Array.of(0xa4), "€"],
  [undefined, bytes("\uFEFF\uFEFFa"), "\uFEFFa"],
  [
    "us-ascii",
    bytes("<?xml version='1.0' encoding='koi8-r'?>\xe9", "latin1"),
    "<?xml version='1.0' encoding='koi8-r'?>И",
  ],
  [
    "no-such",
    bytes("<?xml version='1.0' encoding = 'ISO-8859-2'?>\xb1", "latin1"),
    "<?xml version='1.0' encoding = 'ISO-8859-2'?>ą",
  ],
  [
    undefined,
    bytes(`<?xml version='1.0'${" ".repeat(200)}encoding='ISO-8859-2'?>\xb1`, "latin1"),
    `<?xml version='1.0'${" ".repeat(200)}encoding='ISO-8859-2'?>ą`,
  ],
];

for (const [charset, sent, text] of READ) {
  Deno.test(`textOf() reads ${JSON.stringify(text)} in ${charset}`, () => {
    assertEquals(textOf(sent, charset), text);
  });
}

const UNKNOWN = "and the Content-Type names no other known charset.";

const REFUSED: readonly (readonly [string | undefined, Uint8Array, string, string])[] = [
  // A declaration that can be read in ASCII is not in UTF-16.
  [
    undefined,
    bytes("<?xml version='1.0' encoding='utf-16'?>\xe9", "latin1"),
    "unsupported-media-type",
    `The body is not UTF-8 (line 1, column 40), ${UNKNOWN}`,
  ],
  [
    undefined,
    bytes("<?xml version='1.0' encoding='utf-8'?>\xe9", "latin1"),
    "unreadable",
    "The body is not UTF-8 (line 1, column 39).",
  ],
];

for (const [charset, sent, code, message] of REFUSED) {
  Deno.test(`textOf() refuses ${sent.join(" ").slice(-30)} in ${charset}: ${message}`, () => {
    const fault = assertThrows(() => textOf(sent, charset), Fault);
    assertEquals([fault.code, fault.message], [code, message]);
  });
}

// Bytes, and the place of the first one that is not UTF-8.
const NOT_UTF_8: readonly (readonly [string, readonly number[], string])[] = [
  ["a lone continuation byte", [0x61, 0x80], "line 1, column 2"],
  ["an overlong form", [0x0a, 0xc0, 0xaf], "line 2, column 1"],
  ["a surrogate", [0x61, 0x0d, 0x0a, 0x62, 0xed, 0xa0, 0x80], "line 2, column 2"],
  ["a code point over U+10FFFF", [0xf4, 0x90, 0x80, 0x80], "line 1, column 1"],
  ["ISO-8859-1", [0xf0, 0x9f, 0x94, 0x91, 0xe9, 0x20], "line 1, column 2"],
  ["a character cut off at the end", [0x61, 0x62, 0xe2, 0x82], "line 1, column 3"],
  ["a bad byte after a CR alone", [0x61, 0x0d, 0x62, 0x80], "line 2, column 2"],
  ["a bad byte after a LF alone", [0x61, 0x0a, 0x62, 0x80], "line 2, column 2"],
  ["a bad byte after two line ends", [0x0d, 0x0a, 0x0a, 0x80], "line 3, column 1"],
];

for (const [what, sent, place] of NOT_UTF_8) {
  Deno.test(`textOf() refuses ${what} with its place`, () => {
    const fault = assertThrows(() => textOf(Uint8Array.from(sent), "utf-8"), Fault);
    assertEquals(fault.message, `The body is not UTF-8 (${place}).`);
  });
}

function formOf(text: string, charset: string | undefined): readonly (readonly [string, string])[] {
  return readForm(bytes(text, "latin1"), charset);
}

Deno.test("readForm() reads escapes and raw bytes in the charset", () => {
  assertEquals(formOf("a=B%FCro&b=B\xfcro", "iso-8859-1"), [["a", "Büro"], ["b", "Büro"]]);
  assertEquals(formOf("a=%83A+%u00fc%zz", "shift_jis"), [["a", "ア ü%zz"]]);
  assertEquals(formOf("a=\xc3%BC", undefined), [["a", "ü"]]);
  assertEquals(formOf("%EF%BB%BFa=%EF%BB%BF", undefined), [["\uFEFFa", "\uFEFF"]]);
  assertEquals(formOf("a%0A=%0A%FC\n%0A&b&\n=\n&%u000A\n%FC=", "latin1"), [
    ["a\n", "\nü\n\n"],
    ["b", ""],
    ["\n", "\n"],
    ["\n\nü", ""],
  ]);
  // One encoding for the whole form.
  assertEquals(formOf("a=%C3%BC&b=%FC", "us-ascii"), [["a", "Ã¼"], ["b", "ü"]]);
});

// Names of WHATWG Encoding Standard §4.2, without those that a locked runtime lacks.
const ENCODINGS = "utf-8 ibm866 iso-8859-2 iso-8859-5 iso-8859-15 koi8-r koi8-u macintosh " +
  "windows-874 windows-1250 windows-1252 windows-1258 x-mac-cyrillic gbk gb18030 big5 euc-jp " +
  "iso-2022-jp csiso2022jp shift_jis euc-kr utf-16be utf-16le utf-16 unicode";

Deno.test("readForm() accepts the charsets that are compatible with ASCII, and no others", () => {
  const ascii = Uint8Array.from({ length: 95 }, (_, i) => i + 32);
  const text = Buffer.from(ascii).toString().replace(/[%&+=]/g, "");
  const taken: string[] = [];
  for (const charset of ENCODINGS.split(" ")) {
    try {
      assertEquals(formOf(`a=${text}&b`, charset), [["a", text], ["b", ""]], charset);
      taken.push(charset);
    } catch (error) {
      assert(error instanceof Fault && error.code === "unsupported-media-type", `${error}`);
    }
  }
  // A byte of ISO-2022-JP in ASCII begins other characters behind an escape.
  assertEquals(taken, ENCODINGS.split(" ").filter((name) => !/16|2022|unicode/.test(name)));
});

Deno.test("readQuery() reads a byte order mark as a character of the first name", () => {
  assertEquals(readQuery("\uFEFFa=\uFEFF"), [["\uFEFFa", "\uFEFF"]]);
});

Deno.test("readForm() refuses a form whose byte order mark is that of UTF-16", () => {
  const fault = assertThrows(() => formOf("\xff\xfea\0", undefined), Fault);
  assertEquals([fault.code, fault.message], [
    "unsupported-media-type",
    "The charset of a form must be compatible with ASCII, as utf-8 is.",
  ]);
});
