import { assertEquals } from "@std/assert/equals";
import { keyRisks } from "../../../lib/config/risks.ts";

const KEY = "0123456789abcdef0123456789abcdef";

Deno.test("keyRisks() names the first line with a colon but no valid name before it", () => {
  const lines = [`# 1:${KEY}`, "", KEY, `a:${KEY}`, `a:1:${KEY}`, `1st:${KEY}`, `:${KEY}`];
  for (const end of ["\n", "\r\n", "\r"]) {
    const [risk, ...others] = keyRisks(lines.join(end), "the file");
    assertEquals(
      risk?.startsWith("line 6 (and 1 more) of the file has a colon, and no name"),
      true,
    );
    assertEquals(others, []);
  }
  assertEquals(keyRisks(KEY, "the file"), []);
});

Deno.test("keyRisks() names the first line whose key is one character repeated", () => {
  assertEquals(keyRisks(`${KEY}\na:${"k".repeat(32)}`, "apiKeys"), [
    "line 2 of apiKeys has one character repeated as its key, which is easily guessed.",
  ]);
});
