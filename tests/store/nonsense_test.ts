import { decide } from "../support/guard_store.ts";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { guardRules, type GuardStore } from "../../lib/guard/guard.ts";
import { openRedis } from "../../lib/connection/redis_client.ts";
import { keepConnected } from "../../lib/connection/redis_connection.ts";
import { createRedisStore, probe } from "../../lib/store/redis_store.ts";
import { StoreUrl } from "../../lib/connection/store_url.ts";
import { eventually } from "../support/eventually.ts";
import { honest, NONSENSE, startFuzzedStore } from "../support/fuzzed_store.ts";
import { seededRandom } from "../support/random.ts";

const SEED = 20_260_901;
const ROUNDS = 200;
const STEP = 60_000_000;

interface Scene {
  readonly store: GuardStore;
  /** Speaks nonsense to so many questions, then answers honestly. */
  readonly fuzz: (questions: number) => void;
  readonly close: () => Promise<void>;
}

function scene(kinds: readonly string[], random: (limit: number) => number): Scene {
  let left = 0;
  const fuzzed = startFuzzedStore((question) => {
    if (left === 0) return { pieces: [honest(question)] };
    left--;
    return NONSENSE.get(kinds[random(kinds.length)]!)!(question, random);
  });
  const url = StoreUrl.parse(fuzzed.url)!;
  const connection = keepConnected({
    open: (onEnd) => openRedis({ url, onEnd, patienceMs: 100 }),
    onChange: () => {},
    probe,
    retryMs: 1,
    longestPauseMs: 1,
  });
  const rules = guardRules({ maxFailures: 1000, singleUse: true, window: 1, period: 30 });
  const store = createRedisStore({ rules, connection, now: () => 0 });
  return {
    store,
    fuzz: (questions) => void (left = questions),
    close: async () => {
      store.close();
      await eventually(() => !store.isHealthy());
      fuzzed.close();
    },
  };
}

/** What a store may say of a pin that is wrong, and of one that is right. */
const POSSIBLE = {
  wrong: new Set(["wrong", "throttled", "unavailable"]),
  right: new Set(["accepted", "replayed", "throttled", "unavailable"]),
};

async function tryBoth(store: GuardStore, name: string): Promise<void> {
  const verdicts = await Promise.all(
    Array.from({ length: 6 }, (_, i) => decide(store, `${name} ${i}`, i % 2 ? STEP : undefined)),
  );
  for (const [i, verdict] of verdicts.entries()) {
    const possible = POSSIBLE[i % 2 ? "right" : "wrong"];
    assert(possible.has(verdict), `${name}: ${verdict} of a pin that is ${i % 2}`);
  }
}

async function isWell(store: GuardStore, name: string): Promise<boolean> {
  const [right, wrong] = [await decide(store, name, STEP), await decide(store, name, undefined)];
  return right === "accepted" && wrong === "wrong";
}

for (const kind of NONSENSE.keys()) {
  Deno.test(`a store that says ${kind} makes no wrong pin right, and is used again when it is well`, async () => {
    const { store, fuzz, close } = scene([kind], seededRandom(SEED));
    await eventually(store.isHealthy);
    for (const questions of [1, 3, 6]) {
      fuzz(questions);
      await tryBoth(store, kind);
      fuzz(0);
      await eventually(() => isWell(store, kind));
    }
    await close();
  });
}

Deno.test("a store that speaks all kinds of nonsense makes no wrong pin right", async () => {
  const random = seededRandom(SEED);
  // What takes its time or writes much has had its turn above.
  const kinds = [...NONSENSE.keys()].filter((kind) =>
    !/goes on|without end|silence|half/.test(kind)
  );
  const { store, fuzz, close } = scene(kinds, random);
  await eventually(store.isHealthy);
  for (let round = 0; round < ROUNDS; round++) {
    fuzz(random(7));
    await tryBoth(store, `round ${round} of seed ${SEED}`);
    fuzz(0);
    await eventually(store.isHealthy);
  }
  await eventually(() => isWell(store, "afterwards"));
  assertEquals(store.isHealthy(), true);
  await close();
});
