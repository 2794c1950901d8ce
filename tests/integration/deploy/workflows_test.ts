/** The workflows for GitHub, by GitHub's own parser: they have not run there. */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { withFolder } from "../../support/folder.ts";
import { read, ROOT } from "../../support/pages.ts";
import type * as Parser from "../../support/workflow_parser.ts";

async function loadParser(folder: string): Promise<typeof Parser> {
  const module = new URL("../../support/workflow_parser.ts", import.meta.url);
  const output = `${folder}/parser.js`;
  const options = ["--lock=deno.lock", "--frozen", "--quiet", "--platform", "deno"];
  const words = [...options, "--output", output, fileURLToPath(module)];
  const { code, stderr } = await runToEnd([Deno.execPath(), "bundle", ...words], { cwd: ROOT });
  assertEquals(code, 0, stderr);
  return await import(`file://${output}`);
}

for (const name of ["ci.yml", "release.yml"]) {
  const content = read(`.github/workflows/${name}`);

  Deno.test(`.github/workflows/${name} is a workflow`, () =>
    withFolder(async (folder) => {
      const { NoOperationTraceWriter, parseWorkflow } = await loadParser(folder);
      const mistakesOf = (text: string): readonly string[] =>
        parseWorkflow({ name, content: text }, new NoOperationTraceWriter()).context.errors
          .getErrors().map(({ message }) => message);
      assertEquals(mistakesOf(content), []);
      assert(mistakesOf(content.replace("runs-on:", "runs-at:")).length > 0);
    }));

  Deno.test(`.github/workflows/${name} has the versions and the tasks of this project`, () => {
    const { tasks } = JSON.parse(read("deno.json")) as { tasks: Readonly<Record<string, unknown>> };
    const [, deno, bun] = /DENO_VERSION=(\S+) BUN_VERSION=(\S+)/.exec(read("compile.sh"))!;
    for (const [, tool, version] of content.matchAll(/npx --yes (\w+)@(\S+)/g)) {
      assertEquals([tool, version], [tool, tool === "deno" ? deno : bun]);
    }
    const called = [...content.matchAll(/ task ([\w:]+)/g)].map(([, task]) => task!);
    assert(called.length > 0);
    assertEquals(called.filter((task) => tasks[task] === undefined), []);
  });
}

Deno.test(".github/workflows/ci.yml runs the README's commands word for word", () => {
  const workflow = read(".github/workflows/ci.yml");
  const commands = [...read("README.md").matchAll(/^```sh\n([^]*?)\n```$/gm)].map(([, text]) =>
    text!
  );
  for (const task of ["start", "test"]) {
    const command = commands.find((text) => text.endsWith(` task ${task}`))!;
    assert(new RegExp(`run: ${command}(?: &)?$`, "m").test(workflow), command);
  }
  assert(commands.includes("./compile.sh") && workflow.includes("compile: ./compile.sh\n"));
});
