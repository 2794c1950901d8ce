import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import {
  decide,
  FIRST_WAIT_MS,
  type GuardRules,
  guardRules,
  type GuardState,
  LONGEST_WAIT_MS,
  type Verdict,
  waitMs,
} from "../../lib/guard/guard.ts";
import { seededRandom } from "../support/random.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const STEP = 60_000_000;
const START = 1_800_000_000_000;

function rulesWith(options: Partial<Parameters<typeof guardRules>[0]> = {}): GuardRules {
  return guardRules({ maxFailures: 3, singleUse: false, window: 1, period: 30, ...options });
}

/** One secret and the rules, played event by event. */
class Player {
  state: GuardState | undefined;
  #expiresMs = Infinity;

  constructor(private readonly rules: GuardRules, public nowMs = START) {}

  /** Plays a pin: that of a time step, or a wrong one. */
  pin(step?: number): Verdict {
    if (this.nowMs >= this.#expiresMs) this.state = undefined;
    const { verdict, state, keepMs } = decide(this.rules, this.state, step, this.nowMs);
    if (state !== this.state) this.#expiresMs = this.nowMs + keepMs;
    this.state = state;
    return verdict;
  }

  wrong(count: number): Verdict[] {
    return Array.from({ length: count }, () => this.pin());
  }
}

Deno.test("decide() looks at as many wrong pins in a row as are allowed, and at no more", () => {
  for (const maxFailures of [1, 5, 100]) {
    const player = new Player(rulesWith({ maxFailures }));
    assertEquals(new Set(player.wrong(maxFailures)), new Set(["wrong"]));
    assertEquals([player.pin(), player.pin(STEP), player.pin()], Array(3).fill("throttled"));
  }
});

Deno.test("decide() looks at one pin after each wait, which doubles from 30 s to an hour", () => {
  const player = new Player(rulesWith());
  player.wrong(3);
  for (const wait of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]) {
    player.nowMs += wait * SECOND - 1;
    assertEquals(player.pin(STEP), "throttled", `${wait} s less a millisecond`);
    player.nowMs += 1;
    assertEquals([player.pin(), player.pin(STEP)], ["wrong", "throttled"], `${wait} s`);
  }
});

Deno.test("decide() forgets failures with a success, and starts over", () => {
  const player = new Player(rulesWith());
  player.wrong(2);
  assertEquals(player.pin(STEP), "accepted");
  assertEquals(player.state, undefined);
  player.wrong(3);
  player.nowMs += 30 * SECOND;
  assertEquals(player.pin(STEP), "accepted");
  assertEquals(player.wrong(4), ["wrong", "wrong", "wrong", "throttled"]);
  player.nowMs += FIRST_WAIT_MS;
  assertEquals(player.pin(), "wrong");
});

Deno.test("decide() remembers no time of refusal before there is one", () => {
  const player = new Player(rulesWith());
  player.wrong(2);
  assertEquals(player.state, { failures: 2, refusedUntilMs: 0, usedStep: -1 });
  player.pin();
  assertEquals(player.state, { failures: 3, refusedUntilMs: START + 30 * SECOND, usedStep: -1 });
});

Deno.test("decide() counts no refusal as a failure: sending on makes no wait longer", () => {
  const player = new Player(rulesWith());
  player.wrong(3);
  for (let second = 0; second < 30; second++) {
    assertEquals(player.pin(), "throttled");
    player.nowMs += SECOND;
  }
  assertEquals(player.pin(STEP), "accepted");
});

Deno.test("decide() never throttles with maxFailures 0, and remembers nothing", () => {
  const player = new Player(rulesWith({ maxFailures: 0 }));
  assertEquals(new Set(player.wrong(1000)), new Set(["wrong"]));
  assertEquals([player.pin(STEP), player.state], ["accepted", undefined]);
});

Deno.test("decide() accepts a code again without single use", () => {
  const player = new Player(rulesWith());
  assertEquals([player.pin(STEP), player.pin(STEP)], ["accepted", "accepted"]);
});

Deno.test("decide() accepts with single use no code of the same or an earlier step", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  assertEquals(player.pin(STEP), "accepted");
  assertEquals([player.pin(STEP), player.pin(STEP - 1)], ["replayed", "replayed"]);
  assertEquals([player.pin(STEP + 1), player.pin(STEP + 1)], ["accepted", "replayed"]);
});

Deno.test("decide() takes a replayed code for neither a failure nor a success", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  player.pin(STEP);
  player.wrong(2);
  for (let i = 0; i < 10; i++) assertEquals(player.pin(STEP), "replayed");
  assertEquals([player.pin(), player.pin(STEP + 1)], ["wrong", "throttled"]);
});

