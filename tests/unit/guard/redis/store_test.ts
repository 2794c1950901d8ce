import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { assertRejects } from "@std/assert/rejects";
import { guardRules } from "../../../../lib/guard/guard.ts";
import { NO_REPLY, UNREADABLE } from "../../../../lib/guard/redis/reasons.ts";
import { KEY_PREFIX, probe, PROBE_PREFIX, type Send } from "../../../../lib/guard/redis/script.ts";
import { RedisStore, type RedisStoreOptions } from "../../../../lib/guard/redis/store.ts";
import { decide } from "../../../support/guard_store.ts";

const NEVER = new Promise<never>(() => {});
const RULES = guardRules({ maxFailures: 1, singleUse: true, window: 1, period: 30 });

/** The reply to a command, of which undefined is none. */
type Answer = (words: readonly string[]) => unknown;

function sendTo(answer: Answer): Send {
  return async (words) => {
    const reply = answer(words);
    if (reply === undefined) return await NEVER;
    if (reply instanceof Error) throw reply;
    return reply;
  };
}

function linkTo(answer: Answer, isHealthy = true): RedisStoreOptions["link"] {
  return {
    run: (_, commands) => commands(sendTo(answer)),
    isHealthy,
  };
}

function storeOver(
  answer: Answer,
  healthy = true,
): { store: RedisStore; clock: { ms: number }; errors: () => number } {
  const clock = { ms: 0 };
  let errors = 0;
  const onError = (): void => void errors++;
  const link = linkTo(answer, healthy);
  const store = new RedisStore({ rules: RULES, link, monotonicMs: () => clock.ms, onError });
  return { store, clock, errors: () => errors };
}

const STEP = 60_000_000;
const KEY = `${PROBE_PREFIX}0`;

// The reply of Redis, whether the pin matched, and the verdict.
const DECISIONS: readonly (readonly [readonly [number, number], boolean, string])[] = [
  [[0, 0], true, "accepted"],
  [[1, 0], false, "wrong"],
  [[1, 30_000], false, "wrong"],
  [[2, 3_600_000], true, "throttled"],
  [[2, 1], false, "throttled"],
  [[3, 0], true, "replayed"],
  [[4, 0], true, "unavailable"],
  [[4, 0], false, "unavailable"],
];

for (const [replyText, matched, verdict] of DECISIONS) {
  Deno.test(`a Redis store reads ${replyText} after a pin that ${matched ? "matched" : "is wrong"} for ${verdict}`, async () => {
    const { store, errors } = storeOver(() => replyText);
    assertEquals(await decide(store, "a", matched ? STEP : undefined), verdict);
    assertEquals(errors(), verdict === "unavailable" ? 1 : 0);
  });
}

// What is no decision about any pin.
const NO_DECISIONS: readonly unknown[] = [
  null,
  "OK",
  0,
  [],
  [0],
  [0, 0, 0],
  ["0", "0"],
  ["0", 0],
  ["", ""],
  [null, null],
  [null, 0],
  [0, null],
  [5, 0],
  [-1, 0],
  [2, -1],
  [2, 0.5],
  [2, 2 ** 60],
  [[0], 0],
  [new Error("ERR"), 0],
];

Deno.test("a Redis store is unavailable after a reply that is no decision", async () => {
  for (const [i, reply] of NO_DECISIONS.entries()) {
    for (const step of [STEP, undefined]) {
      const { store, errors } = storeOver(() => reply);
      const verdict = await decide(store, "a", step);
      assertEquals([verdict, errors()], ["unavailable", 1], `${i}`);
      assertEquals(store.throttledMs("a", undefined) > 0, false, `${i}`);
    }
  }
});

Deno.test("a Redis store rejects a verdict that the pin cannot have", async () => {
  for (const code of [0, 3]) {
    const { store } = storeOver(() => [code, 0]);
    assertEquals(await decide(store, "a", undefined), "unavailable");
  }
  const { store } = storeOver(() => [1, 0]);
  assertEquals(await decide(store, "a", STEP), "unavailable");
});

