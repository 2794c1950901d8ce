import { assertEquals } from "@std/assert/equals";
import { VERSION, versionLine } from "../../../lib/cli/version.ts";
import { denoRuntime } from "../../../lib/server/runtime/deno.ts";

Deno.test("versionLine() names the version, that it runs from source, the runtime and the machine", () => {
  const line = versionLine({ ...denoRuntime(), title: "Runtime 1", target: "cpu-system" });
  assertEquals(line, `authenticator ${VERSION} (from source, Runtime 1, cpu-system)`);
});

Deno.test("denoRuntime() names Deno and what it was built for", () => {
  const { title, target } = denoRuntime();
  assertEquals([title, target], [`Deno ${Deno.version.deno}`, Deno.build.target]);
});
