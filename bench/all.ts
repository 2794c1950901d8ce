/**
 * Runs every program of this folder for a moment, with what is installed, so that each figure in the
 * documents stands on a program that can be started. Its figures mean nothing.
 *
 *     deno run -A bench/all.ts
 *
 * @module
 */

import process from "node:process";
import { boundCores } from "./control_group.ts";

/** The shortest arguments of each program. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "growth.ts": ["/dev/null", "1"],
  "instances.ts": ["1", "1"],
  "libraries.ts": ["1"],
  "memory.ts": ["--checks", "1"],
  "requests.ts": ["--rounds", "1", "--only", "ValidatePin GET, wrong"],
  "share_port.ts": ["1", "1"],
  "startup.ts": ["1"],
  "store.ts": ["1", "1"],
};

/** Files that are no program. */
const MODULES = [
  "all.ts",
  "cases.ts",
  "command_line.ts",
  "control_group.ts",
  "load.ts",
  "peers.ts",
];

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const folder = new URL("./", import.meta.url);
const files = [...Deno.readDirSync(folder)].map(({ name }) => name)
  .filter((name) => name.endsWith(".ts"));
const failed = files.filter((name) => !(name in PROGRAMS) && !MODULES.includes(name))
  .map((name) => `${name} (it is not listed in all.ts)`);

for (const [name, args] of Object.entries(PROGRAMS)) {
  say(`\n== ${name} ${args.join(" ")}`);
  if (name === "share_port.ts" && !mayBound()) {
    say("left out: this user may not make control groups");
    continue;
  }
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--lock=deno.lock", "--frozen", "--no-prompt", "-A", `bench/${name}`, ...args],
    cwd: new URL("../", folder),
    stdin: "null",
  }).spawn().status;
  if (!success) failed.push(name);
}

function mayBound(): boolean {
  const bound = boundCores(1);
  bound?.remove();
  return bound !== undefined;
}

say(failed.length === 0 ? "\nall ran" : `\nFAILED: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
