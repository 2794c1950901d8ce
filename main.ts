/**
 * Program: reads the command line and the environment, and runs the command. Importing this file
 * has no effect.
 *
 * @module
 */

import process from "node:process";
import { check } from "./lib/cli/check/check.ts";
import { code } from "./lib/cli/code.ts";
import { compare } from "./lib/cli/compare/compare.ts";
import { readConfigFiles } from "./lib/cli/args/config_file.ts";
import { parseCommand } from "./lib/cli/args/parse.ts";
import { help } from "./lib/cli/args/help.ts";
import { doctor } from "./lib/cli/doctor/doctor.ts";
import { guardName, guardUnlock } from "./lib/cli/guard_commands.ts";
import { healthcheck } from "./lib/cli/healthcheck.ts";
import { CommandError, readVariable, variableNames, writeOut } from "./lib/cli/io/io.ts";
import { flushOutput, writeStderr } from "./lib/cli/io/output.ts";
import { keygen } from "./lib/cli/keygen.ts";
import { pairCommand } from "./lib/cli/pair.ts";
import { sealCommand } from "./lib/cli/seal.ts";
import { flushLog, serve } from "./lib/cli/serve/serve.ts";
import { status } from "./lib/cli/status.ts";
import { licenses } from "./lib/cli/licenses.ts";
import { exitOnDebuggerSignal } from "./lib/cli/debugger_signal.ts";
import { versionLine } from "./lib/cli/version.ts";
import { OptionFileError, UsageError } from "./lib/config/option.ts";
import { currentRuntime } from "./lib/server/runtime/current.ts";
import { ListenError } from "./lib/server/listen/error.ts";
import { FinderError } from "./lib/otp/finder.ts";
import { createLog } from "./lib/telemetry/log.ts";

// Errors whose message is a clause for a person and safe to show.
const FAILURES = [CommandError, FinderError, ListenError] as const;

// Message for `deno run main.ts` without permissions; an option reports its own missing permission.
const NO_PERMISSIONS =
  "Deno was not given the permissions that this program needs. Start it with deno task start, " +
  "or any other command with deno task cli.";

/** Runs the command of a command line, and resolves with its exit code. It never rejects. */
export async function main(args: readonly string[]): Promise<number> {
  // Write each line at once, to keep its place among the warnings, and await all writes at the end.
  const writes: Promise<void>[] = [];
  const print = (line: string): void => {
    const writing = writeOut(`${line}\n`);
    writing.catch(() => {});
    writes.push(writing);
  };
  try {
    try {
      return await run(args, print);
    } finally {
      await Promise.all(writes);
    }
  } catch (error) {
    const { clause, exitCode, advice = "" } = failureOf(error);
    const format = exitCode === 2 ? logFormatOf(args) : undefined;
    if (format !== undefined) logFailure(format, clause);
    else writeStderr(`authenticator: error: ${withStop(clause)}${advice}\n`);
    return exitCode;
  } finally {
    // Only standard error has texts left.
    await flushLog(flushOutput());
  }
}

/** Failure of a command, for a person. */
interface Failure {
  readonly clause: string;
  readonly exitCode: number;
  /** Sentence after the clause. */
  readonly advice?: string;
}

// Writes a line of the log, since that is where the operator of a server looks.
function logFailure(format: "text" | "json", clause: string): void {
  createLog({ format, color: false, write: writeStderr, now: Date.now }).error(clause);
}

// Returns the log format of a server whose command line cannot be read; undefined for another
// command, and for text at a terminal, where a person reads a sentence.
function logFormatOf(args: readonly string[]): "text" | "json" | undefined {
  const [first = "serve"] = args;
  if (first !== "serve" && !first.startsWith("-")) return undefined;
  const typed = (flag: string): string | undefined => {
    const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
    return at < 0 ? undefined : args[at]!.split("=")[1] ?? args[at + 1];
  };
  const path = typed("--config") ?? readVariable("AUTHENTICATOR_CONFIG");
  const given = typed("--log-format") ?? readVariable("AUTHENTICATOR_LOG_FORMAT") ??
    logFormatIn(path);
  if (given === "json") return "json";
  return process.stderr.isTTY === true ? undefined : "text";
}

// A file with a wrong line has no format.
function logFormatIn(path: string | undefined): string | undefined {
  try {
    return path && readConfigFiles([path]).lines.get("AUTHENTICATOR_LOG_FORMAT")?.value;
  } catch {
    return undefined;
  }
}

function lacksPermissions(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}

function failureOf(error: unknown): Failure {
  if (error instanceof OptionFileError) return { clause: error.message, exitCode: 2 };
  if (error instanceof UsageError) {
    return { clause: error.message, exitCode: 2, advice: " Try --help." };
  }
  if (FAILURES.some((failure) => error instanceof failure)) {
    return { clause: (error as Error).message, exitCode: 1 };
  }
  if (lacksPermissions(error)) return { clause: NO_PERMISSIONS, exitCode: 1 };
  const name = error instanceof Error ? error.name : typeof error;
  // Omit the message of the error, which may quote the input of the command.
  return { clause: `the program failed with ${name}`, exitCode: 1 };
}

async function run(args: readonly string[], print: (line: string) => void): Promise<number> {
  const command = parseCommand(args, variable, variableNames());
  switch (command.kind) {
    case "help":
      print(help(command.about));
      return 0;
    case "licenses":
      print(licenses());
      return 0;
    case "version":
      print(versionLine(currentRuntime()));
      return 0;
    case "serve":
      // A failed or pending write to standard output must not stop the server, so it is not queued.
      return await serve(command, (line) => {
        currentRuntime().writeOut(`${line}\n`).catch(() => {});
      }).catch((error) => {
        if (lacksPermissions(error)) throw error;
        const { clause, exitCode } = failureOf(error);
        logFailure(command.config.logFormat, clause);
        return exitCode;
      });
    case "pair":
      return await pairCommand(command.config, command.options, print);
    case "code":
      return await code(command.config, command.options, print);
    case "seal":
    case "unseal":
      return await sealCommand(command.kind, command.config, command.options);
    case "keygen":
      return await keygen(command, print);
    case "doctor":
      return await doctor(command.config, command.options, print);
    case "compare":
      return await compare(command.config, command.operands[0], command.options, print);
    case "status":
      return await status(command.config, print);
    case "guard unlock":
      return await guardUnlock(command.config, print);
    case "guard name":
      return await guardName(command.config, command.options, print);
    case "healthcheck":
      return await healthcheck(command.config, print);
    case "check":
      return await check(command, print);
  }
}

// Adds a full stop; a question or a sentence has its mark already.
function withStop(message: string): string {
  return /[.?]$/.test(message) ? message : `${message}.`;
}

function variable(name: string): string | undefined {
  try {
    return process.env[name];
  } catch (error) {
    if (error instanceof Error && error.name === "InvalidData") {
      throw new UsageError(`the environment variable ${name} is not UTF-8 text`);
    }
    throw error;
  }
}

if (import.meta.main) {
  exitOnDebuggerSignal();
  process.exit(await main(process.argv.slice(2)));
}
