import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { licenses } from "../../lib/app/licenses.ts";
import { read } from "../support/pages.ts";

const TEXT = licenses();

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

Deno.test("licenses() says what the runtimes are under", () => {
  assert(/^Deno .*V8/m.test(TEXT) && /^Bun .*LGPL/m.test(TEXT));
});
