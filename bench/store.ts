/**
 * Cost of a shared guard: right pins by POST with the guard off, in memory and in Redis, in turns.
 * Run compile.sh before; needs wrk and redis-server.
 *
 *     deno run -A bench/store.ts [SECONDS] [ROUNDS]
 *
 * @module
 */

import process from "node:process";
import { withRedis } from "../tests/support/redis_server.ts";
import { GUARD_KEY_FILE } from "../tests/support/guard_key.ts";
import { patient } from "../tests/support/two_servers.ts";
import { numbersFrom, stopWithout } from "./command_line.ts";
import { load, median, redisMicroseconds, rightPinsScript } from "./load.ts";
import { type Peer, programs, row, startPeer } from "./peers.ts";

const [SECONDS, ROUNDS] = numbersFrom(process.argv.slice(2), [["seconds", 2], ["rounds", 5]]);
stopWithout(["wrk", "redis-server", "redis-cli"]);

/** A program with its guard off, in memory and in Redis. */
function guards(program: Peer, off: Peer, storeUrl: string): readonly Peer[] {
  return [
    { ...off, name: `${off.name}, off` },
    { ...program, name: `${program.name}, in memory` },
    {
      ...program,
      name: `${program.name}, in Redis`,
      env: { AUTHENTICATOR_GUARD: patient(storeUrl), AUTHENTICATOR_GUARD_KEY_FILE: GUARD_KEY_FILE },
    },
  ];
}

await withRedis([], async (redis) => {
  row(["Guard", "server CPU µs", "times in memory", "Redis CPU µs"], true);
  const withoutGuard = programs(0);
  for (const [i, program] of programs().entries()) {
    const peers = guards(program, withoutGuard[i]!, redis.url);
    const servers = await Promise.all(peers.map(startPeer));
    const server: number[][] = peers.map(() => []);
    const store: number[][] = peers.map(() => []);
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [i, running] of servers.entries()) {
        const before = await redisMicroseconds(redis);
        const options = { connections: 32, seconds: SECONDS };
        // The first round warms up, and looks at the replies.
        const script = rightPinsScript(1000, 1, round === 0 ? "true" : undefined);
        const measured = await load(running, running.url, script, options);
        if (round === 0) continue;
        server[i]!.push(measured.cpuMicroseconds);
        store[i]!.push((await redisMicroseconds(redis) - before) / measured.requests);
      }
    }
    for (const [i, { name }] of peers.entries()) {
      const times = median(server[i]!.map((us, round) => us / server[1]![round]!));
      const figures = [
        median(server[i]!).toFixed(0),
        times.toFixed(2),
        median(store[i]!).toFixed(0),
      ];
      row([name, ...figures]);
    }
    for (const running of servers) await running.stop();
  }
});
