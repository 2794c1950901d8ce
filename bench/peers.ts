/**
 * The program in its forms, and peers that only answer: what the figures of a start and of memory
 * are to be compared with.
 *
 * @module
 */

/** Something to start. */
export interface Peer {
  /** What the tables call it. */
  readonly name: string;
  /** The command line; `PORT` in it stands for a port. */
  readonly command: readonly string[];
}

/** A peer that runs. */
export interface RunningPeer {
  /** Its base URL. */
  readonly url: string;
  /** Its resident memory in bytes. */
  readonly residentBytes: () => number;
  /** Ends it. */
  readonly stop: () => Promise<void>;
}

const ROOT = new URL("../", import.meta.url).pathname;
const PLAIN_DENO = `Deno.serve({ port: PORT, hostname: "127.0.0.1", onListen() {} }, () =>
  new Response("ok"));`;
const PLAIN_NODE = `require("node:http").createServer((request, response) =>
  response.end("ok")).listen(PORT, "127.0.0.1");`;

/** All of them; what compile.sh made is among them when it is there. */
export function peers(): readonly Peer[] {
  // Without the guard, or all but the first hundred wrong pins would be refused unseen.
  const serve = ["--port", "PORT", "--max-failures", "0"];
  const permissions = ["--no-prompt", "--allow-net", "--allow-env=AUTHENTICATOR_*"];
  return [
    ...(exists(`${ROOT}dist/authenticator`)
      ? [{ name: "executable", command: [`${ROOT}dist/authenticator`, ...serve] }]
      : []),
    {
      name: "deno run",
      command: [Deno.execPath(), "run", ...permissions, `${ROOT}main.ts`, ...serve],
    },
    { name: "plain Deno.serve", command: [Deno.execPath(), "eval", PLAIN_DENO] },
    { name: "plain node:http on Node", command: ["node", "-e", PLAIN_NODE] },
  ];
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Starts a peer, and waits for its first reply with status 200. */
export async function startPeer({ command }: Peer): Promise<RunningPeer> {
  const port = freePort();
  const [program, ...args] = command.map((word) => word.replaceAll("PORT", String(port)));
  const child = new Deno.Command(program!, { args, stdin: "null", stdout: "null", stderr: "null" })
    .spawn();
  const url = `http://127.0.0.1:${port}`;
  while (!await answers(`${url}/healthz`)) await new Promise((resolve) => setTimeout(resolve, 1));
  return {
    url,
    residentBytes: () => {
      const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
    },
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

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** Writes a row of a table. */
export function row(cells: readonly string[]): void {
  const [first, ...rest] = cells;
  const line = first!.padEnd(28) + rest.map((cell) => cell.padStart(10)).join("");
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
