/**
 * The program: reads the command line and the environment, runs the command, and gives its exit
 * code. Importing this file has no effect.
 *
 * @module
 */

import process from "node:process";
import project from "./deno.json" with { type: "json" };
import { parseCommand, usage } from "./lib/cli/command_line.ts";
import { serve } from "./lib/cli/serve.ts";
import { UsageError } from "./lib/config.ts";
import { ListenError } from "./lib/runtime/listener.ts";

async function main(args: readonly string[]): Promise<number> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const command = parseCommand(args, (name) => process.env[name]);
    switch (command.kind) {
      case "help":
        print(usage());
        return 0;
      case "version":
        print(`authenticator ${project.version}`);
        return 0;
      case "serve":
        return await serve(command.config, print);
      default:
        return fail(`${command.kind} is not there yet`, 1);
    }
  } catch (error) {
    if (error instanceof UsageError) return fail(`${error.message}. Try --help.`, 2);
    if (error instanceof ListenError) return fail(`${error.message}.`, 1);
    throw error;
  }
}

function fail(message: string, exitCode: number): number {
  process.stderr.write(`authenticator: error: ${message}\n`);
  return exitCode;
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)));
