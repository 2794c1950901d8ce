/** `deno task dev`, which contributors run; other programs have no sources to watch. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { PROGRAM, startProgram, stop } from "../../support/program.ts";
import { withSources } from "../../support/sources.ts";

Deno.test({
  name: "deno task dev serves, and starts again with the change when a source file changes",
  ignore: PROGRAM !== "deno",
  fn: () =>
    withSources("dev-", async (folder) => {
      const command = [Deno.execPath(), "task", "--cwd", folder, "dev"];
      const program = await startProgram(["--port", String(freePort())], { command });
      const health = async (): Promise<string> => {
        try {
          return await (await fetch(`${program.url}/healthz`)).text();
        } catch (error) {
          // Nothing listens until the new server does.
          if (!(error instanceof TypeError)) throw error;
          return "";
        }
      };
      try {
        assertEquals(await health(), "ok");
        const source = `${folder}/lib/http/probes.ts`;
        const text = await Deno.readTextFile(source);
        const changed = text.replace('okWith("ok")', 'okWith("changed")');
        assert(changed !== text, source);
        await Deno.writeTextFile(source, changed);
        await eventually(async () => await health() === "changed", "the change is served");
        // The line may follow the first reply.
        const starts = (): number => program.stderr().match(/ info started: /g)?.length ?? 0;
        await eventually(() => starts() === 2, "both servers say that they started");
      } finally {
        await stop(program, "SIGINT");
      }
    }),
});
