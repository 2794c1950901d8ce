// What the dearest requests within the limits cost, beside an ordinary one to the same binding, route
// or page. For each group: the three that take longest, and how their time grows from a quarter of
// their size to all of it: 1 is as the size does, 4 would be with its square. All rows: `--all`.

import { COST_GROUPS, type CostGroup, requestBytes } from "../tests/support/cost/groups.ts";
import type { RawRequest } from "../tests/support/http.ts";
import { handlerServer } from "../tests/support/servers.ts";

const SHOWN = Deno.args.includes("--all") ? Infinity : 3;
const ROUNDS = 15;
const LONG_MS = 100;

interface Row {
  readonly of: string;
  readonly tookMs: number;
  readonly growth: number;
  readonly replyBytes: number;
}

/** The shortest time of some rounds, in milliseconds: all that is longer is the machine's doing. */
async function shortest(
  send: (request: RawRequest) => Promise<{ readonly body: Uint8Array }>,
  request: RawRequest,
): Promise<readonly [tookMs: number, replyBytes: number]> {
  let best = Infinity;
  let replyBytes = 0;
  let spent = 0;
  for (let round = 0; round < ROUNDS && spent < LONG_MS; round++) {
    const start = performance.now();
    replyBytes = (await send(request)).body.length;
    const took = performance.now() - start;
    spent += took;
    best = Math.min(best, took);
  }
  return [best, replyBytes];
}

async function rowsOf({ args, dear }: CostGroup): Promise<readonly Row[]> {
  const { send } = handlerServer(args);
  const rows: Row[] = [];
  for (const { of, size, make } of dear) {
    const [quarter, whole] = [make(Math.ceil(size / 4)), make(size)];
    const [quarterMs] = await shortest(send, quarter);
    const [tookMs, replyBytes] = await shortest(send, whole);
    const growth = tookMs / quarterMs / (requestBytes(whole) / requestBytes(quarter));
    rows.push({ of, tookMs, growth, replyBytes });
  }
  return rows.sort((a, b) => b.tookMs - a.tookMs);
}

function print(cells: readonly string[]): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`| ${cells.join(" | ")} |\n`));
}

const HEAD = ["Group", "Request", "ms", "× ordinary", "Growth", "Reply, bytes"];
print(HEAD);
print(HEAD.map(() => "---"));
for (const group of COST_GROUPS) {
  const { send } = handlerServer(group.args);
  for (let warming = 0; warming < 200; warming++) await send(group.ordinary);
  const rows = await rowsOf(group);
  const [ordinaryMs, replyBytes] = await shortest(send, group.ordinary);
  const all = [
    { of: "ordinary", tookMs: ordinaryMs, growth: 1, replyBytes },
    ...rows.slice(0, SHOWN),
  ];
  for (const row of all) {
    const times = [
      row.tookMs.toFixed(2),
      (row.tookMs / ordinaryMs).toFixed(1),
      row.growth.toFixed(1),
    ];
    print([group.name, row.of, ...times, String(row.replyBytes)]);
  }
}
