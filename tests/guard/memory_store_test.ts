import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fingerprintBy } from "../../lib/guard/fingerprint.ts";
import {
  type GuardRules,
  guardRules,
  type GuardStore,
  type Verdict,
} from "../../lib/guard/guard.ts";
import {
  createMemoryStore,
  DEFAULT_ENTRIES,
  type Evicted,
  type MemoryStore,
} from "../../lib/guard/memory_store.ts";
import { validatePin } from "../../lib/service/validate_pin.ts";
import { referenceHotp } from "../support/reference_totp.ts";

const STEP = 60_000_000;
const HOUR = 3_600_000;

function rulesWith(options: Partial<Parameters<typeof guardRules>[0]> = {}): GuardRules {
  return guardRules({ maxFailures: 3, singleUse: true, window: 1, period: 30, ...options });
}

/** A store with a clock that is set by hand, and the evictions it told of. */
function storeWith(
  maxEntries = 10,
  rules = rulesWith(),
): { store: MemoryStore; clock: { ms: number }; evictions: () => readonly Evicted[] } {
  const clock = { ms: 0 };
  const evictions: Evicted[] = [];
  const onEviction = (what: Evicted): void => void evictions.push(what);
  const store = createMemoryStore({ rules, now: () => clock.ms, maxEntries, onEviction });
  return { store, clock, evictions: () => evictions };
}

function fail(store: GuardStore, fingerprint: string, times: number): void {
  for (let i = 0; i < times; i++) assertEquals(store.decide(fingerprint, undefined), "wrong");
}

Deno.test("a memory store counts for each secret on its own", () => {
  const { store } = storeWith();
  fail(store, "a", 3);
  fail(store, "b", 2);
  assertEquals([store.refusal("a"), store.refusal("b")], ["throttled", undefined]);
  assertEquals([store.decide("a", STEP), store.decide("b", STEP)], ["throttled", "accepted"]);
});

Deno.test("a memory store is there as long as its process", () => {
  const { store } = storeWith();
  assertEquals(store.isHealthy(), true);
  store.close();
  assertEquals(store.isHealthy(), true);
});

Deno.test("a memory store refuses before the pin is looked at, and no longer than it should", () => {
  const { store, clock } = storeWith();
  fail(store, "a", 3);
  clock.ms += 29_999;
  assertEquals(store.refusal("a"), "throttled");
  clock.ms += 1;
  assertEquals(store.refusal("a"), undefined);
});

Deno.test("a memory store forgets used codes first, then the fewest failures, a wait last", () => {
  const { store, evictions } = storeWith(4, rulesWith({ maxFailures: 4 }));
  fail(store, "throttled", 4);
  fail(store, "three", 3);
  fail(store, "one", 1);
  store.decide("used", STEP);
  assertEquals(store.decide("used", STEP), "replayed");
  for (let i = 0; i < 50; i++) fail(store, `new ${i}`, 1);
  assertEquals(store.refusal("throttled"), "throttled");
  // The used code went, and of one failure each all but the last.
  assertEquals(store.decide("used", STEP), "accepted");
  fail(store, "three", 1);
  assertEquals(store.refusal("three"), "throttled");
  assertEquals([store.size(), evictions()], [4, ["used", ...Array(49).fill("failed"), "used"]]);
});

Deno.test("a memory store is not touched by a flood of logins where it remembers failures", () => {
  const { store, evictions } = storeWith(10, rulesWith({ maxFailures: 4 }));
  for (let i = 0; i < 5; i++) fail(store, `s${i}`, 3);
  for (let i = 0; i < 1000; i++) assertEquals(store.decide(`login ${i}`, STEP), "accepted");
  for (let i = 0; i < 5; i++) {
    fail(store, `s${i}`, 1);
    assertEquals(store.refusal(`s${i}`), "throttled");
  }
  // All room for failures: a login finds none, and says so.
  for (let i = 5; i < 10; i++) fail(store, `s${i}`, 1);
  assertEquals(store.decide("login", STEP), "accepted");
  assertEquals(new Set(evictions()), new Set(["used"]));
});

Deno.test("a memory store forgets a throttled secret when all others are", () => {
  const { store, evictions } = storeWith(2);
  for (const name of ["a", "b", "c"]) fail(store, name, 3);
  assertEquals(evictions(), ["throttled"]);
  const throttled = ["a", "b", "c"].map((name) => store.refusal(name) ?? "none");
  assertEquals(throttled, ["none", "throttled", "throttled"]);
});