Deno.test("a Redis store is unavailable when the reply is an error", async () => {
  const { store, errors } = storeOver(() => new Error("OOM"));
  assertEquals([await decide(store, "a", 1), errors()], ["unavailable", 1]);
});

Deno.test("probe() fails where no decision can be had", async () => {
  const callCount: (readonly string[])[] = [];
  await probe(
    sendTo((words) => {
      callCount.push(words);
      return [0, 0];
    }),
    KEY,
  );
  assertEquals(callCount.map((words) => [words[0], words[2], words[3]]), [
    ["EVAL", "1", `${KEY_PREFIX}probe-0`],
    ["EVALSHA", "1", `${KEY_PREFIX}probe-0`],
  ]);
  // It is a question that makes the store write: a full one or a replica answers others.
  const [[, , , , , , , singleUse, forgetUseMs, , matchedStep] = []] = callCount;
  assertEquals([singleUse, forgetUseMs, matchedStep], ["1", "1", "0"]);
  // What the last probe wrote may still be there.
  await probe(sendTo(() => [3, 0]), KEY);
  for (const reply of ["OK", null, [1, 0], [0, 0, 0]]) {
    await assertRejects(() => probe(sendTo(() => reply), KEY), Error, UNREADABLE);
  }
  await assertRejects(() => probe(sendTo(() => new Error("READONLY")), KEY), Error);
});

Deno.test("probe() fails where the script cannot be called by its name", async () => {
  const saying = (error: string): Send =>
    sendTo((words) => words[0] === "EVALSHA" ? new Error(error) : [0, 0]);
  await assertRejects(() => probe(saying("NOPERM no permissions"), KEY), Error, "NOPERM");
  // It is asked for by the script itself then.
  await probe(saying("NOSCRIPT No matching script."), KEY);
});

Deno.test("a Redis store remembers that a source is refused, for a second at most", async () => {
  for (const [saidMs, keptMs] of [[30_000, 1000], [1000, 1000], [999, 999]] as const) {
    let callCount = 0;
    const { store, clock } = storeOver(() => {
      callCount++;
      return [1, saidMs];
    });
    const isThrottled = (fingerprint: string, source?: string): boolean =>
      store.throttledMs(fingerprint, source) > 0;
    assertEquals([isThrottled("a"), await decide(store, "a", undefined)], [false, "wrong"]);
    clock.ms += keptMs - 1;
    assertEquals([isThrottled("a"), isThrottled("b")], [true, false]);
    assertEquals(isThrottled("a", "source"), false);
    await decide(store, "a", undefined, "source");
    clock.ms += 1;
    assertEquals([isThrottled("a"), callCount], [false, 2]);
    assertEquals(isThrottled("a", "source"), true);
  }
});

Deno.test("a Redis store sends the source", async () => {
  const callCount: string[] = [];
  const { store } = storeOver((words) => {
    callCount.push(words[9]!);
    return [0, 0];
  });
  await decide(store, "a", STEP);
  await decide(store, "a", STEP, "source");
  assertEquals(callCount, ["", "source"]);
});

Deno.test("a Redis store sends the script where its name is not known", async () => {
  const sent: string[] = [];
  const { store } = storeOver((words) => {
    sent.push(words[0]!);
    if (words[0] === "EVALSHA") return new Error("NOSCRIPT No matching script.");
    return [0, 0];
  });
  assertEquals([await decide(store, "a", 1), sent], ["accepted", ["EVALSHA", "EVAL"]]);
});

Deno.test("a Redis store calls the script by its name, with the entry of the secret", async () => {
  const callCount: (readonly string[])[] = [];
  const { store } = storeOver((words) => {
    callCount.push(words);
    return [matchedIn(words) ? 0 : 1, 0];
  });
  await decide(store, "a", STEP);
  await decide(store, "b", 0);
  await decide(store, "b", undefined);
  for (const words of callCount) {
    assertEquals([words[0], words[2]], ["EVALSHA", "1"]);
    assertMatch(words[1]!, /^[0-9a-f]{40}$/);
  }
  // The number is that of the format of what is kept there.
  assertEquals(callCount.map((words) => words[3]), [
    ...["authenticator:guard:2:a", "authenticator:guard:2:b", "authenticator:guard:2:b"],
  ]);
  assertEquals(callCount.map((words) => words[10]), [String(STEP), "0", ""]);
});

