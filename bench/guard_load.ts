// What the guard costs: ValidatePin over TCP with the guard off, in memory, and in a Redis on
// loopback, side by side in one run and in turns, since the speed of a shared machine comes and
// goes; then the time of a request at half of the load with Redis; then the memory of a
// full store. Needs wrk and redis-server.
//
//     deno run -A bench/guard_load.ts [seconds]

import process from "node:process";
import { programWords } from "../tests/support/program.ts";
import { load, type Measured, median, residentBytes, rightPinsScript } from "./load.ts";
import { withRedis } from "../tests/support/redis_server.ts";

const SECONDS = Number(process.argv[2] ?? 2);
const ROUNDS = 16;
const CONNECTIONS = 32;
const SECRETS = 1000;

/** A script that sends at a rate at most: each connection pauses for a while that varies. */
function atRate(script: string, perSecond: number): string {
  const meanMs = CONNECTIONS * 1000 / perSecond;
  return `${script}\nfunction delay() return math.random(0, ${Math.round(2 * meanMs)}) end`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function send(server: Server, script: string, connections: number): Promise<Measured> {
  return load(server, server.url, script, { connections, seconds: SECONDS });
}

interface Server {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** Starts the program with its log thrown away: reading it would take a processor. */
async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const [program, ...words] = programWords();
  const child = new Deno.Command(program!, {
    args: [...words, "--port", "0", "--metrics", ...args],
    env,
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  const line = new TextDecoder().decode((await reader.read()).value);
  const url = /http:\/\/\S+/.exec(line)![0];
  while ((await fetch(`${url}/readyz`)).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await reader.cancel();
    await child.status;
  };
  return { url, pid: child.pid, stop };
}

/** A number of `/metrics`; 0 when it is not there. */
async function counted(server: Server, sample: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${sample} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

await withRedis([], async ({ url }) => {
  const servers = new Map([
    ["off", await start(["--max-failures", "0"])],
    ["memory", await start([])],
    ["Redis", await start([], { AUTHENTICATOR_GUARD: url })],
    ["memory, single use", await start(["--single-use"])],
    ["Redis, single use", await start(["--single-use"], { AUTHENTICATOR_GUARD: url })],
  ]);
  const results = new Map([...servers.keys()].map((name) => [name, [] as Measured[]]));
  for (let round = 0; round <= ROUNDS; round++) {
    // Forth and back, so that none always has the same neighbour.
    for (const [name, server] of round % 2 === 0 ? servers : [...servers].reverse()) {
      const measured = await send(server, rightPinsScript(SECRETS), CONNECTIONS);
      if (round > 0) results.get(name)!.push(measured); // the first one warms up
    }
  }
  const off = results.get("off")!;
  print("| Guard | requests/s | of that without | server CPU µs | p99 ms |");
  print("| --- | --: | --: | --: | --: |");
  for (const [name, all] of results) {
    const ratio = median(all.map(({ perSecond }, i) => perSecond / off[i]!.perSecond));
    print(
      `| ${name} | ${median(all.map(({ perSecond }) => perSecond)).toFixed(0)} | ` +
        `${ratio.toFixed(2)} | ${median(all.map((m) => m.cpuMicroseconds)).toFixed(1)} | ` +
        `${median(all.map(({ p99Ms }) => p99Ms)).toFixed(2)} |`,
    );
  }
  const half = median(results.get("Redis")!.map(({ perSecond }) => perSecond)) / 2;
  for (const name of ["off", "Redis"]) {
    const slow: Measured[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      slow.push(
        await send(servers.get(name)!, atRate(rightPinsScript(SECRETS), half), CONNECTIONS),
      );
    }
    const rate = median(slow.map(({ perSecond }) => perSecond)).toFixed(0);
    const p99 = median(slow.map(({ p99Ms }) => p99Ms)).toFixed(2);
    print(`guard ${name} at half of the load with Redis, ${rate} requests/s: p99 ${p99} ms`);
  }
  for (const server of servers.values()) await server.stop();
});

// The same requests with and without a guard: more secrets than it remembers, a failure each.
const MEMORY_SCRIPT = `local i = 0
request = function()
  i = i + 1
  return wrk.format("POST", "/api.asmx/ValidatePin",
    {["Content-Type"] = "application/x-www-form-urlencoded"}, "pin=0&secretCode=another-secret-" .. i)
end`;
const REQUESTS = 'authenticator_request_duration_seconds_count{operation="ValidatePin"}';
const EVICTIONS = 'authenticator_guard_evictions_total{class="failed"}';
for (const [name, args] of [["off", ["--max-failures", "0"]], ["memory", []]] as const) {
  const server = await start(args);
  const requests = await counted(server, REQUESTS);
  for (let i = 0; i < 60 && await counted(server, REQUESTS) - requests < 150_000; i++) {
    await send(
      server,
      MEMORY_SCRIPT.replace('another-secret-"', `another-secret-${i}-"`),
      CONNECTIONS,
    );
  }
  print(
    `guard ${name}: ${(residentBytes(server.pid) / 1e6).toFixed(0)} MB resident after ` +
      `${await counted(server, REQUESTS)} requests with a new secret each, ` +
      `${await counted(server, EVICTIONS)} evictions`,
  );
  await server.stop();
}
