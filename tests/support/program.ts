/**
 * The program as its users start it: a process of its own, from its sources by what `deno task start`
 * runs, or as the environment variable TEST_PROGRAM names it: `bun` for the bundle on Bun, `executable`
 * for what compile.sh made.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert/equals";
import { type Ended, killIfThere, limitLife, runToEnd } from "./child.ts";
import { eventually } from "./eventually.ts";
import project from "../../deno.json" with { type: "json" };

const ROOT = new URL("../../", import.meta.url);

/** What the program runs as. */
export const PROGRAM = Deno.env.get("TEST_PROGRAM") ?? "deno";

/** How a program ended, and all that it wrote. */
export type Outcome = Pick<Ended, "code" | "stdout" | "stderr">;

/** A program that serves. */
export interface RunningProgram {
  /** The base URL that it printed; `unix:` and a path on a socket. */
  readonly url: string;
  /** The number of its process. */
  readonly pid: number;
  /** Sends it a signal. */
  readonly signal: (signal: Deno.Signal) => void;
  /** Closes its standard input; only where that was asked for. */
  readonly closeStdin: () => Promise<void>;
  /** Resolves once its stderr holds a text; rejects when it ends before. */
  readonly logged: (text: string) => Promise<void>;
  /** Its stderr so far. */
  readonly stderr: () => string;
  /** How it ends; pending while it runs. */
  readonly outcome: Promise<Outcome>;
}

/** What a program is started with beside its command line. */
export interface StartOptions {
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether its standard input stays open until it is closed. */
  readonly stdin?: boolean;
  /** What starts it, if not what TEST_PROGRAM names. */
  readonly command?: readonly string[];
  /** What a shell does before it becomes the program, for instance `ulimit -n 64` or `exec 2>&-`. */
  readonly shell?: string;
  /** After how many milliseconds it is killed if it still runs; an hour unless given. */
  readonly deadlineMs?: number;
}

/** What keeps Bun from files of the folder that it is started in. */
export const BUN_FLAGS = ["--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null"];

const COMMANDS: ReadonlyMap<string, () => readonly string[]> = new Map([
  ["deno", sourceWords],
  ["bun", () => [bunPath(), ...BUN_FLAGS, executable() + ".js"]],
  ["executable", () => [executable()]],
]);

/**
 * The executable that `./compile.sh --with bun` made.
 *
 * @throws {Error} When it is not there.
 */
export function executable(): string {
  const path = pathOf("dist/authenticator");
  try {
    Deno.statSync(path);
  } catch {
    throw new Error("dist/authenticator is missing: run ./compile.sh --with bun");
  }
  return path;
}

/** What `deno task start` runs, in whatever folder: Deno with its flags, and main.ts. */
export function sourceWords(): readonly string[] {
  const [, words = ""] = project.tasks.start.command.split(/\bdeno /);
  const placed = words.split(" ").map((word) => word.replace(/\w+\.(?:lock|ts)\b/g, pathOf));
  return [Deno.execPath(), ...placed];
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, ROOT));
}

/** The path of Bun: the process itself and not npx around it, which would not hand signals on. */
export function bunPath(): string {
  const args = ["-e", "console.log(process.execPath)"];
  try {
    return outputOf("bun", args);
  } catch {
    const [, version] = / BUN_VERSION=(\S+)/.exec(Deno.readTextFileSync(pathOf("compile.sh")))!;
    return outputOf("npx", ["--yes", `bun@${version}`, ...args]);
  }
}

