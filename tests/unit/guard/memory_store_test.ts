import { decide, refusal } from "../../support/guard_store.ts";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { fingerprintBy } from "../../../lib/guard/fingerprint.ts";
import {
  type Admission,
  type GuardRules,
  guardRules,
  type GuardState,
  type GuardStore,
  INITIAL_STATE,
  sourceBudget,
  throttleTimes,
  totalBudget,
  unknownSourcesBudget,
} from "../../../lib/guard/guard.ts";
import { decideByRules } from "../../support/guard_model.ts";
import { DEFAULT_ENTRIES, type Evicted, MemoryStore } from "../../../lib/guard/memory_store.ts";
import { validatePin } from "../../../lib/operations/validate_pin.ts";
import { KNOWN_MS } from "../../../lib/guard/sources.ts";
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
  const store = new MemoryStore({ rules, now: () => clock.ms, maxEntries, onEviction });
  return { store, clock, evictions: () => evictions };
}

function fail(store: GuardStore, fingerprint: string, times: number): void {
  for (let i = 0; i < times; i++) assertEquals(decide(store, fingerprint, undefined), "wrong");
}

// Times around which a wait, an attempt of a secret or a source, or a known source ends.
const EDGES_MS = [30_000, HOUR, 2 * HOUR, KNOWN_MS].flatMap((ms) => [ms - 1, ms]);

const EVENT = fc.record({
  waitMs: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, 1) },
    { weight: 2, arbitrary: fc.constantFrom(...EDGES_MS) },
    fc.nat(3 * HOUR),
  ),
  // The step of a right pin, from the current one.
  ahead: fc.option(fc.integer({ min: -1, max: 1 }), { freq: 3, nil: undefined }),
  source: fc.oneof(
    fc.constantFrom(undefined, "a", "b"),
    fc.nat(20).map((i) => `s${i}`),
  ),
});

Deno.test("a memory store decides and counts as the rules do in every history", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.record({ maxFailures: fc.nat(8), singleUse: fc.boolean() }),
      fc.array(EVENT, { maxLength: 80, size: "max" }),
      (options, events) => {
        const rules = rulesWith(options);
        const { store, clock } = storeWith(10, rules);
        let state: GuardState | undefined;
        for (const { waitMs, ahead, source } of events) {
          clock.ms += waitMs;
          const step = STEP + Math.floor(clock.ms / 30_000);
          const matchedStep = ahead === undefined ? undefined : step + ahead;
          const decision = decideByRules(rules, state, { matchedStep, source }, clock.ms);
          state = decision.state;
          seen.add(decision.verdict);
          assertEquals(decide(store, "a", matchedStep, source), decision.verdict);
          const { toSomeMs } = throttleTimes(rules, state ?? INITIAL_STATE, clock.ms);
          assertEquals(store.throttled(), Number(toSomeMs > 0));
        }
      },
    ),
    runOptions(400),
  );
  assertEquals([...seen].sort(), ["accepted", "replayed", "throttled", "wrong"]);
});

type AtOnce = "unlock" | { readonly source: string | undefined } | {
  readonly which: number;
  readonly outcome: "right" | "wrong" | "cancelled";
};

const AT_ONCE: fc.Arbitrary<AtOnce> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ source: fc.constantFrom(undefined, "a", "b") }) },
  {
    weight: 8,
    arbitrary: fc.record({
      which: fc.nat(),
      outcome: fc.constantFrom("right" as const, "wrong" as const, "cancelled" as const),
    }),
  },
  fc.constant("unlock"),
);

/** Looks that are charged, in numbers, while no time passes that gives one back. */
class Charged {
  #attempts = new Map<string | undefined, number>();
  readonly #known = new Set<string | undefined>();

  constructor(private readonly rules: GuardRules) {}

