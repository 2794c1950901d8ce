/**
 * How long a start takes: from the start of the process to its first reply with status 200, median
 * of ten, beside programs that do nothing but answer. Run compile.sh before.
 *
 *     deno run -A bench/startup.ts [STARTS]
 *
 * @module
 */

import process from "node:process";
import { numbersFrom } from "./command_line.ts";
import { median } from "./load.ts";
import { bareServers, type Peer, programs, row, startPeer } from "./peers.ts";

const [STARTS] = numbersFrom(process.argv.slice(2), [["starts", 10]]);

async function firstReplyMs(peer: Peer): Promise<number> {
  const start = performance.now();
  const running = await startPeer(peer);
  const ms = performance.now() - start;
  await running.stop();
  return ms;
}

const times = new Map(
  [...programs(), ...bareServers()].map((peer) => [peer as Peer, [] as number[]]),
);
// Turn by turn, so that whatever else the machine does meets all of them.
for (let i = 0; i < STARTS; i++) {
  for (const [peer, list] of times) list.push(await firstReplyMs(peer));
}
row(["first 200 reply, ms", "median", "fastest", "slowest"], true);
for (const [{ name }, list] of times) {
  row([name, ...[median(list), Math.min(...list), Math.max(...list)].map((ms) => ms.toFixed(0))]);
}
