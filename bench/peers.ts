/**
 * The program in its forms, and what its figures are to be compared with.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { builtProject, DOTNET_ENV, LACKS_DOTNET } from "../tests/support/dotnet.ts";
import { freePort } from "../tests/support/free_port.ts";
import { sourceWords } from "../tests/support/program.ts";
import { SEAL_KEYS_FILE } from "../tests/support/seal_keys.ts";
import { residentBytes } from "./load.ts";

/** Something to start. */
export interface Peer {
  /** What the tables call it. */
  readonly name: string;
  /** The command line; `PORT` in it stands for a port. */
  readonly command: readonly string[];
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Makes the program, unless it is made, and returns the words before those of the command. */
  readonly make?: () => Promise<readonly string[]>;
}

/** A peer that runs. */
export interface RunningPeer {
  /** Its base URL. */
  readonly url: string;
  /** The number of its process. */
  readonly pid: number;
  /** Its resident memory in bytes. */
  readonly residentBytes: () => number;
  /** Ends it. */
  readonly stop: () => Promise<void>;
}

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const BARE = `${ROOT}bench/servers/bare.ts`;

// So many wrong pins that none is refused unseen.
const MOST_FAILURES = 1_000_000;

function serveWords(maxFailures: number): readonly string[] {
  return [
    ...["--port", "PORT", "--metrics", "--max-failures", String(maxFailures)],
    ...["--seal-keys-file", `${ROOT}${SEAL_KEYS_FILE}`],
  ];
}

/** A form of the program, and the bare server on the same runtime. */
export interface Program extends Peer {
  /** The name of that bare server. */
  readonly bare: string;
}

// How long it may take until a peer answers, on a busy machine too.
const START_MS = 300_000;

/**
 * The program in its forms; what compile.sh made is among them when it is there.
 *
 * @param maxFailures Wrong pins before throttling; 0 for no guard.
 */
export function programs(maxFailures = MOST_FAILURES): readonly Program[] {
  const serve = serveWords(maxFailures);
  const command = [...sourceWords(), ...serve];
  const source = { name: "Deno, from source", bare: "bare Deno", command };
  const executable = `${ROOT}dist/authenticator`;
  if (!succeeds([executable, "--version"])) return [source];
  const { stdout } = new Deno.Command(executable, { args: ["--version"] }).outputSync();
  const runtime = /Bun|Deno/.exec(new TextDecoder().decode(stdout))?.[0] ?? "unknown";
  const made = { name: `executable, ${runtime}`, bare: `bare ${runtime}` };
  return [source, { ...made, command: [executable, ...serve] }];
}

/** The runtimes alone, from one bundle: Bun does not read the names of deno.json. */
export function bareServers(): readonly Peer[] {
  const bundle = `${Deno.makeTempDirSync()}/bare.js`;
  const args = ["bundle", "--quiet", "--platform", "deno", "--output", bundle, BARE];
  new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).outputSync();
  return [
    { name: "bare Deno", command: [Deno.execPath(), "run", "-A", bundle, "PORT"] },
    { name: "bare Bun", command: ["bun", bundle, "PORT"] },
  ];
}

/**
 * What people would otherwise run.
 *
 * @param wsdl A file with the WSDL.
 */
export function others(wsdl: string): readonly Peer[] {
  return [
    { name: "node-soap", command: ["node", `${ROOT}bench/servers/node_soap.cjs`, "PORT", wsdl] },
    {
      name: "PHP",
      command: ["php", "-q", "-S", "127.0.0.1:PORT", `${ROOT}bench/servers/php.php`],
      env: { WSDL: wsdl },
    },
    {
      name: "SoapCore",
      command: ["PORT"],
      env: DOTNET_ENV,
      make: async () => [
        "dotnet",
        await builtProject("SoapCorePeer", `${ROOT}bench/servers/soap_core/`),
      ],
    },
  ];
}

/** What is missing for a peer to be started; undefined when nothing is. */
export function missingFor({ name, command }: Peer): string | undefined {
  const [program] = command;
  if (name === "SoapCore") return LACKS_DOTNET ? "no .NET SDK 10" : undefined;
  if (!succeeds([program!, program === "php" ? "-v" : "--version"])) return `no ${program}`;
  const modules = ["node", "-e", 'require("soap"); require("qrcode")'];
  if (name === "node-soap" && !succeeds(modules)) return "no soap and qrcode in NODE_PATH";
  const classes = ["php", "-r", 'exit(class_exists("SoapServer") ? 0 : 1);'];
  return name === "PHP" && !succeeds(classes) ? "no php-soap" : undefined;
}

function succeeds([program, ...args]: readonly string[]): boolean {
  try {
    return new Deno.Command(program!, { args, stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

/**
 * Starts a peer with its log thrown away (to read it would take a processor), and waits for its
 * first reply with status 200.
 */
export async function startPeer({ command, env = {}, make }: Peer): Promise<RunningPeer> {
  const words = [...await make?.() ?? [], ...command];
  const port = freePort();
  const [program, ...args] = words.map((word) => word.replaceAll("PORT", String(port)));
  const child = new Deno.Command(program!, {
    args,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  const lateMs = performance.now() + START_MS;
  while (!await answers(`${url}/healthz`)) {
    if (performance.now() > lateMs) throw new Error(`${program} ${args.join(" ")} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return {
    url,
    pid: child.pid,
    residentBytes: () => residentBytes(child.pid),
    stop: async () => {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await (await fetch(url)).text()) === "ok";
  } catch {
    return false;
  }
}

/** Writes a row of a Markdown table, and under the first one what makes it the head. */
export function row(cells: readonly string[], isHead = false): void {
  const lines = [cells, ...(isHead ? [cells.map((_, i) => i === 0 ? "---" : "--:")] : [])];
  const text = lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
