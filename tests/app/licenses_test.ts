import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { licenses } from "../../lib/app/licenses.ts";
import { read } from "../support/pages.ts";

const TEXT = licenses({ title: "Bun 1.4.4" });

Deno.test("licenses() has the text of LICENSE, and its line of copyright", () => {
  const [, copyright, ...text] = read("LICENSE").trim().split("\n\n");
  assert(TEXT.includes(copyright!));
  assert(TEXT.endsWith(text.join("\n\n")));
});

Deno.test("licenses() names every package that runs, with its version", () => {
  const lock = JSON.parse(read("runtime.lock")) as { npm: Record<string, unknown> };
  const names = Object.keys(lock.npm).map((name) => name.replace(/@(?=\d)/, " "));
  assertEquals(names.filter((name) => !TEXT.includes(`\n${name} `)), []);
});

Deno.test("licenses() says what the runtime is under", () => {
  assert(TEXT.includes("Bun 1.4.4") && TEXT.includes("LGPL") && !TEXT.includes("V8"));
  assert(licenses({ title: "Deno 2.9.6" }).includes("V8"));
});
