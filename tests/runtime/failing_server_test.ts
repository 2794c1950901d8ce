/**
 * What a caller gets when a handler fails, which none of ours does: nothing of the runtime's own.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { limitLife, runToEnd } from "../support/child.ts";
import { PROGRAM, programWords } from "../support/program.ts";

const SOURCE = new URL("failing_server.ts", import.meta.url).pathname;

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
  name: `a handler that fails is answered in one sentence, and the log is told (${PROGRAM})`,
  ignore: PROGRAM === "executable",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const [path, ...args] = await serverWords(folder);
      const options = { args, stdin: "null", stdout: "piped", stderr: "piped" } as const;
      const child = new Deno.Command(path!, options).spawn();
      limitLife(child);
      const stderr = new Response(child.stderr).text();
      const stdout = child.stdout.pipeThrough(new TextDecoderStream() as Decoder).getReader();
      const port = (await stdout.read()).value!.trim();
      const reply = await fetch(`http://127.0.0.1:${port}/`);
      assertEquals(
        [reply.status, reply.headers.get("content-type"), await reply.text()],
        [500, "text/plain; charset=utf-8", "Server was unable to process request.\r\n"],
      );
      assertEquals((await stdout.read()).value, "a request failed: TypeError: hush\n");
      child.kill("SIGKILL");
      await stdout.cancel();
      assertEquals([await stderr, (await child.status).signal], ["", "SIGKILL"]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

// The platform's type of the decoder wants a wider kind of bytes than streams of a process have.
type Decoder = TransformStream<Uint8Array, string>;
