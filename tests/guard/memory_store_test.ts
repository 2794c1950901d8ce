import { decide, refusal } from "../support/guard_store.ts";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fingerprintBy } from "../../lib/guard/fingerprint.ts";
import {
  decide as decideByRules,
  type GuardRules,
  guardRules,
  type GuardState,
  type GuardStore,
} from "../../lib/guard/guard.ts";
import { DEFAULT_ENTRIES, type Evicted, MemoryStore } from "../../lib/guard/memory_store.ts";
import { validatePin } from "../../lib/operations/validate_pin.ts";
import { pick, seededRandom } from "../support/random.ts";
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
  const store = new MemoryStore({ rules, now: () => clock.ms, maxEntries, onEviction });
  return { store, clock, evictions: () => evictions };
}

function fail(store: GuardStore, fingerprint: string, times: number): void {
  for (let i = 0; i < times; i++) assertEquals(decide(store, fingerprint, undefined), "wrong");
}

Deno.test("a memory store counts for each secret on its own", () => {
  const { store } = storeWith();
  fail(store, "a", 3);
  fail(store, "b", 2);
  assertEquals([refusal(store, "a"), refusal(store, "b")], ["throttled", undefined]);
  assertEquals([decide(store, "a", STEP), decide(store, "b", STEP)], ["throttled", "accepted"]);
});

Deno.test("a memory store decides as the rules do, whatever comes when", () => {
  const random = seededRandom(1);
  const seen = new Set<string>();
  for (let run = 0; run < 60; run++) {
    const rules = rulesWith({ maxFailures: random(12), singleUse: random(2) === 1 });
    const sources = [undefined, ...Array.from({ length: [0, 3, 30][run % 3]! }, (_, i) => `s${i}`)];
    const { store, clock } = storeWith(1000, rules);
    let state: GuardState | undefined;
    for (let event = 0; event < 200; event++) {
      const step = STEP + Math.floor(clock.ms / 30_000) + random(3) - 1;
      const matchedStep = random(3) === 0 ? step : undefined;
      const source = pick(random, sources);
      const decision = decideByRules(rules, state, { matchedStep, source }, clock.ms);
      state = decision.state;
      seen.add(decision.verdict);
      assertEquals(decide(store, "a", matchedStep, source), decision.verdict, `${run} ${event}`);
      clock.ms += random(1 << (8 + random(14)));
      if (random(50) === 0) clock.ms += random(40 * 24 * HOUR);
    }
  }
  assertEquals([...seen].sort(), ["accepted", "replayed", "throttled", "wrong"]);
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
  assertEquals(refusal(store, "a"), "throttled");
  clock.ms += 1;
  assertEquals(refusal(store, "a"), undefined);
});

Deno.test("a memory store forgets a throttled secret when all others are", () => {
  const { store, evictions } = storeWith(2);
  for (const name of ["a", "b", "c"]) fail(store, name, 3);
  assertEquals(evictions(), ["throttled"]);
  const throttled = ["a", "b", "c"].map((name) => refusal(store, name) ?? "none");
  assertEquals(throttled, ["none", "throttled", "throttled"]);
});

Deno.test("a memory store holds as many secrets as it may and not one more", () => {
  const { store, evictions } = storeWith(DEFAULT_ENTRIES);
  for (let i = 0; i < DEFAULT_ENTRIES; i++) decide(store, `s${i}`, undefined);
  assertEquals([store.size(), evictions().length], [DEFAULT_ENTRIES, 0]);
  decide(store, "one more", undefined);
  assertEquals([store.size(), evictions().length], [DEFAULT_ENTRIES, 1]);
});

Deno.test("a memory store needs no room for a secret that never failed", () => {
  const { store } = storeWith(3, rulesWith({ singleUse: false }));
  for (let i = 0; i < 100; i++) assertEquals(decide(store, `s${i}`, STEP), "accepted");
  assertEquals(store.size(), 0);
});

