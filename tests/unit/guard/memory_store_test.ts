import { decide } from "../../support/guard_store.ts";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { debtMs } from "../../../lib/guard/budget.ts";
import { fingerprintBy } from "../../../lib/guard/fingerprint.ts";
import {
  type GuardRules,
  guardRules,
  type GuardStore,
  INITIAL_STATE,
} from "../../../lib/guard/guard.ts";
import { DEFAULT_ENTRIES, type Evicted, MemoryStore } from "../../../lib/guard/memory_store.ts";
import { validatePin } from "../../../lib/operations/validate_pin.ts";
import { decideByRules } from "../../support/guard_model.ts";
import { runOptions } from "../../support/property.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

const STEP = 60_000_000;
const HOUR = 3_600_000;

function rulesWith(options: Partial<Parameters<typeof guardRules>[0]> = {}): GuardRules {
  return guardRules({ maxFailures: 3, singleUse: true, window: 1, period: 30, ...options });
}

/** A store with a clock that is set by hand, and what it evicted. */
function storeWith(
  maxEntries = 10,
  rules = rulesWith(),
): { store: MemoryStore; clock: { ms: number }; evictions: () => readonly Evicted[] } {
  const clock = { ms: 0 };
  const evictions: Evicted[] = [];
  const onEviction = (what: Evicted): void => void evictions.push(what);
  const store = new MemoryStore({ rules, monotonicMs: () => clock.ms, maxEntries, onEviction });
  return { store, clock, evictions: () => evictions };
}

function fail(store: GuardStore, fingerprint: string, times: number): void {
  for (let i = 0; i < times; i++) assertEquals(decide(store, fingerprint, undefined), "wrong");
}

// Histories of one secret are played in tests/support/guard_history.ts.

const ROOM = 3;
const NAME = fc.constantFrom(..."abcdef");

Deno.test("a full memory store evicts the secret with the fewest wrong pins, counted from those of its predecessor", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.array(NAME, { maxLength: 80, size: "max" }),
      (maxFailures, names) => {
        const { store, evictions } = storeWith(ROOM, rulesWith({ maxFailures }));
        // Wrong pins by secret, and those of the secrets whose place it took; the last change last.
        const counts = new Map<string, readonly [own: number, before: number]>();
        const rankOf = ([own, before]: readonly [number, number]): number => own + before;
        const evicted: Evicted[] = [];
        for (const name of names) {
          let [own, before] = counts.get(name) ?? [0, 0];
          const isThrottled = own >= maxFailures;
          assertEquals(decide(store, name, undefined), isThrottled ? "throttled" : "wrong");
          if (isThrottled) continue;
          counts.delete(name);
          if (counts.size === ROOM) {
            before = Math.min(...[...counts.values()].map(rankOf));
            const [first, [pins]] = [...counts].find(([, other]) => rankOf(other) === before)!;
            counts.delete(first);
            evicted.push(pins >= maxFailures ? "throttled" : "failed");
          }
          counts.set(name, [own + 1, before]);
          assertEquals(store.size(), counts.size);
        }
        assertEquals(evictions(), evicted);
      },
    ),
    runOptions(300),
  );
});

Deno.test("a full memory store evicts an expired entry before any other, and reports no eviction", () => {
  const { store, clock, evictions } = storeWith(2, rulesWith({ maxFailures: 9 }));
  fail(store, "a", 5);
  fail(store, "b", 1);
  clock.ms += HOUR;
  assertEquals(store.size(), 1);
  fail(store, "c", 1);
  assertEquals([store.size(), evictions()], [2, []]);
  fail(store, "a", 4);
  assertEquals(store.throttledMs("a", undefined) > 0, false);
  fail(store, "a", 1);
  assertEquals(store.throttledMs("a", undefined) > 0, true);
});

Deno.test("a flood restores an attempt by half as many wrong pins as a full table has entries", () => {
  const room = 50;
  for (const pinsFirst of [0, 1, 2, 4]) {
    for (const pinsEach of [1, 2]) {
      for (const source of [undefined, "one"]) {
        const { store } = storeWith(room, rulesWith({ maxFailures: 10 }));
        for (let i = 0; i < room; i++) {
          for (let j = 0; j < pinsFirst; j++) decide(store, `first ${i}`, undefined, source);
        }
        let pins = pinsFirst * room;
        let attempts = 0;
        for (let i = 0; i < 20 * room; i++) {
          if (decide(store, "user", undefined) === "wrong") attempts++;
          for (let j = 0; j < pinsEach; j++) decide(store, `made up ${i}`, undefined, source);
          pins += pinsEach;
        }
        const restored = attempts - 10;
        assert(restored * room <= 2 * pins, `${restored} for ${pins}: ${pinsFirst}, ${pinsEach}`);
      }
    }
  }
});

