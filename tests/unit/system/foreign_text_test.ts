import { assertEquals } from "@std/assert/equals";
import { printable, utf8Text } from "../../../lib/system/foreign_text.ts";

Deno.test("printable() replaces each character that commands a terminal or begins a line", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["\x1b]0;title\x07a\x9b31m", " ]0;title a 31m"],
    ["a\nb\r\nc\u0085d\u2028e\u2029f\tg\0h\x7f", "a b  c d e f g h "],
    // Bidirectional marks, embeddings and isolates; a byte order mark; tags; a lone surrogate.
    ["a\u061Cb\u200Ec\u200Fd\u202Ae\u202Ef\u2066g\u2069h", "a b c d e f g h"],
    ["a\uFEFFb\u200Bc\u{E0041}d\uD83De", "a b c d e"],
  ];
  for (const [text, printed] of cases) assertEquals(printable(text), printed);
});

Deno.test("printable() leaves names of all scripts as they are", () => {
  const names = ["Žluťoučký kůň", "日本語", "می\u200Cخواهم", "👩\u200D💻 🔑", 'O\'Neil & <b>"$x"'];
  assertEquals(names.map((name) => printable(name)), names);
});

Deno.test("printable() cuts a long text, between two characters", () => {
  assertEquals(printable("🔑".repeat(100)), "🔑".repeat(100));
  assertEquals(printable("🔑".repeat(101)), `${"🔑".repeat(99)}…`);
  assertEquals(printable("abcd", 3), "ab…");
});

Deno.test("utf8Text() keeps a byte order mark, which a secret may begin with, and refuses what is not UTF-8", () => {
  const text = "\uFEFFa\uFEFF";
  assertEquals(utf8Text(new TextEncoder().encode(text)), text);
  assertEquals(utf8Text(Uint8Array.of(0x61, 0xFF)), undefined);
});