Deno.test("a memory store forgets nothing that lasts while anything expired is there", () => {
  const rules = rulesWith({ maxFailures: 4 });
  const { store, clock, evictions } = storeWith(100, rules);
  for (let i = 0; i < 50; i++) fail(store, `old ${i}`, 1);
  clock.ms += HOUR;
  for (let i = 0; i < 50; i++) store.decide(`used ${i}`, STEP);
  for (let i = 0; i < 50; i++) fail(store, `new ${i}`, 2);
  assertEquals([evictions(), store.size()], [[], 100]);
});

Deno.test("a memory store holds as many secrets as it may and not one more", () => {
  const { store, evictions } = storeWith(DEFAULT_ENTRIES);
  for (let i = 0; i < DEFAULT_ENTRIES; i++) store.decide(`s${i}`, undefined);
  assertEquals([store.size(), evictions().length], [DEFAULT_ENTRIES, 0]);
  store.decide("one more", undefined);
  assertEquals([store.size(), evictions().length], [DEFAULT_ENTRIES, 1]);
});

Deno.test("a memory store needs no room for a secret that never failed", () => {
  const { store } = storeWith(3, rulesWith({ singleUse: false }));
  for (let i = 0; i < 100; i++) assertEquals(store.decide(`s${i}`, STEP), "accepted");
  assertEquals(store.size(), 0);
});

Deno.test("a memory store forgets failures when their time is over, and not before", () => {
  const { store, clock } = storeWith(10, rulesWith({ singleUse: false }));
  fail(store, "a", 2);
  clock.ms += HOUR - 1;
  fail(store, "a", 1);
  assertEquals(store.refusal("a"), "throttled");
  clock.ms += 3 * HOUR;
  fail(store, "a", 3);
});

Deno.test("a memory store remembers a used code for its time, and no longer", () => {
  const rules = rulesWith();
  const { store, clock } = storeWith(10, rules);
  assertEquals(store.decide("a", STEP), "accepted");
  clock.ms += rules.forgetUseMs - 1;
  assertEquals(store.decide("a", STEP), "replayed");
  clock.ms += 1;
  assertEquals(store.decide("a", STEP), "accepted");
});

Deno.test("a memory store lets go of what expired although nobody asks for it", () => {
  const rules = rulesWith();
  const { store, clock } = storeWith(10_000, rules);
  for (let i = 0; i < 1000; i++) store.decide(`s${i}`, STEP);
  clock.ms += rules.forgetUseMs;
  for (let i = 0; i < 1010; i++) store.decide("another", STEP + i);
  assertEquals(store.size(), 1);
});