  get isNothing(): boolean {
    return [...this.#attempts.values()].every((attempts) => attempts === 0);
  }

  // The key undefined is the whole secret.
  charge(source: string | undefined, attempts: number): void {
    for (const key of new Set([undefined, source])) {
      this.#attempts.set(key, Math.max(0, (this.#attempts.get(key) ?? 0) + attempts));
    }
  }

  isFull(source: string | undefined): boolean {
    const isStranger = this.#known.size > 0 && !this.#known.has(source);
    const total = isStranger ? unknownSourcesBudget(this.rules) : totalBudget(this.rules);
    return (this.#attempts.get(undefined) ?? 0) >= total.attempts ||
      source !== undefined &&
        (this.#attempts.get(source) ?? 0) >= sourceBudget(this.rules).attempts;
  }

  know(source: string | undefined): void {
    if (source !== undefined) this.#known.add(source);
  }

  unlock(): void {
    this.#attempts = new Map();
  }
}

Deno.test("pins computed at once cost what the wrong ones cost, in any order, and nothing after an unlock", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.array(AT_ONCE, { maxLength: 60, size: "max" }),
      (maxFailures, events) => {
        const rules = rulesWith({ maxFailures });
        const { store, clock } = storeWith(10, rules);
        const charged = new Charged(rules);
        const pending: { admission: Admission; source: string | undefined; step: number }[] = [];
        let usedStep = -1;
        // Failures enter a table when the last pending pin is settled.
        let size = 0;
        const settle = (which: number, outcome: string): void => {
          const [{ admission, source, step }] = pending.splice(which, 1) as [typeof pending[0]];
          if (outcome === "wrong") return assertEquals(admission.settle(undefined), "wrong");
          charged.charge(source, -1);
          if (outcome === "cancelled") return admission.cancel();
          const isUsed = step <= usedStep;
          assertEquals(admission.settle(step), isUsed ? "replayed" : "accepted");
          if (isUsed) return;
          usedStep = step;
          charged.know(source);
        };
        for (const [step, event] of events.entries()) {
          clock.ms++;
          if (event === "unlock") {
            store.unlock("a");
            charged.unlock();
            size = 0;
          } else if ("outcome" in event) {
            if (pending.length === 0) continue;
            settle(event.which % pending.length, event.outcome);
            if (pending.length === 0) size = charged.isNothing ? 0 : 1;
          } else {
            const { source } = event;
            const admission = store.admit("a", source);
            assertEquals(admission === "throttled", charged.isFull(source));
            if (typeof admission === "string") continue;
            charged.charge(source, 1);
            pending.push({ admission, source, step });
          }
          assertEquals(store.size(), size);
        }
        while (pending.length > 0) settle(0, "wrong");
        assertEquals(store.size(), charged.isNothing ? 0 : 1);
      },
    ),
    runOptions(500),
  );
});

const ROOM = 3;
const NAME = fc.constantFrom(..."abcdef");

Deno.test("a full memory store evicts the oldest of the secrets with the fewest wrong pins", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(NAME, { maxLength: 80, size: "max" }),
      (maxFailures, names) => {
        const { store, evictions } = storeWith(ROOM, rulesWith({ maxFailures }));
        // Wrong pins by secret, the last change last.
        const counts = new Map<string, number>();
        const evicted: Evicted[] = [];
        const classOf = (count: number): number =>
          count >= maxFailures ? Infinity : Math.floor(Math.log2(count));
        for (const name of names) {
          const count = counts.get(name) ?? 0;
          const isThrottled = count >= maxFailures;
          assertEquals(decide(store, name, undefined), isThrottled ? "throttled" : "wrong");
          if (isThrottled) continue;
          counts.delete(name);
          if (counts.size === ROOM) {
            const lowest = Math.min(...[...counts.values()].map(classOf));
            const [oldest] = [...counts].find(([, other]) => classOf(other) === lowest)!;
            counts.delete(oldest);
            evicted.push(lowest === Infinity ? "throttled" : "failed");
          }
          counts.set(name, count + 1);
          assertEquals(store.size(), counts.size);
        }
        assertEquals(evictions(), evicted);
      },
    ),
    runOptions(300),
  );
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

Deno.test("a memory store is there as long as its process", () => {
  const { store } = storeWith();
  assertEquals(store.isHealthy(), true);
  store.close();
  assertEquals(store.isHealthy(), true);
});

Deno.test("a memory store refuses before the pin is checked, and no longer than it should", () => {
  const { store, clock } = storeWith();
  fail(store, "a", 3);
  clock.ms += 29_999;
  assertEquals(refusal(store, "a"), "throttled");
  clock.ms += 1;
  assertEquals(refusal(store, "a"), undefined);
});

Deno.test("a memory store holds as many secrets as it may and not one more", () => {
  const { store, evictions } = storeWith(DEFAULT_ENTRIES);
  for (let i = 0; i < DEFAULT_ENTRIES; i++) decide(store, `s${i}`, undefined);
  assertEquals([store.size(), evictions().length], [DEFAULT_ENTRIES, 0]);
  decide(store, "one more", undefined);
  assertEquals([store.size(), evictions().length], [DEFAULT_ENTRIES, 1]);
});

