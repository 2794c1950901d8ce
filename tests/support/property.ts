/**
 * Runs of properties by fast-check: few and always the same by default.
 *
 *     deno task test:hostile --minutes 10 --seed 5
 *     deno test -A tests/unit/hostile/fuzz_test.ts -- --seed 5 --path 812:0:3
 *
 * The first checks each property for so many minutes. The second replays a failure, whose message
 * names the seed and the path.
 *
 * @module
 */

import * as fc from "fast-check";
import { parseArgs } from "node:util";

const OPTION = { type: "string" } as const;
const { minutes, seed = "1", path = "" } = parseArgs({
  args: [...Deno.args],
  options: { minutes: OPTION, seed: OPTION, path: OPTION },
}).values;

/** Whether one failure is replayed, so that the shares of kinds of values say nothing. */
export const IS_REPLAY: boolean = path !== "";

/** Options of a property that is checked so many times where no minutes are given. */
export function runOptions(runs: number): fc.Parameters<unknown> {
  const common = { seed: wholeNumber(seed), path };
  if (minutes === undefined) return { ...common, numRuns: runs };
  const interruptAfterTimeLimit = wholeNumber(minutes) * 60_000;
  return { ...common, numRuns: Infinity, interruptAfterTimeLimit, markInterruptAsFailure: false };
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new TypeError(`${text} is no whole number`);
  return Number(text);
}