Deno.test("a memory store knows nothing after a restart", () => {
  const before = storeWith().store;
  before.decide("a", STEP);
  fail(before, "a", 3);
  const after = storeWith().store;
  assertEquals([after.refusal("a"), after.decide("a", STEP)], [undefined, "accepted"]);
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
  return await Promise.all(pins.map((pin) => validatePin({ pin, secretCode: SECRET }, context)));
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

Deno.test("no more than the allowed wrong pins are told apart, however many come at once", async () => {
  for (const [before, expected] of [[0, 3], [1, 2], [3, 0]] as const) {
    const { store } = storeWith();
    const verdicts: (Verdict | Promise<Verdict>)[] = [];
    const watched: GuardStore = {
      ...store,
      decide: (fingerprint, step) => {
        const verdict = store.decide(fingerprint, step);
        verdicts.push(verdict);
        return verdict;
      },
    };
    await check(watched, Array(before).fill(WRONG));
    verdicts.length = 0;
    await check(watched, Array(64).fill(WRONG));
    assertEquals(verdicts.filter((verdict) => verdict === "wrong").length, expected);
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

Deno.test("a memory store lets one pin of an unknown secret be early, and others wait for it", async () => {
  const { store } = storeWith();
  const [first, second, other] = [store.begin("a"), store.begin("a"), store.begin("b")];
  assertEquals([first, second, other].map((look) => look.mayBeEarly), [true, false, true]);
  assertEquals([first.turn, other.turn], [undefined, undefined]);
  let isTurn = false;
  void second.turn!.then(() => isTurn = true);
  await Promise.resolve();
  assertEquals(isTurn, false);
  first.end();
  await second.turn;
  // The second is still looked at.
  assertEquals(store.begin("a").mayBeEarly, false);
});

Deno.test("a memory store lets a pin be early again once none is looked at, unless it remembers something", () => {
  const { store } = storeWith();
  store.begin("a").end();
  const again = store.begin("a");
  assertEquals(again.mayBeEarly, true);
  again.end();
  fail(store, "a", 1);
  const known = store.begin("a");
  const later = store.begin("a");
  assertEquals([known, later].map(({ mayBeEarly, turn }) => [mayBeEarly, turn]), [
    [false, undefined],
    [false, undefined],
  ]);
  known.end();
  later.end();
  store.unlock("a");
  assertEquals(store.begin("a").mayBeEarly, true);
});

Deno.test("a memory store takes a secret for unknown once what it remembers expired", () => {
  const { store, clock } = storeWith();
  fail(store, "a", 3);
  clock.ms += 3 * HOUR;
  // It is not swept yet.
  assertEquals(store.size(), 1);
  assertEquals([store.refusal("a"), store.begin("a").mayBeEarly], [undefined, true]);
});

Deno.test("what is not a code at all counts as a failure too", async () => {
  const { store } = storeWith();
  assertEquals(await check(store, ["1", "abc", "12345"]), [false, false, false]);
  assertEquals(await check(store, [RIGHT]), [false]);
  assert(
    store.refusal(
      fingerprintBy(new Uint8Array(32).fill(7), "SHA1")(new TextEncoder().encode(SECRET)),
    ),
  );
});

Deno.test("a memory store remembers failures through a right pin, until they are forgotten", () => {
  const { store, clock } = storeWith(10, rulesWith({ singleUse: false }));
  fail(store, "a", 2);
  assertEquals([store.decide("a", STEP), store.size()], ["accepted", 1]);
  fail(store, "a", 1);
  assertEquals(store.refusal("a"), "throttled");
  clock.ms += 3 * HOUR;
  assertEquals([store.decide("a", STEP + 1), store.refusal("a")], ["accepted", undefined]);
});

Deno.test("a memory store tells sources apart", () => {
  const { store } = storeWith(10, rulesWith({ maxFailures: 4 }));
  for (let i = 0; i < 2; i++) assertEquals(store.decide("a", undefined, "guesser"), "wrong");
  assertEquals(store.refusal("a", "guesser"), "throttled");
  assertEquals([store.refusal("a"), store.refusal("a", "user")], [undefined, undefined]);
  assertEquals(store.decide("a", STEP, "guesser"), "throttled");
  assertEquals(store.decide("a", STEP, "user"), "accepted");
});

Deno.test("a memory store needs nobody to tell of what it forgets", () => {
  const store = createMemoryStore({ rules: rulesWith(), now: () => 0, maxEntries: 1 });
  fail(store, "a", 3);
  fail(store, "b", 3);
  assertEquals([store.refusal("a"), store.refusal("b")], [undefined, "throttled"]);
});

Deno.test("a memory store lifts the wait of a secret, and remembers which code was used", () => {
  const { store } = storeWith();
  store.decide("a", STEP);
  fail(store, "a", 3);
  assertEquals([store.refusal("a"), store.throttled()], ["throttled", 1]);
  store.unlock("a");
  assertEquals(store.throttled(), 0);
  assertEquals([store.refusal("a"), store.decide("a", STEP)], [undefined, "replayed"]);
});

Deno.test("a memory store remembers nothing of a secret once a wait that was all is lifted", () => {
  const { store } = storeWith(10, rulesWith({ singleUse: false }));
  fail(store, "a", 3);
  store.unlock("a");
  assertEquals(store.size(), 0);
});

Deno.test("a memory store forgets a secret whose wait was lifted before others that failed", () => {
  const { store, evictions } = storeWith(2);
  store.decide("a", STEP);
  fail(store, "a", 3);
  fail(store, "b", 1);
  store.unlock("a");
  fail(store, "c", 1);
  assertEquals([...evictions()], ["used"]);
  assertEquals(store.decide("a", STEP), "accepted");
});

Deno.test("a memory store forgets failures that expired as soon as the secret is asked about", () => {
  const sizes = [10, 60].map((asked) => {
    const { store, clock } = storeWith(100, rulesWith({ singleUse: false }));
    for (let i = 0; i < 100; i++) fail(store, `s${i}`, 1);
    clock.ms += HOUR;
    store.decide(`s${asked}`, STEP);
    return store.size();
  });
  // Beside the eight that each call forgets, of which one of them may be.
  assertEquals(Math.min(...sizes), 91);
});
