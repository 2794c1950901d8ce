/** What an executable for musl needs of the system it runs on. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { withSources } from "../../support/sources.ts";
import { deployFile } from "../../support/deploy.ts";

const BUILD_MS = 600_000;

Deno.test("an executable for musl needs libstdc++ beside musl, as deploy/ names", async () => {
  await withSources("musl-", async (cwd) => {
    const compile = ["./compile.sh", "--with", "bun", "--target", "linux-x64-musl"];
    const { code, stderr } = await runToEnd(compile, { cwd, deadlineMs: BUILD_MS });
    assertEquals(code, 0, stderr);
    const made = "dist/authenticator-linux-x64-musl";
    const { stdout } = await runToEnd(["readelf", "-dW", made], { cwd });
    const needed = [...stdout.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
    assertEquals(needed.toSorted(), ["libc.musl-x86_64.so.1", "libstdc++.so.6"]);
  });
  assert(deployFile("Containerfile").includes("apk add --no-cache libstdc++"));
});
