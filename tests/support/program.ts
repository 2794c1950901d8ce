/**
 * The program as its users start it: a process of its own.
 *
 * @module
 */

const MAIN = new URL("../../main.ts", import.meta.url);
const DENO_ARGS = ["run", "--no-prompt", "--allow-net", "--allow-env=AUTHENTICATOR_*"];

/** How a program ended. */
export interface Outcome {
  /** The exit code. */
  readonly code: number;
  /** What it wrote on stdout. */
  readonly stdout: string;
  /** What it wrote on stderr. */
  readonly stderr: string;
}

/** A program that serves. */
export interface RunningProgram {
  /** The base URL that it printed. */
  readonly url: string;
  /** Sends it a signal. */
  readonly signal: (signal: Deno.Signal) => void;
  /** How it ends; pending while it runs. */
  readonly outcome: Promise<Outcome>;
}

function command(args: readonly string[], env: Readonly<Record<string, string>>): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [...DENO_ARGS, MAIN.href, ...args],
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs the program to its end. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { code, stdout, stderr } = await command(args, env).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/**
 * Starts the program and waits until it listens.
 *
 * @throws {Error} When it ends before; the error says what it wrote.
 */
export async function startProgram(args: readonly string[]): Promise<RunningProgram> {
  const child = command(args, {}).spawn();
  let printed: (line: string) => void = () => {};
  const firstLine = new Promise<string>((resolve) => printed = resolve);
  const stdout = readAll(child.stdout, (text) => {
    if (text.includes("\n")) printed(text.slice(0, text.indexOf("\n")));
  });
  const stderr = readAll(child.stderr);
  const outcome = Promise.all([child.status, stdout, stderr])
    .then(([{ code }, out, err]) => ({ code, stdout: out, stderr: err }));
  const line = await Promise.race([firstLine, outcome]);
  if (typeof line !== "string") throw new Error(`the program did not start: ${line.stderr}`);
  const url = line.replace(/^Listening on /, "");
  return { url, signal: (signal) => child.kill(signal), outcome };
}

async function readAll(
  stream: ReadableStream<Uint8Array>,
  seen: (text: string) => void = () => {},
): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream() as Decoder)) {
    text += chunk;
    seen(text);
  }
  return text;
}

// The platform's type of the decoder wants a wider kind of bytes than streams of a process have.
type Decoder = TransformStream<Uint8Array, string>;
