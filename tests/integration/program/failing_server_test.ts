/**
 * What a caller gets when a handler fails, which none of ours does: nothing of the runtime's own.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { PROGRAM, programWords, startProgram } from "../../support/program.ts";

const SOURCE = fileURLToPath(new URL("failing_server.ts", import.meta.url));

/** The words that start the server; Bun gets a bundle, as it does of the program. */
async function serverWords(folder: string): Promise<readonly string[]> {
  if (PROGRAM === "deno") return [Deno.execPath(), "run", "--no-prompt", "--allow-net", SOURCE];
  const bundle = `${folder}/failing_server.js`;
  const args = ["bundle", "--quiet", "--platform", "deno", "--output", bundle, SOURCE];
  const { code, stderr } = await runToEnd([Deno.execPath(), ...args]);
  assertEquals(code, 0, stderr);
  return [programWords()[0]!, bundle];
}

Deno.test({
  name: `a handler that fails is answered in one sentence, and logged (${PROGRAM})`,
  ignore: PROGRAM === "executable",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const server = await startProgram([], { command: await serverWords(folder) });
      const reply = await fetch(server.url);
      assertEquals(
        [reply.status, reply.headers.get("content-type"), await reply.text()],
        [500, "text/plain; charset=utf-8", "Server was unable to process request.\r\n"],
      );
      const logged = "a request failed: TypeError: hush\n";
      await server.logged(logged);
      server.signal("SIGKILL");
      assertEquals((await server.outcome).stderr, logged);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
