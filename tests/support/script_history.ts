/**
 * Random histories of one secret for the script of the store and for the rules: both decide alike.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { guardRules, type GuardState } from "../../lib/guard/guard.ts";
import { decideByRules } from "./guard_model.ts";
import { parseState, redisKey } from "../../lib/guard/redis/script.ts";
import { RedisStore, type RedisStoreOptions } from "../../lib/guard/redis/store.ts";
import { decide } from "./guard_store.ts";
import { pick, seededRandom } from "./random.ts";

type Link = RedisStoreOptions["link"];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A clock by which each remembered refusal has ended at the next call. */
export function clockPastRefusals(): () => number {
  let ms = 0;
  return () => ms += 2_000;
}

/** Plays runs of 150 events, each with a link of its own. */
export async function playScript(link: () => Link, runs: number): Promise<void> {
  const random = seededRandom(11);
  const seen = new Set<string>();
  for (let run = 0; run < runs; run++) await playBoth(run, link(), random, seen);
  assertEquals(seen, new Set(["accepted", "wrong", "throttled", "replayed"]));
}

// One secret, and the same events for the script and the rules, by a clock that jumps up to two hours
// either way. Redis forgets by a clock of its own that no test can set, so a used code is remembered
// for longer than any run lasts.
async function playBoth(
  run: number,
  link: Link,
  random: (limit: number) => number,
  seen: Set<string>,
): Promise<void> {
  const rules = {
    ...guardRules({
      maxFailures: random([12, 40][run % 2]!),
      singleUse: random(2) === 1,
      window: 1,
      period: 30,
    }),
    forgetUseMs: 10_000 * HOUR,
  };
  const sources = [undefined, ...Array.from({ length: [0, 3, 30][random(3)]! }, (_, i) => `s${i}`)];
  let nowMs = 1_800_000_000_000;
  let state: GuardState | undefined;
  const redis = new RedisStore({ rules, link, now: clockPastRefusals(), storeNow: () => nowMs });
  const key = redisKey(`run ${run}`);
  const history: string[] = [];
  for (let event = 0; event < 150; event++) {
    const step = random(3) === 0 ? 60_000_000 + random(6) : undefined;
    const source = pick(random, sources);
    const decision = decideByRules(rules, state, { matchedStep: step, source }, nowMs);
    const expected = decision.verdict;
    state = decision.state;
    const actual = await decide(redis, `run ${run}`, step, source);
    const kept = await link.run(key, (send) => send(["GET", key]));
    history.push(`${nowMs} ${step ?? "-"} ${source ?? "-"} ${expected}`);
    const message = `${JSON.stringify(rules)}\n${history.join("\n")}`;
    assertEquals([actual, parseState(String(kept ?? ""))], [expected, state], message);
    seen.add(expected);
    nowMs += random(8) === 0 ? random(4 * HOUR) - 2 * HOUR : random(1 << (8 + random(14)));
    if (random(50) === 0) nowMs += random(40 * DAY);
  }
}