Deno.test("places that become free after a flood restore no attempt either", () => {
  const room = 50;
  const { store, clock } = storeWith(room, rulesWith({ maxFailures: 10 }));
  // One wrong pin of each secret is forgiven in an hour; they then expire a day later.
  const flood = 25 * room;
  for (let i = 0; i < flood; i++) decide(store, `made up ${i}`, undefined);
  clock.ms += HOUR;
  let attempts = 0;
  for (let i = 1; i <= room; i++) {
    // A right pin frees the place of its secret.
    decide(store, `made up ${flood - i}`, i);
    for (let j = 0; j < 10; j++) if (decide(store, "user", undefined) === "wrong") attempts++;
    decide(store, `other ${i}`, undefined);
  }
  assertEquals(attempts, 10);
});

Deno.test("a full memory store evicts the code that was used the longest ago, and its known sources", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(NAME, fc.nat(3)), { maxLength: 60, size: "max" }),
      (pins) => {
        const { store, evictions } = storeWith(ROOM);
        const used = new Map<string, number>();
        const evicted: Evicted[] = [];
        for (const [name, step] of pins) {
          const isUsed = step <= (used.get(name) ?? -1);
          assertEquals(decide(store, name, step, "web"), isUsed ? "replayed" : "accepted");
          if (isUsed) continue;
          used.delete(name);
          used.set(name, step);
          if (used.size <= ROOM) continue;
          used.delete([...used.keys()][0]!);
          evicted.push("used", "known");
        }
        assertEquals([evictions(), store.size()], [evicted, 0]);
      },
    ),
    runOptions(300),
  );
});

Deno.test("a memory store throttles a secret until its wait is over", () => {
  const { store, clock } = storeWith();
  fail(store, "a", 3);
  clock.ms += 29_999;
  assertEquals(store.throttledMs("a", undefined) > 0, true);
  clock.ms += 1;
  assertEquals(store.throttledMs("a", undefined) > 0, false);
});

Deno.test("a memory store holds as many secrets as it may and not one more", () => {
  const { store, evictions } = storeWith(DEFAULT_ENTRIES);
  for (let i = 0; i < DEFAULT_ENTRIES; i++) decide(store, `s${i}`, undefined);
  assertEquals([store.size(), evictions().length], [DEFAULT_ENTRIES, 0]);
  decide(store, "one more", undefined);
  assertEquals([store.size(), evictions().length], [DEFAULT_ENTRIES, 1]);
});

const EVENT = fc.record({
  step: fc.option(fc.integer({ min: STEP, max: STEP + 3 }), { nil: undefined }),
  source: fc.constantFrom(undefined, "home", "work"),
  afterMs: fc.oneof(fc.nat(3 * HOUR), fc.nat(40 * 24 * HOUR)),
});

