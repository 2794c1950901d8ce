import { assertEquals } from "@std/assert/equals";
import { currentRuntime } from "../../../../lib/server/runtime/current.ts";

Deno.test("the program knows what it runs on by what is there", () => {
  assertEquals(currentRuntime().title, `Deno ${Deno.version.deno}`);
  Object.assign(globalThis, { Bun: { version: "1.2.3" } });
  try {
    assertEquals(currentRuntime().title, "Bun 1.2.3");
  } finally {
    Reflect.deleteProperty(globalThis, "Bun");
  }
});
