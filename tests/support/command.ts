/**
 * A command of the program: in this process, or where TEST_PROGRAM names a program, as its users run
 * it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import { Readable, Writable } from "node:stream";
import { main } from "../../main.ts";
import { runToEnd } from "./child.ts";
import { eventually } from "./eventually.ts";
import { type Outcome, programWords } from "./program.ts";
import { flushOutput } from "../../lib/cli/io/output.ts";
import { parseCommand } from "../../lib/cli/args/parse.ts";
import type { Config } from "../../lib/config/options.ts";

const ROOT = new URL("../../", import.meta.url);

// A process takes a hundred times as long: `deno task test:program` starts one for each command.
const STAYS_HERE = !Deno.env.has("TEST_PROGRAM");

/** Options of a command beside its arguments. */
export interface Surroundings {
  /** Standard input, to its end. */
  readonly stdin?: string | Uint8Array<ArrayBuffer>;
  /** Environment variables; `NO_COLOR` is set unless it is given. */
  readonly env?: Readonly<Record<string, string>>;
  /** The permissions that Deno gives, if not those of `deno task start`: `--allow-env=OTHER`. */
  readonly permissions?: readonly string[];
}

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  { stdin = "", env = {}, permissions }: Surroundings = {},
): Promise<Outcome> {
  // A server does not end.
  if (STAYS_HERE && permissions === undefined && args[0] !== "serve") {
    return await callCommand(args, { stdin, env });
  }
  const { code, stdout, stderr } = await runToEnd([...wordsBefore(permissions), ...args], {
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    input: stdin,
  });
  return { code, stdout, stderr };
}

/**
 * Runs `healthcheck` until the server replies within its five seconds, which are few on a busy
 * machine.
 */
export async function runHealthcheck(
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await eventually(async () => {
    outcome = await runCommand(["healthcheck", ...args], surroundings);
    return !outcome.stderr.includes("does not answer within");
  }, "the server answers in time");
  return outcome!;
}

function wordsBefore(permissions: readonly string[] | undefined): readonly string[] {
  if (permissions === undefined) return programWords();
  // Quiet, and with the lock file: Deno would log its downloads of missing packages.
  const options = ["--quiet", "--lock=runtime.lock", "--frozen", "--no-prompt", ...permissions];
  return [Deno.execPath(), "run", ...options, "main.ts"];
}

/** Options of a command in this process. */
export interface Called extends Omit<Surroundings, "permissions"> {
  /** How many columns the terminal has that standard output is; undefined when it is none. */
  readonly columns?: number;
}

/** Runs a command in this process. */
export async function callCommand(
  args: readonly string[],
  { stdin = "", env = {}, columns }: Called = {},
): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  const output = (name: keyof typeof written): Writable =>
    Object.assign(
      sink((text) => void (written[name] += text)),
      name === "stdout" && columns !== undefined && { isTTY: true, columns },
    );
  const code = await withProcess({
    env: { NO_COLOR: "1", ...env },
    stdin: streamOf(stdin.length === 0 ? [] : [stdin]),
    stdout: output("stdout"),
    stderr: output("stderr"),
  }, () => main(args));
  return { code, ...written };
}

/** A stream that calls a function with every text written to it. */
export function sink(onText: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      onText(text);
      done();
    },
  });
}

/** A stream of chunks. */
export function streamOf(chunks: readonly (string | Uint8Array)[]): Readable {
  return Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
}

/** Runs a function with other properties of `process`, and with other output streams. */
export async function withProcess<T>(own: object, run: () => Promise<T>): Promise<T> {
  const names = Object.keys(own) as (keyof typeof process)[];
  const before = names.map((name) => Object.getOwnPropertyDescriptor(process, name));
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  const { write: writeOut } = Deno.stdout;
  const { write: writeError } = Deno.stderr;
  const { stdout, stderr } = own as { readonly stdout?: Writable; readonly stderr?: Writable };
  if (stdout?.write) Deno.stdout.write = writerTo(stdout);
  if (stderr?.write) Deno.stderr.write = writerTo(stderr);
  try {
    const result = await run();
    await flushOutput();
    return result;
  } finally {
    Object.assign(Deno.stdout, { write: writeOut });
    Object.assign(Deno.stderr, { write: writeError });
    for (const [index, name] of names.entries()) {
      const descriptor = before[index];
      if (descriptor === undefined) delete process[name];
      else Object.defineProperty(process, name, descriptor);
    }
  }
}

// The program writes by the runtime, and detects a terminal by `process`.
function writerTo(stream: Writable): typeof Deno.stdout.write {
  stream.on("error", () => {});
  return (bytes) =>
    new Promise((resolve, reject) => {
      stream.write(
        new TextDecoder().decode(bytes),
        (error) => error ? reject(error) : resolve(bytes.length),
      );
    });
}

/** The options of the service that a command line gives. */
export function configOf(args: readonly string[]): Config {
  const command = parseCommand(["serve", ...args], () => undefined);
  if (command.kind !== "serve") throw new TypeError("The options are not those of the service");
  return command.config;
}
