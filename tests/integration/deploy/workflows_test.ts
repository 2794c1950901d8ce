/** The workflows for GitHub, by GitHub's own parser: they have not run there. */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { parse } from "@std/yaml/parse";
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

const NAMES = [...Deno.readDirSync(new URL(".github/workflows/", ROOT))].map(({ name }) => name);

for (const name of NAMES) {
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
    // What runs the steps of CI calls the tasks by them.
    assert(called.length > 0 || content.includes("run: bash .ci/run nightly\n"));
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

Deno.test("the steps of the night are scheduled once a week, by a command that .ci/run has", () => {
  const { on, jobs } = parse(read(".github/workflows/weekly.yml")) as {
    readonly on: { readonly schedule: readonly { readonly cron: string }[] };
    readonly jobs: Readonly<Record<string, Job>>;
  };
  assertEquals(on.schedule.length, 1);
  assert(/^\d+ \d+ \* \* [0-6]$/.test(on.schedule[0]!.cron), on.schedule[0]!.cron);
  const [, when, night] = /\^\((\w+)\|(\w+)\)\$/.exec(read(".ci/run"))!;
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run));
  assertEquals([when, runs], ["change", [`bash .ci/run ${night}`]]);
});

interface Job {
  readonly permissions: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly needs?: string;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

const RELEASE = read(".github/workflows/release.yml");
const JOBS = (parse(RELEASE) as { jobs: Readonly<Record<string, Job>> }).jobs;

Deno.test("a release is tested, built and published in three jobs, and only the last may write", () => {
  assertEquals(Object.keys(JOBS), ["test", "build", "publish"]);
  const { test, build, publish } = JOBS;
  assertEquals([build!.needs, publish!.needs], ["test", "build"]);
  assertEquals([test, build].map((job) => job!.permissions), [
    { contents: "read" },
    { contents: "read" },
  ]);
  assertEquals(publish!.environment, "release");
  const runs = ({ steps }: Job): readonly string[] => steps.flatMap(({ run = [] }) => run);
  assert(runs(test!).includes("deno task ok"));
  assert(runs(build!).some((run) => run.startsWith("deno task release | ")));
  // It runs two programs of the system, each in a command of one line.
  const commands = runs(publish!).map((run) => run.trim());
  assertEquals(commands.map((run) => /^(\w+) [^;&|`\n]*$/.exec(run)?.[1]), ["sha256sum", "gh"]);
  assert(RELEASE.includes("NOT RUN YET"));
});

Deno.test("every action of the workflows is pinned by a commit", () => {
  const uses = NAMES.flatMap((name) =>
    [...read(`.github/workflows/${name}`).matchAll(/uses: (.*)/g)].map(([, action]) => action!)
  );
  assert(uses.length > 5);
  const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  assertEquals(uses.filter((action) => !pinned.test(action)), []);
});

// npm, in place of the registry: packs a folder with the file that a package has.
const NPM = `#!/bin/sh
mkdir -p package/bin && printf '%s' "$CONTENT" >package/deno && cp package/deno package/bin/bun
tar -czf packed.tgz package && rm -r package && echo packed.tgz
`;

Deno.test("a release takes no runtime that is not the one of executables.lock", async () => {
  const { build } = JOBS;
  const [, deno, bun] = /DENO_VERSION=(\S+) BUN_VERSION=(\S+)/.exec(read("compile.sh"))!;
  const step = build!.steps.flatMap(({ run = [] }) => run).find((run) => run.includes("take()"))!;
  const taken = [...step.matchAll(/^take @\S+@(\S+) \S+ (\S+) \w+$/gm)];
  assertEquals(taken.map(([, version, name]) => [version, name]), [
    [deno, `deno-linux-x64-v${deno}`],
    [bun, `bun-linux-x64-v${bun}`],
  ]);
  const locked = read("executables.lock");
  for (const [, , name] of taken) assert(new RegExp(`^[0-9a-f]{64}  ${name}$`, "m").test(locked));
  // The SHA-256 of "right" for both.
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode("right")),
  ).toHex();
  for (const [content, code] of [["right", 0], ["wrong", 1]] as const) {
    await withFolder(async (cwd) => {
      await Deno.mkdir(`${cwd}/tools`);
      await Deno.writeTextFile(`${cwd}/tools/npm`, NPM, { mode: 0o755 });
      const lock = locked.replace(/^[0-9a-f]{64}/gm, digest);
      await Deno.writeTextFile(`${cwd}/executables.lock`, lock);
      const ended = await runToEnd(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step],
        {
          cwd,
          env: {
            PATH: `${cwd}/tools:${Deno.env.get("PATH")}`,
            RUNNER_TEMP: cwd,
            GITHUB_WORKSPACE: cwd,
            GITHUB_PATH: `${cwd}/path`,
            CONTENT: content,
          },
        },
      );
      assertEquals(ended.code, code, ended.stdout + ended.stderr);
      const made = [...Deno.readDirSync(`${cwd}/bin`)].map(({ name }) => name).toSorted();
      assertEquals(made, code === 0 ? ["bun", "deno"] : []);
    });
  }
});
