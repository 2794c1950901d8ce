/** The page about clients says what the tests try. */

import { assertEquals } from "@std/assert/equals";
import { interopPage, TABLE_FILE } from "./table.ts";

Deno.test("docs/interop.md has the clients and bindings that are tested", async () => {
  const page = interopPage();
  const table = page.replace(/^[^|].*\n|^\n/gm, "");
  await Deno.stdout.write(new TextEncoder().encode(`\n${table}`));
  assertEquals(await Deno.readTextFile(TABLE_FILE), page);
});