Deno.test("a memory store remembers a secret as long as a debt, a known source or a used code of it lasts, and no longer", () => {
  fc.assert(
    fc.property(
      fc.array(EVENT, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (events, singleUse) => {
        const rules = rulesWith({ singleUse });
        const stores = [storeWith(10, rules), storeWith(10, rules)] as const;
        let [nowMs, untilMs, usedUntilMs] = [0, 0, 0];
        let state = INITIAL_STATE;
        for (const { step: matchedStep, source, afterMs } of events) {
          nowMs += afterMs;
          if (usedUntilMs <= nowMs) state = { ...state, usedStep: INITIAL_STATE.usedStep };
          const decision = decideByRules(rules, state, { matchedStep, source }, nowMs);
          for (const { store, clock } of stores) {
            clock.ms = nowMs;
            assertEquals(decide(store, "a", matchedStep, source), decision.verdict);
          }
          state = decision.state ?? INITIAL_STATE;
          if (singleUse && decision.verdict === "accepted") usedUntilMs = nowMs + rules.forgetUseMs;
          untilMs = Math.max(
            usedUntilMs,
            nowMs + debtMs(state, nowMs),
            ...state.sources.map((own) => Math.max(nowMs + debtMs(own, nowMs), own.knownUntilMs)),
          );
        }
        if (untilMs <= nowMs) return;
        const [{ store: before, clock: last }, { store: after, clock: end }] = stores;
        last.ms = untilMs - 1;
        end.ms = untilMs;
        assertEquals([before.unlock("a"), after.unlock("a")], [true, false]);
      },
    ),
    runOptions(1000),
  );
});

const SECRET = "correct horse battery staple";
const NOW = STEP * 30_000;
const RIGHT = referenceHotp(SECRET, STEP);
const WRONG = [0, 1, 2, 3].map((code) => String(code).padStart(6, "0"))
  .find((code) => [-1, 0, 1].every((d) => referenceHotp(SECRET, STEP + d) !== code))!;

async function check(store: GuardStore, pins: readonly string[]): Promise<boolean[]> {
  const source = (): string => "";
  const guard = { fingerprint: fingerprintBy(new Uint8Array(32).fill(7), "SHA1"), source, store };
  const otp = { algorithm: "SHA1", digits: 6, period: 30, window: 1 } as const;
  const context = { ...otp, secretEncoding: "text", now: () => NOW, pinGuard: guard } as const;
  const checked = pins.map((pin) => validatePin({ pin, secretCode: SECRET }, context));
  return (await Promise.all(checked)).map(({ result }) => result);
}

Deno.test("64 checks of the same right pin at once are true exactly once with single use", async () => {
  const { store } = storeWith();
  const answers = await check(store, Array(64).fill(RIGHT));
  assertEquals(answers.filter(Boolean).length, 1);
  assertEquals(await check(store, [RIGHT]), [false]);
});

Deno.test("a right pin after wrong ones is false once too many were wrong", async () => {
  for (const [before, expected] of [[2, true], [3, false]] as const) {
    const { store } = storeWith();
    await check(store, Array(before).fill(WRONG));
    assertEquals(await check(store, [RIGHT]), [expected], `${before} wrong ones`);
  }
});

Deno.test("a right pin does not pass the wrong ones that were sent at once before it", async () => {
  for (const known of [0, 1]) {
    const { store } = storeWith(10, rulesWith({ maxFailures: 2 }));
    await check(store, Array(known).fill(WRONG));
    const pins = [...Array(63).fill(WRONG), RIGHT];
    const results = await check(store, pins);
    assertEquals(results, Array(64).fill(false), `${known} known`);
  }
});

Deno.test("the first of the pins that are sent at once is decided first, right or wrong", async () => {
  for (const first of [RIGHT, WRONG]) {
    const { store } = storeWith(10, rulesWith({ maxFailures: 1 }));
    const results = await check(store, [first, RIGHT]);
    assertEquals(results, [first === RIGHT, false]);
  }
});

Deno.test("a text that is no code counts as a failure too", async () => {
  const { store } = storeWith();
  assertEquals(await check(store, ["1", "abc", "12345"]), [false, false, false]);
  assertEquals(await check(store, [RIGHT]), [false]);
  const fingerprint = fingerprintBy(new Uint8Array(32).fill(7), "SHA1");
  assert(store.throttledMs(fingerprint(new TextEncoder().encode(SECRET)), undefined) > 0);
});

Deno.test("a memory store evicts without an observer too", () => {
  const store = new MemoryStore({ rules: rulesWith(), monotonicMs: () => 0, maxEntries: 1 });
  fail(store, "a", 3);
  fail(store, "b", 3);
  assertEquals(["a", "b"].map((name) => store.throttledMs(name, undefined) > 0), [false, true]);
});

Deno.test("a memory store lifts the wait of a secret, and remembers which code was used", () => {
  const { store } = storeWith();
  decide(store, "a", STEP);
  fail(store, "a", 3);
  assertEquals([store.throttledMs("a", undefined) > 0, store.throttled()], [true, 1]);
  store.unlock("a");
  assertEquals(store.throttled(), 0);
  assertEquals([store.throttledMs("a", undefined) > 0, decide(store, "a", STEP)], [
    false,
    "replayed",
  ]);
});

Deno.test("unlock() reports a secret only while wrong pins, a used code or a known source of it count", () => {
  const { store, clock } = storeWith(1, rulesWith({ maxFailures: 9 }));
  fail(store, "evicted", 1);
  const unlockLater = (ms: number, step?: number, source?: string): boolean => {
    decide(store, "a", step, source);
    clock.ms += ms;
    return store.unlock("a");
  };
  assertEquals([unlockLater(HOUR - 1), unlockLater(HOUR)], [true, false]);
  assertEquals([unlockLater(0, STEP), unlockLater(HOUR)], [true, false]);
  assertEquals(unlockLater(HOUR, STEP, "home"), true);
});

Deno.test("no flood of wrong pins for made-up secrets makes a used code acceptable", () => {
  const { store, evictions } = storeWith(100, rulesWith({ maxFailures: 100 }));
  for (let i = 0; i < 1_000; i++) fail(store, `made up ${i}`, 1);
  assertEquals(decide(store, "user", STEP), "accepted");
  for (let i = 0; i < 1_000; i++) fail(store, `made up again ${i}`, 2);
  assertEquals(decide(store, "user", STEP), "replayed");
  assertEquals(new Set(evictions()), new Set(["failed"]));
});

Deno.test("no flood of wrong pins for made-up secrets makes a known source unknown", () => {
  const { store } = storeWith(100, rulesWith({ maxFailures: 10, singleUse: false }));
  for (let i = 0; i < 1_000; i++) fail(store, `made up ${i}`, 1);
  assertEquals(decide(store, "user", STEP, "home"), "accepted");
  for (let i = 0; i < 1_000; i++) fail(store, `made up again ${i}`, 2);
  // Unknown sources share four fifths of the budget, and the attempts after its waits.
  for (let i = 0; decide(store, "user", undefined, `guesser ${i}`) === "wrong"; i++);
  assertEquals(store.throttledMs("user", "new") > 0, true);
  assertEquals(decide(store, "user", STEP, "home"), "accepted");
});

Deno.test("a memory store does not count a secret whose wrong pins are forgiven", () => {
  const { store, clock } = storeWith(10_000, rulesWith());
  for (let i = 0; i < 1000; i++) fail(store, `s${i}`, 1 + i % 2);
  clock.ms += HOUR;
  assertEquals(store.size(), 500);
  clock.ms += HOUR;
  assertEquals(store.size(), 0);
});
