/**
 * The documentation of the runtimes and of sidecars, checked against the program.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { withFolder } from "../../support/folder.ts";
import { read } from "../../support/pages.ts";
import { BUN_FLAGS, programWords } from "../../support/program.ts";

const HOSTILE = {
  ".env": "AUTHENTICATOR_PORT=1\n",
  "bunfig.toml": 'preload = ["./code.ts"]\n',
  "tsconfig.json": '{ "compilerOptions": { "paths": { "*": ["./code.ts"] } } }\n',
  "code.ts": 'console.log("code of the folder");\n',
};

Deno.test("docs/runtimes.md: the program reads neither options nor code from its folder", async () => {
  assert(read("docs/runtimes.md").includes(`\nbun ${BUN_FLAGS.join(" ")} dist/authenticator.js\n`));
  await withFolder(async (folder) => {
    for (const [name, text] of Object.entries(HOSTILE)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const words = [...programWords(), "check"];
    const { code, stdout } = await runToEnd(words, { cwd: folder, env: { NO_COLOR: "1" } });
    const port = /^--port +(.*)$/m.exec(stdout)?.[1]?.split(/ +/);
    assertEquals([code, port], [0, ["8080", "default"]]);
    assert(!stdout.includes("code of the folder"), stdout);
  });
});

/** The example of a sidecar in docs/embedding.md, with this program in place of the executable. */
function example(language: string): string {
  const [, sidecar] = read("docs/embedding.md").split("\n## Sidecar\n");
  const code = sidecar!.split(`\`\`\`${language}\n`)[1]!.split("```")[0]!;
  const [program, ...first] = programWords();
  const words = first.map((word) => `${JSON.stringify(word)}, `).join("");
  assert(code.includes('"dist/authenticator"') && code.includes('["--port"'));
  return code.replace('"dist/authenticator"', JSON.stringify(program))
    .replace('["--port"', `[${words}"--port"`);
}

function isInstalled(command: string): boolean {
  try {
    return new Deno.Command(command, { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
}

// CI has Node; a machine with Deno alone skips this test.
Deno.test("docs/embedding.md: the sidecar runs, and ends its server", {
  ignore: !isInstalled("node"),
}, async () => {
  const words = ["node", "--input-type=module", "-e", example("js")];
  const { code, stdout, stderr } = await runToEnd(words, { env: { NO_COLOR: "1" } });
  assertEquals([code, stdout], [0, "false\n"], stderr);
  // Standard error has the server's lines about its life and the one request, and nothing else.
  assert(/^(?:\{"time":[^\n]*"level":"info"[^\n]*\}\n){5}$/.test(stderr), stderr);
  assert(stderr.includes('"route":"service"'), stderr);
});
