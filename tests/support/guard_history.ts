/**
 * Random histories of one secret, played against the guard's rules, the store in memory and the script
 * of the store in Redis: all three decide alike, and Redis keeps the state as long as the rules need it.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { FULL_BUDGET } from "../../lib/guard/budget.ts";
import {
  guardRules,
  type GuardState,
  INITIAL_STATE,
  throttleTimes,
} from "../../lib/guard/guard.ts";
import { MemoryStore } from "../../lib/guard/memory_store.ts";
import { parseState, redisKey } from "../../lib/guard/redis/script.ts";
import { RedisStore, type RedisStoreOptions } from "../../lib/guard/redis/store.ts";
import { isKnown, KNOWN_MS, MAX_SOURCES } from "../../lib/guard/sources.ts";
import { decideByRules } from "./guard_model.ts";
import { decide } from "./guard_store.ts";
import { pick, type Random, seededRandom } from "./random.ts";

type Link = RedisStoreOptions["link"];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

// Times around which a wait, an attempt of a secret or a source, or a known source ends.
const EDGES_MS = [30_000, HOUR, 2 * HOUR, KNOWN_MS].flatMap((ms) => [ms - 1, ms]);

/** A clock by which each remembered refusal has ended at the next call. */
export function clockPastRefusals(): () => number {
  let ms = 0;
  return () => ms += 2_000;
}

/** Clock by which a store forgets; unless given, it stands still. */
interface StoreClock {
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  /** Greatest difference between the two, in milliseconds. */
  readonly slackMs: number;
}

/** Plays runs of 150 events, each with a link of its own. */
export async function playHistories(
  link: () => Link,
  runs: number,
  clock: StoreClock = { nowMs: () => 0, slackMs: 0 },
): Promise<void> {
  const random = seededRandom(11);
  const seen = new Set<string>();
  for (let run = 0; run < runs; run++) await playHistory(run, link(), clock, random, seen);
  const expected = ["accepted", "wrong", "throttled", "replayed", "unlocked", "too many sources"];
  assertEquals(seen, new Set(expected));
}

// By a clock that jumps up to two hours either way. Redis forgets by a clock of its own that no test can
// set, so a used code is remembered for longer than any run lasts.
async function playHistory(
  run: number,
  link: Link,
  { nowMs: storeMs, slackMs }: StoreClock,
  random: Random,
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
  // Text in the store, and when it is to expire; a text that does not change keeps its expiry.
  let kept = "";
  let keepMs = 0;
  let writtenMs = 0;
  const now = (): number => nowMs;
  const memory = new MemoryStore({ rules, monotonicMs: now });
  const redis = new RedisStore({ rules, link, monotonicMs: clockPastRefusals(), storeNow: now });
  const key = redisKey(`run ${run}`);
  const text = async (): Promise<string> =>
    String(await link.run(key, (send) => send(["GET", key])) ?? "");
  const history: string[] = [];
  for (let event = 0; event < 150; event++) {
    const step = random(3) === 0 ? 60_000_000 + random(6) : undefined;
    const source = pick(random, sources);
    const decision = decideByRules(rules, state, { matchedStep: step, source }, nowMs);
    const { verdict } = decision;
    const sentMs = storeMs();
    state = decision.state;
    history.push(`${nowMs} ${step ?? "-"} ${source ?? "-"} ${verdict}`);
    const message = (): string => `${JSON.stringify(rules)}\n${history.join("\n")}`;
    const verdicts = [
      await decide(redis, `run ${run}`, step, source),
      decide(memory, "a", step, source),
    ];
    if (verdicts.some((other) => other !== verdict)) {
      assertEquals(verdicts, [verdict, verdict], message());
    }
    seen.add(verdict);
    if (await text() !== kept) [keepMs, writtenMs] = [decision.keepMs, sentMs];
    if ((state?.sources.length ?? 0) === MAX_SOURCES) seen.add("too many sources");
    if (random(40) === 0) {
      const unlocked = [await redis.unlock(`run ${run}`), memory.unlock("a")];
      assertEquals(unlocked, Array(2).fill(state !== undefined), message());
      state = state && unlockedState(state, nowMs);
      history.push("unlock");
      seen.add("unlocked");
    }
    kept = await text();
    assertEquals(parseState(kept), state, message());
    const leftMs = Number(await link.run(key, (send) => send(["PTTL", key])));
    const leastMs = keepMs - slackMs - (storeMs() - writtenMs);
    const isKept = kept === "" ? leftMs === -2 : leftMs <= keepMs && leftMs >= leastMs;
    assert(isKept, `${leftMs} of ${keepMs} ms\n${message()}`);
    const { toSomeMs } = throttleTimes(rules, state ?? INITIAL_STATE, nowMs);
    assertEquals(memory.throttled(), Number(toSomeMs > 0), message());
    nowMs += random(8) === 0 ? random(4 * HOUR) - 2 * HOUR : random(1 << (8 + random(14)));
    if (random(20) === 0) nowMs += pick(random, EDGES_MS);
    if (random(20) === 0) nowMs = Math.max(nowMs, pick(random, endsMs(state)) - random(2));
    if (random(50) === 0) nowMs += random(40 * DAY);
  }
}

/** When debts and known sources of a state end. */
function endsMs(state: GuardState = INITIAL_STATE): readonly number[] {
  return [state, ...state.sources].map(({ debtMs, lastMs }) => debtMs + lastMs)
    .concat(state.sources.map(({ knownUntilMs }) => knownUntilMs));
}

/** State after an unlock; undefined when nothing is left of it. */
function unlockedState({ usedStep, sources }: GuardState, nowMs: number): GuardState | undefined {
  const known = sources.filter((source) => isKnown(source, nowMs))
    .map((source) => ({ ...source, ...FULL_BUDGET }));
  if (usedStep < 0 && known.length === 0) return undefined;
  return { ...FULL_BUDGET, usedStep, sources: known };
}
