/**
 * Resident memory: after the start, with 1,000 idle connections, and as 1,000,000 checks of pins go
 * by, beside the runtimes alone. Run compile.sh before; needs wrk and Linux.
 *
 *     deno run -A bench/memory.ts [--of TEXT] [--checks N]
 *
 * @module
 */

import process from "node:process";
import { stopWithout } from "./command_line.ts";
import { load, scriptOf } from "./load.ts";
import { bareServers, programs, row, startPeer } from "./peers.ts";

const IDLE = 1_000;
// What the first requests make a server compile and reserve is no connection's. Over 1,000 connections of
// a new server, it is some 10 KB each on Deno.
const BEFORE_IDLE = 20_000;
const SAMPLES = 5;
const REQUEST = {
  method: "POST",
  path: "/api.asmx/ValidatePin",
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  body: "pin=123456&secretCode=correct%20horse%20battery%20staple",
} as const;

function option(name: string, otherwise: string): string {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1] ?? otherwise;
}

/** What so many connections take that each had one reply, in bytes each. */
async function idleBytes(url: string, resident: () => number): Promise<number> {
  const { hostname, port } = new URL(url);
  const connections: Deno.Conn[] = [];
  const connect = async (): Promise<Deno.Conn> => {
    const connection = await Deno.connect({ hostname, port: Number(port) });
    connections.push(connection);
    return connection;
  };
  const first = await connect();
  for (let i = 0; i < BEFORE_IDLE; i++) await ask(first);
  const before = resident();
  for (let i = 0; i < IDLE; i++) await ask(await connect());
  const after = resident();
  for (const connection of connections) connection.close();
  return (after - before) / IDLE;
}

const HEAD = new TextEncoder().encode("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
const buffer = new Uint8Array(4_096);

async function ask(connection: Deno.Conn): Promise<void> {
  await connection.write(HEAD);
  if (await connection.read(buffer) === null) throw new Error("a server closed its connection");
}

const checks = Number(option("checks", "1000000"));
const steps = Array.from({ length: SAMPLES }, (_, i) => checks * (i + 1) / SAMPLES);
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

row([
  "resident, MB",
  "started",
  "KB an idle one",
  ...steps.map((step) => `${step / 1000}k`),
  "CPU µs",
], true);
// What docs/runtimes.md names for those who want Bun to keep less garbage.
const LEAN = Object.fromEntries([
  ["BUN_JSC_forceRAMSize", "67108864"],
  ["BUN_JSC_useFTLJIT", "0"],
]);
const lean = programs().filter(({ name }) => name.endsWith("Bun"))
  .map((program) => ({ ...program, name: `${program.name}, lean`, env: LEAN }));

stopWithout(["wrk"]);
for (const peer of [...programs(), ...lean, ...bareServers()]) {
  if (!peer.name.includes(option("of", ""))) continue;
  const running = await startPeer(peer);
  const figures = [megabytes(running.residentBytes())];
  figures.push((await idleBytes(running.url, running.residentBytes) / 1e3).toFixed(1));
  let [sent, spent] = [0, 0];
  for (const step of steps) {
    while (sent < step) {
      const options = { connections: 32, seconds: 2 };
      const measured = await load(running, running.url, scriptOf([REQUEST]), options);
      sent += measured.requests;
      spent += measured.requests * measured.cpuMicroseconds;
    }
    figures.push(megabytes(running.residentBytes()));
  }
  row([peer.name, ...figures, (spent / sent).toFixed(1)]);
  await running.stop();
}
