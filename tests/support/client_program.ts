/** Clients in other languages that the tests drive. */

import { fileURLToPath } from "node:url";
import { runToEnd } from "./child.ts";

// Requests to this machine are not for a proxy.
const WITHOUT_PROXY = Object.fromEntries(["NO_PROXY", "no_proxy"].map((n) => [n, "127.0.0.1"]));

/** What a program left. */
export interface Output {
  /** What it wrote on standard output. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same as text. */
  readonly text: string;
  /** What it wrote on standard error, as text. */
  readonly errors: string;
}

/**
 * Runs a program to its end.
 *
 * @param input What it reads on standard input.
 * @throws {Error} When the program is missing, or fails; then with what it wrote on standard error.
 */
export async function run(
  program: string,
  args: readonly string[],
  input: string | Uint8Array<ArrayBuffer> = "",
): Promise<Output> {
  const { code, signal, bytes, stdout, stderr } = await runToEnd([program, ...args], {
    input,
    env: WITHOUT_PROXY,
  });
  if (code !== 0) {
    throw new Error(`${program} ended with ${signal ?? `exit code ${code}`}: ${stderr.trim()}`);
  }
  return { bytes, text: stdout, errors: stderr };
}

/** The path of a program of ours. */
export function clientFile(name: string): string {
  return fileURLToPath(new URL(`../integration/interop/clients/${name}`, import.meta.url));
}

/** Compiles a program in C# that Mono runs, with the Main method of `clients/Host.cs`. */
export async function compileCSharp(
  program: string,
  files: readonly string[],
  options: readonly string[],
): Promise<void> {
  await run("mcs", ["-main:Host", ...options, `-out:${program}`, ...files, clientFile("Host.cs")]);
}

/** Runs a program of ours from `clients/`, and reads the JSON that it prints. */
export async function runClient(
  interpreter: string,
  name: string,
  args: readonly string[],
  input: string,
): Promise<unknown> {
  return JSON.parse((await run(interpreter, [clientFile(name), ...args], input)).text);
}

/**
 * Checks that a module of Node.js is there, for a program that requires it.
 *
 * @throws {Error} When it is missing; the message says how to install it.
 */
export async function needModule(module: string): Promise<void> {
  try {
    await run("node", ["-e", `require.resolve(${JSON.stringify(module)})`]);
  } catch (error) {
    if (!`${error}`.includes("MODULE_NOT_FOUND")) throw error;
    throw new Error(
      `the module ${module} of Node.js is missing: npm install --prefix FOLDER ${module}, ` +
        "and NODE_PATH=FOLDER/node_modules in the environment",
    );
  }
}