Deno.test("decide() remembers a used code through failures, and without a throttle", () => {
  for (const maxFailures of [0, 3]) {
    const player = new Player(rulesWith({ singleUse: true, maxFailures }));
    player.pin(STEP);
    player.wrong(2);
    assertEquals([player.pin(STEP), player.pin(STEP + 1)], ["replayed", "accepted"]);
  }
});

Deno.test("decide() keeps a used code for its time when a failure is forgotten sooner", () => {
  const rules = rulesWith({ singleUse: true, maxFailures: 1, window: 100, period: 3600 });
  assert(rules.forgetUseMs > rules.forgetFailuresMs);
  const used = decide(rules, undefined, STEP, START);
  assertEquals(used.keepMs, rules.forgetUseMs);
  assertEquals(decide(rules, used.state, undefined, START).keepMs, rules.forgetUseMs);
});

Deno.test("decide() accepts step 0 once, which is remembered as any other", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  assertEquals([player.pin(0), player.pin(0), player.pin(1)], ["accepted", "replayed", "accepted"]);
});

Deno.test("a clock set back by an hour makes no wait longer than it was", () => {
  for (const failures of [3, 5, 20]) {
    const player = new Player(rulesWith());
    while ((player.state?.failures ?? 0) < failures) {
      if (player.pin() === "throttled") player.nowMs += SECOND;
    }
    player.nowMs -= HOUR;
    assertEquals(player.pin(STEP), "throttled");
    player.nowMs += waitMs(rulesWith(), failures) - 1;
    assertEquals(player.pin(STEP), "throttled");
    player.nowMs += 1;
    assertEquals(player.pin(STEP), "accepted", `after ${failures} failures`);
  }
});

Deno.test("a clock set ahead by an hour gives one look, and forgets no failure", () => {
  const player = new Player(rulesWith());
  player.wrong(3);
  player.nowMs += HOUR;
  assertEquals(player.wrong(2), ["wrong", "throttled"]);
  assertEquals(player.state?.failures, 4);
});

Deno.test("a clock set back by an hour makes no used code good again", () => {
  const player = new Player(rulesWith({ singleUse: true }));
  assertEquals(player.pin(STEP), "accepted");
  player.nowMs += 60 * SECOND;
  player.pin();
  player.nowMs -= HOUR;
  assertEquals([player.pin(STEP), player.pin(STEP - 120)], ["replayed", "replayed"]);
});

Deno.test("a used code is remembered for longer than any clock within an hour takes it", () => {
  for (const [window, period] of [[0, 30], [1, 30], [10, 60], [100, 3600]] as const) {
    const rules = rulesWith({ singleUse: true, window, period });
    const codeLivesMs = (2 * window + 1) * period * SECOND;
    assert(rules.forgetUseMs > codeLivesMs + HOUR);
  }
});

Deno.test("holding still until failures are forgotten gives no more guesses than an hour each", () => {
  for (const maxFailures of [1, 2, 5, 20, 100, 1000]) {
    const rules = rulesWith({ maxFailures });
    // Each cycle: all guesses before the first wait, some of those while waits grow, then nothing
    // until all is forgotten.
    for (let later = 0; later < 20; later++) {
      const guesses = maxFailures - 1 + later;
      let cycleMs = rules.forgetFailuresMs;
      for (let i = 1; i < later; i++) cycleMs += waitMs(rules, maxFailures + i - 1);
      assert(guesses * LONGEST_WAIT_MS <= cycleMs, `${maxFailures} and ${later}`);
    }
  }
});

Deno.test("whatever comes when, no wait is longer than an hour and every wait has one look", () => {
  const random = seededRandom(5);
  for (let run = 0; run < 200; run++) {
    const rules = rulesWith({ maxFailures: 1 + random(5) });
    const player = new Player(rules);
    let refusedSinceMs: number | undefined;
    let looks = 0;
    for (let event = 0; event < 300; event++) {
      const verdict = player.pin();
      if (verdict === "throttled") {
        refusedSinceMs ??= player.nowMs;
        assert(player.nowMs - refusedSinceMs < LONGEST_WAIT_MS);
      } else {
        refusedSinceMs = undefined;
        looks++;
      }
      player.nowMs += random(2 * HOUR) >> random(20);
    }
    const elapsedMs = player.nowMs - START;
    assert(looks <= rules.maxFailures + 7 + elapsedMs / LONGEST_WAIT_MS + 1);
  }
});

Deno.test("decide() has a used code remembered through a failure, that of the first step too", () => {
  // Used codes are remembered for longer than failures where steps are long.
  const rules = rulesWith({ singleUse: true, period: 100_000 });
  assert(rules.forgetUseMs > rules.forgetFailuresMs);
  for (const step of [0, STEP]) {
    const { state } = decide(rules, undefined, step, START);
    assertEquals(decide(rules, state, undefined, START).keepMs, rules.forgetUseMs);
  }
});