Deno.test("a memory store remembers a used code for its time, and no longer", () => {
  const rules = rulesWith();
  const { store, clock } = storeWith(10, rules);
  assertEquals(decide(store, "a", STEP), "accepted");
  clock.ms += rules.forgetUseMs - 1;
  assertEquals(decide(store, "a", STEP), "replayed");
  clock.ms += 1;
  assertEquals(decide(store, "a", STEP), "accepted");
});

Deno.test("a memory store is empty after a restart", () => {
  const before = storeWith().store;
  decide(before, "a", STEP);
  fail(before, "a", 3);
  const after = storeWith().store;
  assertEquals([refusal(after, "a"), decide(after, "a", STEP)], [undefined, "accepted"]);
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
  const context = { otp, secretEncoding: "text", now: () => NOW, guard } as const;
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

// Codes are computed in threads, one after the other as they were asked for: so they are here.
async function inTurns<T>(act: () => Promise<T>): Promise<T> {
  const { sign } = crypto.subtle;
  let last: Promise<unknown> = Promise.resolve();
  Object.defineProperty(crypto.subtle, "sign", {
    configurable: true,
    value: (...args: Parameters<typeof sign>) => {
      const mac = last.then(() => sign.apply(crypto.subtle, args));
      last = mac;
      return mac;
    },
  });
  try {
    return await act();
  } finally {
    Object.defineProperty(crypto.subtle, "sign", { configurable: true, value: sign });
  }
}

Deno.test("a right pin does not pass the wrong ones that were sent at once before it", async () => {
  for (const known of [0, 1]) {
    const { store } = storeWith(10, rulesWith({ maxFailures: 2 }));
    await check(store, Array(known).fill(WRONG));
    const pins = [...Array(63).fill(WRONG), RIGHT];
    const results = await inTurns(() => check(store, pins));
    assertEquals(results, Array(64).fill(false), `${known} known`);
  }
});

Deno.test("the first of the pins that are sent at once is decided first, right or wrong", async () => {
  for (const first of [RIGHT, WRONG]) {
    const { store } = storeWith(10, rulesWith({ maxFailures: 1 }));
    const results = await inTurns(() => check(store, [first, RIGHT]));
    assertEquals(results, [first === RIGHT, false]);
  }
});

Deno.test("a text that is no code counts as a failure too", async () => {
  const { store } = storeWith();
  assertEquals(await check(store, ["1", "abc", "12345"]), [false, false, false]);
  assertEquals(await check(store, [RIGHT]), [false]);
  assert(
    refusal(
      store,
      fingerprintBy(new Uint8Array(32).fill(7), "SHA1")(new TextEncoder().encode(SECRET)),
    ),
  );
});

Deno.test("a memory store evicts without an observer too", () => {
  const store = new MemoryStore({ rules: rulesWith(), now: () => 0, maxEntries: 1 });
  fail(store, "a", 3);
  fail(store, "b", 3);
  assertEquals([refusal(store, "a"), refusal(store, "b")], [undefined, "throttled"]);
});

Deno.test("a memory store lifts the wait of a secret, and remembers which code was used", () => {
  const { store } = storeWith();
  decide(store, "a", STEP);
  fail(store, "a", 3);
  assertEquals([refusal(store, "a"), store.throttled()], ["throttled", 1]);
  store.unlock("a");
  assertEquals(store.throttled(), 0);
  assertEquals([refusal(store, "a"), decide(store, "a", STEP)], [undefined, "replayed"]);
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
  for (let i = 0; refusal(store, "user", `guesser ${i}`) === undefined; i++) {
    decide(store, "user", undefined, `guesser ${i}`);
  }
  assertEquals(refusal(store, "user", "new"), "throttled");
  assertEquals(decide(store, "user", STEP, "home"), "accepted");
});

Deno.test("a right pin after a throttle does not change the next throttle", () => {
  const { store, clock } = storeWith();
  fail(store, "a", 3);
  clock.ms += 30_000;
  assertEquals(decide(store, "a", STEP), "accepted");
  assertEquals(decide(store, "a", STEP + 1), "accepted");
});

Deno.test("a memory store frees expired entries without a call", () => {
  const rules = rulesWith();
  const { store, clock } = storeWith(10_000, rules);
  for (let i = 0; i < 1000; i++) fail(store, `s${i}`, 1);
  clock.ms += HOUR;
  for (let i = 0; i < 2_000; i++) decide(store, "another", STEP + i);
  assertEquals(store.size(), 0);
});
