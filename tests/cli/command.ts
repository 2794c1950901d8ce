/**
 * A command of the program as its users run it: a process of its own, with what `deno task cli`
 * permits, and something on standard input.
 *
 * @module
 */

import { runToEnd } from "../support/child.ts";
import type { Outcome } from "../support/program.ts";
import { parseCommand } from "../../lib/command_line/command_line.ts";
import type { Config } from "../../lib/config.ts";
import project from "../../deno.json" with { type: "json" };

const ROOT = new URL("../../", import.meta.url);
const [, DENO_WORDS = ""] = project.tasks.cli.command.split(/\bdeno /);
const DENO_ARGS = DENO_WORDS.split(" ");

/** What a command gets beside its arguments. */
export interface Surroundings {
  /** Standard input, to its end. */
  readonly stdin?: string | Uint8Array<ArrayBuffer>;
  /** Environment variables; `NO_COLOR` is set unless it is given. */
  readonly env?: Readonly<Record<string, string>>;
  /** The arguments of the runtime before those of the program, if not those of `deno task cli`. */
  readonly denoArgs?: readonly string[];
}

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  { stdin = "", env = {}, denoArgs = DENO_ARGS }: Surroundings = {},
): Promise<Outcome> {
  const { code, stdout, stderr } = await runToEnd([Deno.execPath(), ...denoArgs, ...args], {
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    input: stdin,
  });
  return { code, stdout, stderr };
}

/** The options of the service that a command line gives. */
export function configOf(args: readonly string[]): Config {
  const command = parseCommand(["serve", ...args], () => undefined);
  if (command.kind !== "serve") throw new TypeError("The options are not those of the service");
  return command.config;
}

/** Runs something with a folder that is gone afterwards. */
export async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