function matchedIn(words: readonly string[]): boolean {
  return words[10] !== "";
}

Deno.test("a Redis store retries only when Redis does not have the script", async () => {
  let callCount = 0;
  const { store } = storeOver(() => {
    callCount++;
    return new Error("READONLY You can't write against a read only replica.");
  });
  assertEquals([await decide(store, "a", STEP), callCount], ["unavailable", 1]);
});

Deno.test("a Redis store needs no listener", async () => {
  const link = linkTo(() => null, false);
  const store = new RedisStore({ rules: RULES, link, monotonicMs: () => 0 });
  assertEquals(await decide(store, "a", STEP), "unavailable");
});

// As many refusals as a store remembers without asking.
const MOST_REFUSALS = 10_000;

/** A store that refuses pins for the time in the fingerprint, and a function that fails often. */
function refusingStore():
  & { fail: (...names: readonly string[]) => Promise<void> }
  & ReturnType<
    typeof storeOver
  > {
  const setup = storeOver((words) => [2, Number(words[3]!.split(" ").at(-1))]);
  const fail = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) assertEquals(await decide(setup.store, name, undefined), "throttled");
  };
  return { ...setup, fail };
}

Deno.test("a Redis store remembers 10,000 refusals, and evicts the oldest for another", async () => {
  const { store, fail } = refusingStore();
  const names = Array.from({ length: MOST_REFUSALS }, (_, i) => `${i} 1000`);
  const throttled = (...names: readonly string[]): readonly boolean[] =>
    names.map((name) => store.throttledMs(name, undefined) > 0);
  await fail(...names);
  assertEquals(throttled(names[0]!, names.at(-1)!), [true, true]);
  // One that is refused for no time takes no room, nor does one that is refused anew, which is not the
  // first to go any more.
  await fail("none 0", names[1]!, names[0]!);
  assertEquals(throttled(...names.slice(0, 3)), [true, true, true]);
  await fail("another 1000");
  assertEquals(
    throttled(...names.slice(0, 4), "another 1000"),
    [true, true, false, true, true],
  );
});

Deno.test("a Redis store reports whether anything was remembered of a secret that it unlocks", async () => {
  for (const [reply, remembered] of [[1, true], [0, false]] as const) {
    const callCount: (readonly string[])[] = [];
    const { store } = storeOver((words) => {
      callCount.push(words);
      return reply;
    });
    assertEquals(await store.unlock("a"), remembered);
    assertEquals([callCount[0]![0], callCount[0]!.slice(2)], ["EVAL", ["1", `${KEY_PREFIX}a`, ""]]);
  }
  const refused = new Error("NOPERM");
  await assertRejects(() => storeOver(() => refused).store.unlock("a"), Error, "NOPERM");
  await assertRejects(() => storeOver(() => "OK").store.unlock("a"), Error, UNREADABLE);
});

Deno.test("an unlock without a reply is a failure of the link, a refused one is none", async () => {
  for (const [message, fails] of [[NO_REPLY, true], ["NOPERM", false]] as const) {
    let failed = false;
    const link: RedisStoreOptions["link"] = {
      ...linkTo(() => new Error(message)),
      run: (_, commands) =>
        commands(sendTo(() => new Error(message))).catch((error) => {
          failed = true;
          throw error;
        }),
    };
    const store = new RedisStore({ rules: RULES, link, monotonicMs: () => 0 });
    await assertRejects(() => store.unlock("a"), Error, message);
    assertEquals(failed, fails, message);
  }
});

Deno.test("a Redis store returns the rest of a refusal that it remembers", async () => {
  const { store, clock } = storeOver(() => [2, 30_000]);
  assertEquals(store.throttledMs("a", undefined), 0);
  await decide(store, "a", undefined);
  clock.ms += 900;
  assertEquals(store.throttledMs("a", undefined), 29_100);
  assertEquals(store.throttledMs("a", "source"), 0);
});