Deno.test("a memory store forgets failures when their time is over, and not before", () => {
  const { store, clock } = storeWith(10, rulesWith({ singleUse: false }));
  fail(store, "a", 2);
  clock.ms += HOUR - 1;
  fail(store, "a", 1);
  assertEquals(refusal(store, "a"), "throttled");
  clock.ms += 3 * HOUR;
  fail(store, "a", 3);
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

Deno.test("a memory store knows nothing after a restart", () => {
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

Deno.test("what is not a code at all counts as a failure too", async () => {
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

Deno.test("a memory store remembers failures through a right pin, until they are forgotten", () => {
  const { store, clock } = storeWith(10, rulesWith({ singleUse: false }));
  fail(store, "a", 2);
  assertEquals([decide(store, "a", STEP), store.size()], ["accepted", 1]);
  fail(store, "a", 1);
  assertEquals(refusal(store, "a"), "throttled");
  clock.ms += 3 * HOUR;
  assertEquals([decide(store, "a", STEP + 1), refusal(store, "a")], ["accepted", undefined]);
});

Deno.test("a memory store tells sources apart", () => {
  const { store } = storeWith(10, rulesWith({ maxFailures: 4 }));
  for (let i = 0; i < 2; i++) assertEquals(decide(store, "a", undefined, "guesser"), "wrong");
  assertEquals(refusal(store, "a", "guesser"), "throttled");
  assertEquals([refusal(store, "a"), refusal(store, "a", "user")], [undefined, undefined]);
  assertEquals(decide(store, "a", STEP, "guesser"), "throttled");
  assertEquals([store.size(), store.throttled()], [1, 1]);
  assertEquals(decide(store, "a", STEP, "user"), "accepted");
});

Deno.test("a memory store counts a secret as throttled where strangers alone are refused", () => {
  const { store } = storeWith(10, rulesWith({ maxFailures: 100 }));
  assertEquals(decide(store, "a", STEP, "user"), "accepted");
  for (let i = 0; refusal(store, "a") === undefined; i++) decide(store, "a", undefined);
  assertEquals([refusal(store, "a", "user"), store.throttled()], [undefined, 1]);
});

Deno.test("a memory store needs nobody to tell of what it forgets", () => {
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

Deno.test("a memory store remembers nothing of a secret once a wait that was all is lifted", () => {
  const { store } = storeWith(10, rulesWith({ singleUse: false }));
  fail(store, "a", 3);
  store.unlock("a");
  assertEquals(store.size(), 0);
});

Deno.test("a memory store forgets the fewest failures first, and a throttle last", () => {
  const { store, evictions } = storeWith(3, rulesWith({ maxFailures: 4 }));
  fail(store, "throttled", 4);
  fail(store, "three", 3);
  for (let i = 0; i < 50; i++) fail(store, `new ${i}`, 1);
  assertEquals(refusal(store, "throttled"), "throttled");
  fail(store, "three", 1);
  assertEquals(refusal(store, "three"), "throttled");
  assertEquals([store.size(), new Set(evictions())], [3, new Set(["failed"])]);
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
  // Unknown sources share four fifths of the budget, and the looks after its waits.
  for (let i = 0; refusal(store, "user", `guesser ${i}`) === undefined; i++) {
    decide(store, "user", undefined, `guesser ${i}`);
  }
  assertEquals(refusal(store, "user", "new"), "throttled");
  assertEquals(decide(store, "user", STEP, "home"), "accepted");
});

Deno.test("used codes and known sources give way to newer ones alone, and the operator is told", () => {
  const { store, evictions } = storeWith(10);
  for (let i = 0; i < 11; i++) assertEquals(decide(store, `s${i}`, STEP, "web"), "accepted");
  assertEquals(evictions(), ["used", "known"]);
  assertEquals([decide(store, "s1", STEP), decide(store, "s0", STEP)], ["replayed", "accepted"]);
});

Deno.test("a right pin gives its look back, and a replayed and a cancelled one too", () => {
  const { store } = storeWith(10, rulesWith({ maxFailures: 2 }));
  for (let i = 0; i < 10; i++) assertEquals(decide(store, "a", STEP + i), "accepted");
  for (let i = 0; i < 10; i++) assertEquals(decide(store, "a", STEP), "replayed");
  for (let i = 0; i < 10; i++) assertEquals(refusal(store, "a"), undefined);
  assertEquals(store.size(), 0);
  fail(store, "a", 1);
  for (let i = 10; i < 20; i++) assertEquals(decide(store, "a", STEP + i), "accepted");
  fail(store, "a", 1);
  assertEquals(refusal(store, "a"), "throttled");
});

Deno.test("a right pin after a wait leaves the next wait as it was", () => {
  const { store, clock } = storeWith();
  fail(store, "a", 3);
  clock.ms += 30_000;
  assertEquals(decide(store, "a", STEP), "accepted");
  assertEquals(decide(store, "a", STEP + 1), "accepted");
});

Deno.test("no more pins of a secret are computed at once than its budget has looks", () => {
  const { store } = storeWith(10, rulesWith({ maxFailures: 3 }));
  const admitted = Array.from({ length: 10 }, () => store.admit("a"))
    .filter((admission) => typeof admission !== "string");
  assertEquals([admitted.length, refusal(store, "a")], [3, "throttled"]);
  // Whatever the order in which they are settled.
  assertEquals(admitted[1]!.settle(STEP), "accepted");
  assertEquals([admitted[2]!.settle(undefined), admitted[0]!.settle(STEP)], ["wrong", "replayed"]);
  fail(store, "a", 2);
  assertEquals(refusal(store, "a"), "throttled");
});

Deno.test("a memory store lets go of what expired although nobody asks for it", () => {
  const rules = rulesWith();
  const { store, clock } = storeWith(10_000, rules);
  for (let i = 0; i < 1000; i++) fail(store, `s${i}`, 1);
  clock.ms += HOUR;
  for (let i = 0; i < 2_000; i++) decide(store, "another", STEP + i);
  assertEquals(store.size(), 0);
});
