import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { FIRST_WAIT_MS } from "../../../lib/guard/budget.ts";
import {
  type GuardRules,
  guardRules,
  type GuardState,
  INITIAL_STATE,
  pinsOwed,
  refusedMs,
  sourceBudget,
  throttleTimes,
  totalBudget,
  unknownSourcesBudget,
  type Verdict,
} from "../../../lib/guard/guard.ts";
import { MemoryStore } from "../../../lib/guard/memory_store.ts";
import {
  DECIDE_SCRIPT,
  parseState,
  SCRIPT_VERDICTS,
  scriptArguments,
} from "../../../lib/guard/redis/script.ts";
import { isKnown, KNOWN_MS, MAX_SOURCES } from "../../../lib/guard/sources.ts";
import { decideByRules } from "../../support/guard_model.ts";
import { decide } from "../../support/guard_store.ts";
import { LuaStore } from "../../support/lua_store.ts";
import { seededRandom } from "../../support/random.ts";

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STEP = 60_000_000;
const START = STEP * 30 * SECOND;

function rulesWith(options: Partial<Parameters<typeof guardRules>[0]> = {}): GuardRules {
  return guardRules({ maxFailures: 3, singleUse: false, window: 1, period: 30, ...options });
}

/** One secret, played pin by pin by the rules, the script and the memory store: they decide alike. */
class Player {
  /** State of the secret by the rules. */
  state: GuardState | undefined;
  #expiresMs = Infinity;
  readonly #script: LuaStore | undefined;
  #key = "a secret";
  readonly #store: MemoryStore;

  /** The time in milliseconds. */
  nowMs = START;

  /** Makes a secret; the script, which is slow, is left out of long histories. */
  constructor(private readonly rules: GuardRules, hasScript = true) {
    if (hasScript) this.#script = new LuaStore();
    this.#store = new MemoryStore({ rules, monotonicMs: () => this.nowMs });
  }

