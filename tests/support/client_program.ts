/** The programs that the tests drive, each by the Debian package that has it. */

import { fileURLToPath } from "node:url";
import { type Ended, runToEnd } from "./child.ts";

// In each the order of the packages is that of `apt-get install`.
const PACKAGES: Readonly<Record<string, string>> = {
  "curl": "curl",
  "fish": "fish",
  "gcc": "gcc libc6-dev libgsoap-dev",
  "java": "default-jdk-headless",
  "javac": "default-jdk-headless",
  "lexgrog": "man-db",
  "man": "man-db",
  "mandoc": "mandoc",
  "mcs": "mono-mcs",
  "mono": "mono-runtime",
  "node": "nodejs",
  "oathtool": "oathtool",
  "openssl": "openssl",
  "perl": "perl libsoap-lite-perl",
  "php": "php-cli php-soap php-xml",
  "rsvg-convert": "librsvg2-bin",
  "ruby": "ruby ruby-soap4r",
  "soapcpp2": "gsoap",
  "strace": "strace",
  "wsdl": "mono-devel",
  "wsdl2h": "gsoap",
  "xmllint": "libxml2-utils",
  "zbarimg": "zbar-tools",
  "zsh": "zsh",
  // By its path: only the Python of the system sees the modules that the system's packages bring.
  "/usr/bin/python3": "python3 python3-zeep python3-suds python3-bs4 python3-lxml",
};

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
 * @throws {Error} When the program is missing; the message names the package that has it. When it
 * fails, with what it wrote on standard error.
 */
export async function run(
  program: string,
  args: readonly string[],
  input: string | Uint8Array<ArrayBuffer> = "",
): Promise<Output> {
  const { code, signal, bytes, stdout, stderr } = await start([program, ...args], input);
  if (code !== 0) {
    throw new Error(`${program} ended with ${signal ?? `exit code ${code}`}: ${stderr.trim()}`);
  }
  return { bytes, text: stdout, errors: stderr };
}

async function start(
  words: readonly string[],
  input: string | Uint8Array<ArrayBuffer>,
): Promise<Ended> {
  try {
    return await runToEnd(words, { input, env: WITHOUT_PROXY });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`${words[0]} is missing: apt-get install ${PACKAGES[words[0]!]}`);
  }
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