function outputOf(command: string, args: string[]): string {
  const { success, stdout, stderr } = new Deno.Command(command, { args }).outputSync();
  const [said, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (!success) throw new Error(`${command} failed: ${error}`);
  return said!;
}

let words: readonly string[] | undefined;

/** The command line that starts the program, without options of ours. */
export function programWords(): readonly string[] {
  const command = COMMANDS.get(PROGRAM);
  if (command === undefined) throw new TypeError("TEST_PROGRAM must be deno, bun or executable");
  return words ??= command();
}

function commandOf(args: readonly string[], options: StartOptions): Deno.Command {
  const { command = programWords(), env = {}, stdin, shell } = options;
  const words = [...command, ...args];
  const [path, ...rest] = shell === undefined
    ? words
    : ["/bin/sh", "-c", `${shell}\nexec "$0" "$@"`, ...words];
  return new Deno.Command(path!, {
    args: rest,
    env: { ...env, NO_COLOR: "1" },
    stdin: stdin === true ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs the program to its end. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const words = [...programWords(), ...args];
  const { code, stdout, stderr } = await runToEnd(words, { env: { ...env, NO_COLOR: "1" } });
  return { code, stdout, stderr };
}

// Deadline for the start, and for a text.
const START_MS = 300_000;

/**
 * Starts the program and waits until it listens.
 *
 * @throws {Error} When it ends before, or does not listen by its deadline; the error has what it
 * wrote.
 */
export async function startProgram(
  args: readonly string[],
  options: StartOptions = {},
): Promise<RunningProgram> {
  const child = commandOf(args, options).spawn();
  const stdout = new Output(child.stdout);
  const stderr = new Output(child.stderr);
  const outcome = Promise.all([child.status, stdout.end, stderr.end])
    .then(([{ code }, out, err]) => ({ code, stdout: out, stderr: err }));
  limitLife(child, options.deadlineMs);
  const started = await stdout.has("\n").catch(() => undefined);
  if (started === undefined) {
    killIfThere(child);
    throw new Error(`the program did not start: ${(await outcome).stderr}`);
  }
  const [line] = started.split("\n");
  return {
    url: urlIn(line!),
    pid: child.pid,
    signal: (signal) => child.kill(signal),
    closeStdin: () => child.stdin.close(),
    logged: async (text) => void await stderr.has(text),
    stderr: () => stderr.text,
    outcome,
  };
}

/** Stops a program by SIGTERM or another signal, unless it has ended, and waits for its end. */
export async function stop(
  program: RunningProgram,
  signal: Deno.Signal = "SIGTERM",
): Promise<void> {
  try {
    program.signal(signal);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  await program.outcome;
}

/**
 * Starts the program, acts, and stops it by SIGTERM: its exit code must be 0.
 *
 * @returns Its output.
 */
export async function withProgram(
  args: readonly string[],
  act: (program: RunningProgram) => Promise<void>,
  options: StartOptions = {},
): Promise<Outcome> {
  const program = await startProgram(args, options);
  try {
    await act(program);
  } finally {
    await stop(program);
  }
  const outcome = await program.outcome;
  assertEquals(outcome.code, 0, outcome.stderr);
  return outcome;
}

/** The base URL of the operator port of a program, once it is logged. */
export async function metricsUrl(program: RunningProgram): Promise<string> {
  const said = (): string | undefined =>
    /health and metrics are at (http:[^"\s]+)[\s"]/.exec(program.stderr())?.[1];
  await eventually(() => said() !== undefined, "the program says where its operator port is");
  return said()!;
}

function urlIn(line: string): string {
  return line.startsWith("{")
    ? (JSON.parse(line) as { listening: string }).listening
    : line.replace(/^Listening on /, "");
}

/** What a process writes. */
class Output {
  /** So far. */
  text = "";
  #isEnded = false;
  /** All of it, at its end. */
  readonly end: Promise<string>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.end = this.#read(stream);
  }

  /** Resolves with what there is once a text is in it; rejects when it does not come. */
  async has(text: string): Promise<string> {
    const isThere = (): boolean => this.text.includes(text);
    await eventually(() => isThere() || this.#isEnded, "it is written", START_MS).catch(() => {});
    if (!isThere()) throw new Error(`"${text}" is not in what it wrote: ${this.text}`);
    return this.text;
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<string> {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream() as Decoder)) {
      this.text += chunk;
    }
    this.#isEnded = true;
    return this.text;
  }
}

// The platform's type of the decoder wants a wider kind of bytes than streams of a process have.
type Decoder = TransformStream<Uint8Array, string>;
