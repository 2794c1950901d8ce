/** The page about clients lists what the tests try. */

import { assertEquals } from "@std/assert/equals";
import { interopPage, interopTable, TABLE_FILE } from "./table.ts";

Deno.test("docs/interop.md has the clients and bindings that are tested", async () => {
  await Deno.stdout.write(new TextEncoder().encode(`\n${interopTable()}`));
  assertEquals(await Deno.readTextFile(TABLE_FILE), interopPage());
});
