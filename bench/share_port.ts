// How much more work two servers on one port do than one, with a shared Redis. Each may take a part of a
// core and no more (a quota of the system), so that the client and Redis take nothing from them. One
// and two take turns, since the speed of a shared machine comes and goes. Needs wrk and redis-server
// on Linux, and the right to make control groups.
//
//     deno run -A bench/share_port.ts [seconds] [rounds]

import { loadavg } from "node:os";
import process from "node:process";
import { type RedisServer, withRedis } from "../tests/support/redis_server.ts";
import { patient } from "../tests/support/two_servers.ts";
import { GUARD_KEY_FILE } from "../tests/support/guard_key.ts";
import { eventually } from "../tests/support/eventually.ts";
import { freePort } from "../tests/support/free_port.ts";
import { PROGRAM, startProgram } from "../tests/support/program.ts";
import { numbersFrom, stopWithout } from "./command_line.ts";
import { boundCores } from "./control_group.ts";
import { cpuMicroseconds, load, median, redisMicroseconds, rightPinsScript } from "./load.ts";

const [SECONDS, ROUNDS] = numbersFrom(process.argv.slice(2), [["seconds", 5], ["rounds", 9]]);
stopWithout(["wrk", "redis-server", "redis-cli"]);

const CORES = 0.4;
const CONNECTIONS = 64;
const SECRETS = 1000;

/** A server within its part of a core. */
interface Server {
  readonly url: string;
  readonly pid: number;
  /** Ends it, and fails when it refused a right pin. */
  readonly end: () => Promise<void>;
}

async function start(port: number, redis: RedisServer): Promise<Server> {
  const bound = boundCores(CORES);
  if (bound === undefined) throw new Error("This user may not make control groups");
  const metrics = freePort();
  const ports = ["--port", port, "--share-port", "--metrics-port", metrics].map(String);
  const { url, pid, signal, outcome } = await startProgram(
    [...ports, "--guard-key-file", GUARD_KEY_FILE],
    // To read the log would take a processor.
    { env: { AUTHENTICATOR_GUARD: patient(redis.url) }, shell: `${bound.shell}; exec 2>/dev/null` },
  );
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${metrics}${path}`);
  await eventually(async () => (await ask("/readyz")).ok);
  const end = async (): Promise<void> => {
    const page = await (await ask("/metrics")).text();
    signal("SIGTERM");
    await outcome;
    bound.remove();
    const [refused] =
      /^authenticator_requests_total\{.*"ValidatePin".*outcome="(?!true).*$/m.exec(page) ?? [];
    if (refused !== undefined) throw new Error(refused);
  };
  return { url, pid, end };
}

/** What some servers did, and what that took. */
interface Round {
  readonly perSecond: number;
  /** The part of a core that the servers took; a figure below their quotas says that others were in the way. */
  readonly serverCores: number;
  /** Microseconds of the servers' processor time for a check. */
  readonly serverMicroseconds: number;
  /** The same of Redis. */
  readonly redisMicroseconds: number;
  /** The part of a core that the client took. */
  readonly clientCores: number;
}

async function measure(servers: readonly Server[], redis: RedisServer): Promise<Round> {
  const now = async (): Promise<readonly [servers: number, redis: number, client: number]> => [
    servers.reduce((sum, { pid }) => sum + cpuMicroseconds(pid), 0),
    await redisMicroseconds(redis),
    endedMicroseconds(),
  ];
  const before = await now();
  const [{ url }] = servers as readonly [Server];
  const options = { connections: CONNECTIONS, seconds: SECONDS };
  const { requests, perSecond } = await load(servers[0]!, url, rightPinsScript(SECRETS), options);
  const [server, store, client] = (await now()).map((after, i) => after - before[i]!);
  return {
    perSecond,
    serverCores: server! / (SECONDS * 1e6),
    serverMicroseconds: server! / requests,
    redisMicroseconds: store! / requests,
    clientCores: client! / (SECONDS * 1e6),
  };
}

// Of the programs that this one has started and that have ended, as wrk (proc(5)).
function endedMicroseconds(): number {
  const fields = Deno.readTextFileSync("/proc/self/stat").replace(/^.*\) /, "").split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}

function rowOf(count: number, rounds: readonly Round[]): string {
  const of = (read: (round: Round) => number): number => median(rounds.map(read));
  return `| ${count} | ${of(({ perSecond }) => perSecond).toFixed(0)} | ${
    of(({ serverCores }) => serverCores).toFixed(2)
  } | ${of((round) => round.serverMicroseconds).toFixed(0)} | ${
    of((round) => round.redisMicroseconds).toFixed(0)
  } | ${of(({ clientCores }) => clientCores).toFixed(2)} |`;
}

await withRedis([], async (redis) => {
  const [port, shared] = [freePort(), freePort()];
  const alone = await start(port, redis);
  const both = [await start(shared, redis), await start(shared, redis)];
  const ones: Round[] = [];
  const twos: Round[] = [];
  for (let i = 0; i <= ROUNDS; i++) {
    // Forth and back, so that none is always first.
    const turns = [[ones, [alone]], [twos, both]] as const;
    for (const [rounds, servers] of i % 2 === 0 ? turns : turns.toReversed()) {
      const round = await measure(servers, redis);
      if (i > 0) rounds.push(round); // the first one warms up
    }
  }
  const ratios = twos.map(({ perSecond }, i) => perSecond / ones[i]!.perSecond);
  const [ratio, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)]
    .map((value) => value.toFixed(2));
  const lines = [
    `${PROGRAM}, each server held to ${CORES} of a core, load ${loadavg()[0]!.toFixed(1)}`,
    "| Servers | checks a second | servers, cores | server CPU µs | Redis CPU µs | client, cores |",
    "| --: | --: | --: | --: | --: | --: |",
    rowOf(1, ones),
    rowOf(2, twos),
    `two do ${ratio} times the work of one (${least} to ${most} in ${ROUNDS} rounds)`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  for (const server of [alone, ...both]) await server.end();
});
