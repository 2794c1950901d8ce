// What a decision costs at scale: three instances share a Redis Cluster of three nodes, each instance
// under load at the same time; then the processor time of a decision on both sides, and what 100,000
// decisions a second need by those figures. Needs wrk and redis-server.
//
//     deno run -A bench/guard_cluster.ts [seconds]

import process from "node:process";
import { type Node, Nodes, startCluster } from "../tests/integration/cluster/nodes.ts";
import { startServer, stop } from "../tests/support/two_servers.ts";
import { referenceHotp } from "../tests/support/reference_totp.ts";
import type { RunningProgram } from "../tests/support/program.ts";
import { load, type Measured, median, redisMicroseconds } from "./load.ts";

const SECONDS = Number(process.argv[2] ?? 5);
const ROUNDS = 5;
const CONNECTIONS = 16;
const SECRETS = 3000;
const WANTED = 100_000;

function wrkScript(): string {
  const step = Math.floor(Date.now() / 30_000);
  const rows = Array.from({ length: SECRETS }, (_, i) => {
    const secret = `correct-horse-${i}`;
    // Two in three are right, and one is wrong.
    const pin = i % 3 === 0 ? "0" : referenceHotp(secret, step + 1);
    return `"pin=${pin}&secretCode=${secret}"`;
  });
  return `local bodies = {${rows.join(",\n")}}
local i = math.random(${SECRETS})
request = function()
  i = i + 1
  return wrk.format("POST", "/api.asmx/ValidatePin",
    {["Content-Type"] = "application/x-www-form-urlencoded"}, bodies[i % #bodies + 1])
end`;
}

async function cpuOf(nodes: readonly Node[]): Promise<number> {
  const all = await Promise.all(nodes.map(redisMicroseconds));
  return all.reduce((sum, value) => sum + value, 0);
}

interface Round {
  readonly perSecond: number;
  readonly instanceMicroseconds: number;
  readonly storeMicroseconds: number;
}

async function round(servers: readonly RunningProgram[], nodes: readonly Node[]): Promise<Round> {
  const before = await cpuOf(nodes);
  const options = { connections: CONNECTIONS, seconds: SECONDS };
  const script = wrkScript();
  const all: Measured[] = await Promise.all(
    servers.map((server) => load(server, server.url, script, options)),
  );
  const storeMicroseconds = await cpuOf(nodes) - before;
  const perSecond = all.reduce((sum, measured) => sum + measured.perSecond, 0);
  return {
    perSecond,
    instanceMicroseconds: median(all.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    storeMicroseconds: storeMicroseconds / (perSecond * SECONDS),
  };
}

await using nodes = new Nodes();
const { primaries } = await startCluster(nodes);
const keyFile = Deno.makeTempFileSync();
Deno.writeTextFileSync(keyFile, "k".repeat(43));
const url = `redis+cluster://${primaries.map(({ address }) => address).join(",")}`;
const args = ["--single-use", "--max-failures", "1000000"];
const servers = await Promise.all([1, 2, 3].map(() => startServer(url, keyFile, args)));
for (const server of servers) {
  while ((await fetch(`${server.url}/readyz`)).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const rounds: Round[] = [];
for (let i = 0; i <= ROUNDS; i++) {
  const measured = await round(servers, primaries);
  if (i > 0) rounds.push(measured); // the first one warms up
}
const of = (read: (round: Round) => number): number => median(rounds.map(read));
const instance = of(({ instanceMicroseconds }) => instanceMicroseconds);
const store = of(({ storeMicroseconds }) => storeMicroseconds);
const lines = [
  `decisions a second, three instances and three nodes on this machine: ${
    of(({ perSecond }) => perSecond).toFixed(0)
  }`,
  `processor time of a decision: ${instance.toFixed(0)} us in an instance, ${
    store.toFixed(1)
  } us in a node, ${(instance / store).toFixed(1)} to 1`,
  `${WANTED} decisions a second: ${
    (WANTED * instance / 1e6).toFixed(1)
  } processors for instances, ${(WANTED * store / 1e6).toFixed(1)} for nodes`,
];
process.stdout.write(`${lines.join("\n")}\n`);
for (const server of servers) await stop(server);
Deno.removeSync(keyFile);
