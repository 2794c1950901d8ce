/**
 * The README's commands, word for word, in a copy of the sources: the server is started and asked,
 * from the sources and as an executable. `task test` is left to `.ci/run`, `task release` to
 * tests/integration/machines, and `./compile.sh` to where Deno's base executable can be had. Needs npx, curl and
 * port 8080.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { type Fence, fencesOf } from "../../support/pages.ts";
import { PROGRAM } from "../../support/program.ts";
import { withSources } from "../../support/sources.ts";

const FENCES = fencesOf("README.md");
const COMMANDS = FENCES.filter(({ info }) => info === "sh").map(({ text }) => text.trim());
const COMPILE_MS = 600_000;
const START_MS = 120_000;
/** Exit code of compile.sh when Deno's base executable cannot be downloaded. */
const LACKS_BASE = 3;

function commandWith(text: string): string {
  const command = COMMANDS.find((one) => one.includes(text));
  assert(command !== undefined, `README.md shows no command with "${text}"`);
  return command;
}

async function isHealthy(): Promise<boolean> {
  try {
    return await (await fetch("http://127.0.0.1:8080/healthz")).text() === "ok";
  } catch {
    return false;
  }
}

/** Starts a server by a command, acts, and presses Ctrl-C: every process of the terminal gets it. */
async function whileRunning(
  command: string,
  cwd: string,
  act: (cwd: string) => Promise<void>,
): Promise<void> {
  assert(!await isHealthy(), "port 8080 is taken: another server runs there");
  const shell = new Deno.Command("bash", {
    args: ["-c", command],
    cwd,
    stdin: "null",
    stdout: "null",
    stderr: "null",
    detached: true,
  }).spawn();
  try {
    await eventually(isHealthy, `"${command}" serves`, START_MS);
    await act(cwd);
  } finally {
    Deno.kill(-shell.pid, "SIGINT");
    await shell.status;
  }
  assert(!await isHealthy(), "the server goes on after Ctrl-C");
}

/**
 * Runs each curl command, and compares its output with the block that follows; … stands for any. With
 * the code that the page's command prints, the pin is right.
 */
async function checkCalls(cwd: string): Promise<void> {
  const calls = FENCES.map((fence, at): [Fence, Fence | undefined] => [fence, FENCES[at + 1]])
    .filter(([{ text }]) => text.startsWith("curl "));
  assertEquals(calls.length, 2);
  for (const [{ text }, shown] of calls) {
    const { code, stdout, stderr } = await runToEnd(["bash", "-c", text]);
    assertEquals(code, 0, stderr);
    const parts = shown!.text.trimEnd().split("…").map((part) => RegExp.escape(part));
    const reply = stdout.replaceAll("\r\n", "\n").trimEnd();
    assert(new RegExp(`^${parts.join(".*")}$`, "s").test(reply), reply);
  }
  const code = await runToEnd(["bash", "-c", commandWith("task --quiet cli code")], { cwd });
  assert(/^\d{6}\n$/.test(code.stdout), code.stderr);
  const check = calls.at(-1)![0].text.replace("123456", code.stdout.trim());
  const { stdout } = await runToEnd(["bash", "-c", check]);
  assert(stdout.includes(">true<"), stdout);
}

const ON_DENO = { ignore: PROGRAM !== "deno" };

Deno.test(
  "README.md: its commands work, word for word",
  ON_DENO,
  () =>
    withSources("readme-", async (cwd) => {
      const run = (command: string) =>
        runToEnd(["bash", "-c", command], { cwd, deadlineMs: COMPILE_MS });
      await whileRunning(commandWith("task start"), cwd, checkCalls);
      const compiled = await run("./compile.sh --with bun");
      assertEquals(compiled.code, 0, compiled.stderr);
      await whileRunning(commandWith("dist/authenticator"), cwd, checkCalls);
      const { code, stderr } = await run("./compile.sh");
      if (code === LACKS_BASE) {
        Deno.stderr.writeSync(new TextEncoder().encode(`left out: ${stderr}`));
      } else assertEquals(code, 0, stderr);
      const known = [
        "task start",
        "task --quiet cli code",
        "task test",
        "task release",
        "compile.sh",
        "dist/authenticator",
        "curl ",
      ];
      assertEquals(COMMANDS.filter((one) => !known.some((text) => one.includes(text))), []);
    }),
);
