import { assertEquals } from "@std/assert/equals";
import { currentRuntime } from "../../../../lib/server/runtime/current.ts";

Deno.test("currentRuntime() is Bun where the global Bun exists, and Deno elsewhere", () => {
  assertEquals(currentRuntime().title, `Deno ${Deno.version.deno}`);
  Object.assign(globalThis, { Bun: { version: "1.2.3" } });
  try {
    assertEquals(currentRuntime().title, "Bun 1.2.3");
  } finally {
    Reflect.deleteProperty(globalThis, "Bun");
  }
});
