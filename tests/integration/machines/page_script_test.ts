import { assertEquals } from "@std/assert/equals";
import { bundledScript, SCRIPT_FILE } from "../../../release/page_script.ts";

Deno.test("the page's script is what its sources make", async () => {
  const message = "run: deno task generate";
  assertEquals(await Deno.readTextFile(SCRIPT_FILE), await bundledScript(), message);
});
