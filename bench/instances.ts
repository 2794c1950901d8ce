/**
 * What instances behind a proxy cost: one, two and three behind HAProxy with one Redis, and three with
 * a Cluster of three primaries, by the processor time of the servers, the store and the proxy for each
 * pin. All take turns. At the same load, several take more than one, since fewer replies leave together.
 * Needs wrk, haproxy and redis-server; TEST_PROGRAM=executable after compile.sh.
 *
 *     deno run -A bench/instances.ts [SECONDS] [ROUNDS]
 *
 * @module
 */

import { loadavg } from "node:os";
import process from "node:process";
import { Nodes, startCluster } from "../tests/integration/cluster/nodes.ts";
import { limitLife, spawn } from "../tests/support/child.ts";
import { eventually } from "../tests/support/eventually.ts";
import { freePort } from "../tests/support/free_port.ts";
import { PROGRAM, type RunningProgram, stop } from "../tests/support/program.ts";
import { type RedisServer, withRedis } from "../tests/support/redis_server.ts";
import { readiness, startServer } from "../tests/support/two_servers.ts";
import { numbersFrom, stopWithout } from "./command_line.ts";
import { cpuMicroseconds, load, median, redisMicroseconds, rightPinsScript } from "./load.ts";
import { row } from "./peers.ts";

const [SECONDS, ROUNDS] = numbersFrom(process.argv.slice(2), [["seconds", 3], ["rounds", 5]]);
stopWithout(["wrk", "haproxy", "redis-server", "redis-cli"]);

const CONNECTIONS = 32;
const SECRETS = 1000;

/** Instances behind a proxy. */
interface Site {
  readonly name: string;
  readonly servers: readonly RunningProgram[];
  readonly stores: readonly RedisServer[];
  readonly proxy: Deno.ChildProcess;
  readonly url: string;
}

async function startSite(
  name: string,
  count: number,
  storeUrl: string,
  stores: readonly RedisServer[],
): Promise<Site> {
  const servers = await Promise.all(Array.from({ length: count }, () => startServer(storeUrl)));
  for (const server of servers) await eventually(async () => await readiness(server) === 200);
  const port = freePort();
  const config = Deno.makeTempFileSync({ suffix: ".cfg" });
  const lines = servers.map(({ url }, i) => `  server s${i} ${new URL(url).host}`);
  Deno.writeTextFileSync(
    config,
    `global
  nbthread 1
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
listen pins
  bind 127.0.0.1:${port}
  balance roundrobin
${lines.join("\n")}
`,
  );
  const proxy = spawn("haproxy", { args: ["-db", "-f", config], stdout: "null", stderr: "null" });
  limitLife(proxy);
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(`${url}/healthz`).then(({ ok }) => ok, () => false));
  Deno.removeSync(config);
  return { name, servers, stores, proxy, url };
}

/** Microseconds of processor time of the servers, the stores and the proxy. */
async function timesOf({ servers, stores, proxy }: Site): Promise<readonly number[]> {
  const ofStores = await Promise.all(stores.map(redisMicroseconds));
  return [
    servers.reduce((sum, { pid }) => sum + cpuMicroseconds(pid), 0),
    ofStores.reduce((sum, each) => sum + each, 0),
    cpuMicroseconds(proxy.pid),
  ];
}

/** Runs one round: pins a second, and the processor time of each part for a pin. */
async function measure(site: Site, holds: string | undefined): Promise<readonly number[]> {
  const before = await timesOf(site);
  const script = rightPinsScript(SECRETS, 1, holds);
  const options = { connections: CONNECTIONS, seconds: SECONDS };
  const { requests, perSecond } = await load(site.servers[0]!, site.url, script, options);
  const after = await timesOf(site);
  return [perSecond, ...after.map((us, i) => (us - before[i]!) / requests)];
}

await withRedis([], async (redis) => {
  await using nodes = new Nodes();
  const { primaries } = await startCluster(nodes);
  const clusterUrl = `redis+cluster://${primaries.map(({ address }) => address).join(",")}`;
  const sites = [
    ...await Promise.all(
      [1, 2, 3].map((count) => startSite(`${count}, one Redis`, count, redis.url, [redis])),
    ),
    await startSite("3, a Cluster of three", 3, clusterUrl, primaries),
  ];
  const rounds: (readonly number[])[][] = sites.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, site] of sites.entries()) {
      // The first round warms up, and looks at the replies.
      const measured = await measure(site, round === 0 ? "true" : undefined);
      if (round > 0) rounds[i]!.push(measured);
    }
  }
  process.stdout.write(
    `${PROGRAM}, ${CONNECTIONS} connections, load ${loadavg()[0]!.toFixed(1)}\n`,
  );
  row(["Instances", "pins a second", "server CPU µs", "store CPU µs", "proxy CPU µs"], true);
  for (const [i, { name }] of sites.entries()) {
    const figures = [0, 1, 2, 3].map((at) =>
      median(rounds[i]!.map((each) => each[at]!)).toFixed(0)
    );
    row([name, ...figures]);
  }
  for (const { servers, proxy } of sites) {
    proxy.kill();
    await proxy.status;
    for (const server of servers) await stop(server);
  }
});