  /** Plays a pin: that of a time step, or a wrong one. */
  pin(matchedStep?: number, source?: string): Verdict {
    if (this.nowMs >= this.#expiresMs) [this.state, this.#key] = [undefined, `${this.#key}'`];
    const call = { rules: this.rules, pin: { matchedStep, source }, nowMs: this.nowMs };
    const decision = decideByRules(this.rules, this.state, call.pin, this.nowMs);
    const { verdict, state, keepMs } = decision;
    this.#expiresMs = this.nowMs + keepMs;
    this.state = state;
    const words = ["EVAL", DECIDE_SCRIPT, "1", this.#key, ...scriptArguments(call)];
    if (this.#script !== undefined) {
      const [code, ms] = this.#script.evaluate(words) as readonly number[];
      assertEquals([SCRIPT_VERDICTS[code!], ms], [verdict, decision.refusedMs]);
      assertEquals(parseState(this.#script.get(this.#key) ?? ""), state);
    }
    assertEquals(decide(this.#store, "a secret", matchedStep, source), verdict);
    return verdict;
  }

  wrong(count: number, source?: string): Verdict[] {
    return Array.from({ length: count }, () => this.pin(undefined, source));
  }

  /** Plays wrong pins until no more are checked; gives how many were. */
  exhaust(source?: string): number {
    let attempts = 0;
    while (this.pin(undefined, source) === "wrong") attempts++;
    return attempts;
  }
}

Deno.test("the guard checks exactly the allowed number of wrong pins in a row", () => {
  for (const maxFailures of [1, 5, 100]) {
    const player = new Player(rulesWith({ maxFailures }));
    assertEquals(new Set(player.wrong(maxFailures)), new Set(["wrong"]));
    assertEquals([player.pin(STEP), player.pin(), player.pin()], Array(3).fill("throttled"));
  }
});

Deno.test("the guard checks one pin after each wait, which doubles from 30 s to an hour", () => {
  const player = new Player(rulesWith());
  player.wrong(3);
  for (const wait of [30, 60, 120, 240, 480, 960, 1920, 1920, 3600, 3600, 3600]) {
    player.nowMs += wait * SECOND - 1;
    assertEquals(player.pin(STEP), "throttled", `${wait} s less a millisecond`);
    player.nowMs += 1;
    assertEquals([player.pin(), player.pin(STEP)], ["wrong", "throttled"], `${wait} s`);
  }
});

Deno.test("the guard restores an attempt each hour, and none for a right pin", () => {
  const player = new Player(rulesWith());
  player.wrong(2);
  const before = player.state;
  for (let i = 0; i < 100; i++) assertEquals(player.pin(STEP), "accepted");
  assertEquals(player.state, before);
  assertEquals(player.wrong(2), ["wrong", "throttled"]);
  player.nowMs += 2 * HOUR;
  assertEquals(player.wrong(3), ["wrong", "wrong", "throttled"]);
});

Deno.test("the guard accepts right pins one after the other once the wait is over", () => {
  const player = new Player(rulesWith());
  player.wrong(3);
  player.nowMs += FIRST_WAIT_MS;
  for (let i = 0; i < 10; i++) assertEquals(player.pin(STEP), "accepted");
  assertEquals(player.wrong(2), ["wrong", "throttled"]);
});

Deno.test("the guard forgets a secret once its budget is full, and not before", () => {
  const player = new Player(rulesWith());
  player.wrong(2);
  player.nowMs += 2 * HOUR - 1;
  assertEquals(player.pin(STEP), "accepted");
  assert(player.state !== undefined);
  player.nowMs += 1;
  assertEquals(player.pin(STEP), "accepted");
  assertEquals(player.state, undefined);
});

Deno.test("the guard counts no refusal as a failure: sending on makes no wait longer", () => {
  const player = new Player(rulesWith());
  player.wrong(3);
  for (let second = 0; second < 30; second++) {
    assertEquals(player.pin(), "throttled");
    player.nowMs += SECOND;
  }
  assertEquals(player.pin(STEP), "accepted");
});

Deno.test("the model returns the time for which a source is throttled from now on", () => {
  const rules = rulesWith();
  const after = (count: number): number => {
    const player = new Player(rules);
    player.wrong(count - 1);
    return decideByRules(rules, player.state, { matchedStep: undefined }, START).refusedMs;
  };
  assertEquals([1, 2, 3, 4].map(after), [0, 0, FIRST_WAIT_MS, FIRST_WAIT_MS]);
});

Deno.test("the guard never throttles with maxFailures 0, and remembers nothing", () => {
  for (const source of [undefined, "a"]) {
    const player = new Player(rulesWith({ maxFailures: 0 }));
    assertEquals(new Set(player.wrong(1000, source)), new Set(["wrong"]));
    assertEquals([player.pin(STEP, source), player.state], ["accepted", undefined]);
  }
});

Deno.test("the guard accepts a code again without single use", () => {
  const player = new Player(rulesWith());
  assertEquals([player.pin(STEP), player.pin(STEP)], ["accepted", "accepted"]);
});

Deno.test("the guard accepts with single use no code of the same or an earlier step", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  assertEquals(player.pin(STEP), "accepted");
  assertEquals([player.pin(STEP), player.pin(STEP - 1)], ["replayed", "replayed"]);
  assertEquals([player.pin(STEP + 1), player.pin(STEP + 1)], ["accepted", "replayed"]);
  // From every source.
  assertEquals(player.pin(STEP + 1, "another"), "replayed");
});

Deno.test("the guard counts a replayed code as neither a failure nor a success", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  player.pin(STEP);
  player.wrong(2);
  for (let i = 0; i < 10; i++) assertEquals(player.pin(STEP, "a"), "replayed");
  assertEquals(player.state?.sources, []);
  assertEquals([player.pin(), player.pin(STEP + 1)], ["wrong", "throttled"]);
});

Deno.test("the guard remembers a used code through failures, and without a throttle", () => {
  for (const maxFailures of [0, 3]) {
    const player = new Player(rulesWith({ singleUse: true, maxFailures }));
    player.pin(STEP);
    player.wrong(2);
    assertEquals([player.pin(STEP), player.pin(STEP + 1)], ["replayed", "accepted"]);
  }
});

Deno.test("the guard remembers failures through a success, with single use too", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  player.wrong(2);
  assertEquals(player.pin(STEP), "accepted");
  assertEquals(player.wrong(2), ["wrong", "throttled"]);
});

Deno.test("the guard keeps a state for as long as any part of it matters", () => {
  const rules = rulesWith({ singleUse: true, maxFailures: 30 });
  const keepMs = (...questions: readonly (readonly [number | undefined, string | undefined])[]) => {
    let [state, kept]: [GuardState | undefined, number] = [undefined, 0];
    for (const [matchedStep, source] of questions) {
      ({ state, keepMs: kept } = decideByRules(rules, state, { matchedStep, source }, START));
    }
    return kept;
  };
  const WRONG = undefined;
  assertEquals(keepMs([WRONG, undefined]), HOUR);
  assertEquals(keepMs([WRONG, "a"]), 2 * HOUR);
  assertEquals(keepMs([STEP, undefined]), rules.forgetUseMs);
  assertEquals(keepMs([WRONG, undefined], [STEP, undefined]), HOUR);
  assertEquals(keepMs([0, undefined], [WRONG, undefined]), HOUR);
  assertEquals(keepMs([STEP, "a"], [WRONG, "b"]), KNOWN_MS);
  assertEquals(keepMs(...Array(9).fill([WRONG, undefined]), [STEP, undefined]), 9 * HOUR);
});

Deno.test("the guard accepts step 0 once, as any other", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  assertEquals([player.pin(0), player.pin(0), player.pin(1)], ["accepted", "replayed", "accepted"]);
});

Deno.test("a clock set back by an hour makes no wait longer than it was", () => {
  for (const count of [3, 5, 20]) {
    const rules = rulesWith();
    const player = new Player(rules);
    for (let attempts = 0; attempts < count;) {
      if (player.pin() === "wrong") attempts++;
      else player.nowMs += FIRST_WAIT_MS;
    }
    const waitMs = refusedMs(rules, player.state!, undefined, player.nowMs);
    player.nowMs -= HOUR;
    assertEquals(player.pin(STEP), "throttled");
    player.nowMs += waitMs - 1;
    assertEquals(player.pin(STEP), "throttled");
    player.nowMs += 1;
    assertEquals(player.pin(STEP), "accepted", `after ${count} failures`);
  }
});

Deno.test("a clock set back remembers no source for longer, and lengthens no wait of a source", () => {
  const rules = rulesWith({ maxFailures: 5 });
  const player = new Player(rules);
  player.pin(STEP, "a");
  player.wrong(3, "a");
  player.nowMs -= 100 * DAY;
  assertEquals(player.pin(STEP, "b"), "accepted");
  assertEquals(refusedMs(rules, player.state!, "a", player.nowMs), FIRST_WAIT_MS);
  player.nowMs += KNOWN_MS - 1;
  player.pin();
  const known = (): number =>
    player.state!.sources.filter((source) => isKnown(source, player.nowMs)).length;
  assertEquals(known(), 2);
  player.nowMs += 1;
  assertEquals(known(), 0);
});

Deno.test("a clock set back remembers no known source for longer, in any store", () => {
  const player = new Player(rulesWith({ maxFailures: 10 }));
  player.pin(STEP, "user");
  player.nowMs -= HOUR;
  player.pin(undefined, "other");
  player.nowMs += KNOWN_MS;
  // Without a known source, no part of the budget is reserved.
  assertEquals(["a", "b"].map((source) => player.exhaust(source)), [5, 5]);
});

Deno.test("decide() limits how long every source is known, where the clock was set back", () => {
  const known = { debtMs: 0, lastMs: 0, knownUntilMs: START + 100 * DAY + KNOWN_MS };
  const state = { ...INITIAL_STATE, sources: [{ id: "a", ...known }, { id: "b", ...known }] };
  const pin = { matchedStep: undefined, source: "b" };
  // The one that is charged, and the one that is not.
  assertEquals(
    decideByRules(rulesWith(), state, pin, START).state!.sources
      .map(({ id, knownUntilMs }) => [id, knownUntilMs]),
    [["a", START + KNOWN_MS], ["b", START + KNOWN_MS]],
  );
});

Deno.test("a clock set back makes no wait longer of a source that had no right pin", () => {
  const rules = rulesWith({ maxFailures: 10 });
  const player = new Player(rules);
  player.exhaust("a");
  player.nowMs -= HOUR;
  assertEquals(throttleTimes(rules, player.state!, player.nowMs).toSomeMs, FIRST_WAIT_MS);
});

Deno.test("throttleTimes() returns the shortest and the longest throttle over all sources", () => {
  const rules = rulesWith({ maxFailures: 4 });
  const player = new Player(rules);
  const refusals = (): readonly number[] => {
    const { toAllMs, toSomeMs } = throttleTimes(rules, player.state!, player.nowMs);
    return [toAllMs, toSomeMs];
  };
  player.wrong(1, "a");
  assertEquals(refusals(), [0, 0]);
  player.exhaust("a");
  assertEquals(refusals(), [0, FIRST_WAIT_MS]);
  player.nowMs += SECOND;
  player.exhaust("b");
  assertEquals(refusals(), [FIRST_WAIT_MS, FIRST_WAIT_MS]);
});

Deno.test("pinsOwed() counts wrong pins that are not restored yet, rounded up", () => {
  const rules = rulesWith();
  const player = new Player(rules);
  player.wrong(3);
  const owed = (elapsedMs: number): number => pinsOwed(rules, player.state!, START + elapsedMs);
  assertEquals([0, 1, HOUR, HOUR + 1, 3 * HOUR].map(owed), [3, 3, 2, 2, 0]);
  assertEquals(pinsOwed(rulesWith({ maxFailures: 0 }), player.state!, START), 0);
});

Deno.test("the guard without a limit keeps a state from a guard with one", () => {
  const rules = rulesWith({ maxFailures: 0, singleUse: true });
  const source = { id: "a", debtMs: 100 * DAY, lastMs: START + DAY, knownUntilMs: 2 * START };
  const state = { debtMs: 100 * DAY, lastMs: START + DAY, usedStep: STEP, sources: [source] };
  const replayed = decideByRules(rules, state, { matchedStep: STEP, source: "a" }, START);
  assertEquals([replayed.verdict, replayed.refusedMs], ["replayed", 0]);
  assertEquals(replayed.state, state);
});

Deno.test("a clock set ahead by an hour restores one attempt", () => {
  const player = new Player(rulesWith());
  player.wrong(3);
  player.nowMs += HOUR;
  assertEquals(player.wrong(2), ["wrong", "throttled"]);
});

Deno.test("a clock set back by an hour makes no used code valid again", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  assertEquals(player.pin(STEP), "accepted");
  player.nowMs += 60 * SECOND;
  player.pin();
  player.nowMs -= HOUR;
  assertEquals([player.pin(STEP), player.pin(STEP - 120)], ["replayed", "replayed"]);
});

Deno.test("a used code is remembered for longer than it can be right", () => {
  for (const [window, period] of [[0, 30], [1, 30], [10, 60], [100, 3600]] as const) {
    const rules = rulesWith({ singleUse: true, window, period });
    assert(rules.forgetUseMs > (2 * window + 1) * period * SECOND);
  }
});

Deno.test("a source has half of the budget, restored half as fast, and a secret the whole", () => {
  const rules = rulesWith({ maxFailures: 100 });
  assertEquals(totalBudget(rules), { attempts: 100, refillMs: HOUR });
  assertEquals(sourceBudget(rules), { attempts: 50, refillMs: 2 * HOUR });
  assertEquals(unknownSourcesBudget(rules), { attempts: 80, refillMs: HOUR });
  // Of a small budget a part is kept as well, and none is so small that nothing is left.
  const attempts = (of: (rules: GuardRules) => { attempts: number }): number[] =>
    [1, 2, 5, 6].map((maxFailures) => of(rulesWith({ maxFailures })).attempts);
  assertEquals([attempts(sourceBudget), attempts(unknownSourcesBudget)], [[1, 1, 3, 3], [
    1,
    1,
    4,
    4,
  ]]);
});

Deno.test("one source of wrong pins does not keep another out", () => {
  const player = new Player(rulesWith({ maxFailures: 100 }));
  assertEquals(player.exhaust("guesser"), 50);
  assertEquals(player.pin(STEP, "guesser"), "throttled");
  assertEquals([player.pin(STEP, "user"), player.pin(STEP)], ["accepted", "accepted"]);
  assertEquals(player.exhaust("user"), 50);
});

Deno.test("a source gets an attempt back every two hours", () => {
  const player = new Player(rulesWith({ maxFailures: 20 }));
  player.exhaust("a");
  player.nowMs += 2 * HOUR;
  assertEquals(player.wrong(2, "a"), ["wrong", "throttled"]);
  player.nowMs += HOUR;
  assertEquals(player.wrong(2, "a"), ["wrong", "throttled"]);
});

Deno.test("calls without a source may use the whole budget, and are no source", () => {
  const player = new Player(rulesWith({ maxFailures: 10 }));
  assertEquals(player.exhaust(), 10);
  assertEquals(player.state?.sources, []);
  assertEquals([player.pin(STEP, "a"), player.pin(STEP)], ["throttled", "throttled"]);
});

Deno.test("sources together have the budget of the secret, while none of them is known", () => {
  const player = new Player(rulesWith({ maxFailures: 10 }));
  assertEquals(["a", "b", "c"].map((source) => player.exhaust(source)), [5, 5, 0]);
});

Deno.test("a fifth of the budget is kept for sources that had a right pin", () => {
  for (const others of [["a", "b", "c"], [undefined]]) {
    const player = new Player(rulesWith({ maxFailures: 10 }));
    assertEquals(player.pin(STEP, "user"), "accepted");
    const attempts = others.map((source) => player.exhaust(source));
    assertEquals(attempts.reduce((sum, attempt) => sum + attempt, 0), 8);
    assertEquals([player.pin(STEP, "d"), player.pin(STEP)], ["throttled", "throttled"]);
    assertEquals([player.pin(STEP, "user"), player.exhaust("user")], ["accepted", 2]);
  }
});

Deno.test("right pins of calls without a source reserve no part of the budget", () => {
  const player = new Player(rulesWith({ maxFailures: 10 }));
  assertEquals(player.pin(STEP), "accepted");
  assertEquals(["a", "b", "c"].map((source) => player.exhaust(source)), [5, 5, 0]);
  assertEquals(player.pin(STEP), "throttled");
  // Once the reserve belongs to known sources, others have no part in it.
  const other = new Player(rulesWith({ maxFailures: 10 }));
  assertEquals([other.pin(STEP), other.pin(STEP, "user")], ["accepted", "accepted"]);
  assertEquals([other.exhaust(), other.pin(STEP)], [8, "throttled"]);
  assertEquals(other.pin(STEP, "user"), "accepted");
});

Deno.test("of too many sources, the one whose budget is full the soonest is forgotten", () => {
  const player = new Player(rulesWith({ maxFailures: 100 }));
  player.wrong(2, "soonest");
  player.nowMs += 3 * HOUR;
  const others = Array.from({ length: MAX_SOURCES }, (_, i) => `other-${i}`);
  for (const source of others) player.wrong(1, source);
  assertEquals(player.state!.sources.map(({ id }) => id), others);
});

Deno.test("a fifth of the budget is kept for the eight sources that had a right pin last", () => {
  const player = new Player(rulesWith({ maxFailures: 100 }));
  const users = Array.from({ length: 9 }, (_, i) => `user-${i}`);
  for (const user of [...users, "user-0"]) {
    player.nowMs += SECOND;
    assertEquals(player.pin(STEP, user), "accepted");
  }
  assertEquals(player.exhaust(), 80);
  const known = users.filter((user) => player.pin(STEP, user) === "accepted");
  assertEquals(known, users.filter((user) => user !== "user-1"));
});

Deno.test("an unknown source has the extra attempts before the part that is kept for known ones", () => {
  const player = new Player(rulesWith({ maxFailures: 100 }));
  player.pin(STEP, "user");
  assertEquals(player.exhaust(), 80);
  for (const wait of [30, 60, 120, 240, 480, 960, 1920]) {
    assertEquals(player.pin(), "throttled");
    player.nowMs += wait * SECOND;
    assertEquals([player.pin(), player.pin()], ["wrong", "throttled"], `${wait} s`);
  }
  // One of those attempts has come back meanwhile.
  assertEquals(player.exhaust("user"), 14);
});

Deno.test("however long others guess, a source with a right pin never waits for them", () => {
  const random = seededRandom(3);
  for (let run = 0; run < 10; run++) {
    const player = new Player(rulesWith({ maxFailures: 100 }), false);
    player.pin(STEP, "user");
    for (let event = 0; event < 2000; event++) {
      player.nowMs += random(2 * HOUR) >> random(16);
      player.pin(undefined, random(9) === 0 ? undefined : `guesser ${random(40)}`);
      // Who is known stays so by logging in, and mistypes now and then.
      if (random(100) === 0) assertEquals(player.pin(undefined, "user"), "wrong");
      if (random(10) === 0) assertEquals(player.pin(STEP, "user"), "accepted");
    }
  }
});

Deno.test("a source is known for 30 days after its last right pin", () => {
  for (const [elapsedMs, verdict] of [[KNOWN_MS - 1, "accepted"], [KNOWN_MS, "throttled"]]) {
    const player = new Player(rulesWith({ maxFailures: 10 }));
    player.pin(STEP, "user");
    player.pin(STEP, "other");
    player.nowMs += Number(elapsedMs);
    player.pin(STEP, "other");
    for (const source of ["a", "b"]) player.exhaust(source);
    assertEquals(player.pin(STEP, "user"), verdict);
  }
});

Deno.test("no span of time has more attempts than the budget, its extra ones and the refill, with any sources", () => {
  const random = seededRandom(5);
  for (let run = 0; run < 200; run++) {
    const maxFailures = 1 + random(6);
    const player = new Player(rulesWith({ maxFailures }), false);
    const attempts: number[] = [];
    for (let event = 0; event < 300; event++) {
      const source = [undefined, "a", "b", `s${random(50)}`][random(4)];
      const verdict = player.pin(random(4) === 0 ? STEP : undefined, source);
      if (verdict === "wrong") attempts.push(player.nowMs);
      player.nowMs += random(2 * HOUR) >> random(20);
    }
    attempts.forEach((lastMs, last) => {
      for (let first = 0; first <= last; first++) {
        const elapsedMs = lastMs - attempts[first]!;
        assert(last - first + 1 <= maxFailures + 7 + elapsedMs / HOUR, `run ${run}`);
      }
    });
  }
});

Deno.test("in every history, calls without a source never wait longer than an hour", () => {
  const random = seededRandom(6);
  for (let run = 0; run < 100; run++) {
    const player = new Player(rulesWith({ maxFailures: 1 + random(5) }), false);
    let refusedSinceMs: number | undefined;
    for (let event = 0; event < 300; event++) {
      if (player.pin(random(3) === 0 ? STEP : undefined) === "throttled") {
        refusedSinceMs ??= player.nowMs;
        assert(player.nowMs - refusedSinceMs < HOUR);
      } else {
        refusedSinceMs = undefined;
      }
      player.nowMs += random(2 * HOUR) >> random(20);
    }
  }
});

Deno.test("by default, ten mistyped pins a day never wait, with a source or without", () => {
  for (const source of [undefined, "user"]) {
    const random = seededRandom(8);
    const player = new Player(rulesWith({ maxFailures: 100 }), false);
    for (let day = 0; day < 1000; day++) {
      // All at once or spread over the day, and logins between them.
      const moments = Array.from({ length: 10 }, () => random(1 + random(DAY)));
      for (const moment of moments.sort((a, b) => a - b)) {
        player.nowMs = START + day * DAY + moment;
        assertEquals(player.pin(undefined, source), "wrong");
        if (random(3) === 0) assertEquals(player.pin(STEP, source), "accepted");
      }
    }
  }
});
