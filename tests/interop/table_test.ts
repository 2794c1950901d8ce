/** The page about clients, and the README, say what the tests try. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { interopPage, interopTable, TABLE_FILE } from "./table.ts";

Deno.test("docs/interop.md has the clients and bindings that are tested", async () => {
  await Deno.stdout.write(new TextEncoder().encode(`\n${interopTable()}`));
  assertEquals(await Deno.readTextFile(TABLE_FILE), interopPage());
});

Deno.test("the README has the same table", async () => {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  assert(readme.includes(`\n\n${interopTable()}\n`));
});
