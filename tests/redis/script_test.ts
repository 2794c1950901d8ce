import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { guardRules, type GuardStore } from "../../lib/guard/guard.ts";
import { createMemoryStore } from "../../lib/guard/memory_store.ts";
import { openRedis } from "../../lib/store/redis_client.ts";
import { keepConnected, type RedisConnection } from "../../lib/store/redis_connection.ts";
import { KEY_PREFIX } from "../../lib/store/redis_script.ts";
import { createRedisStore, probe } from "../../lib/store/redis_store.ts";
import { StoreUrl } from "../../lib/store/store_url.ts";
import { eventually } from "../support/eventually.ts";
import { seededRandom } from "../support/random.ts";
import { withRedis } from "./server.ts";

const HOUR = 3_600_000;

async function withConnection(
  url: string,
  run: (connection: RedisConnection) => Promise<void>,
): Promise<void> {
  const connection = keepConnected({
    open: (onEnd) => openRedis({ url: StoreUrl.parse(url)!, onEnd, patienceMs: 10_000 }),
    onChange: () => {},
    probe,
  });
  await eventually(connection.isHealthy);
  try {
    await run(connection);
  } finally {
    connection.close();
    await eventually(() => !connection.isHealthy());
  }
}

Deno.test("the script decides as the rules do, whatever comes when", async () => {
  await withRedis([], async ({ url }) => {
    await withConnection(url, async (connection) => {
      const random = seededRandom(11);
      const seen = new Set<string>();
      for (let run = 0; run < 60; run++) await playBoth(run, connection, random, seen);
      assertEquals(seen, new Set(["accepted", "wrong", "throttled", "replayed"]));
    });
  });
});

// One secret, and the same events for both stores. The clock is that of the events, and jumps by up
// to two hours either way; it stays far below the times after which anything is forgotten, since
// those are kept by Redis itself, by a clock that a test cannot set.
async function playBoth(
  run: number,
  connection: RedisConnection,
  random: (limit: number) => number,
  seen: Set<string>,
): Promise<void> {
  const rules = {
    ...guardRules({ maxFailures: random(7), singleUse: random(2) === 1, window: 1, period: 30 }),
    forgetUseMs: 10_000 * HOUR,
    forgetFailuresMs: 10_000 * HOUR,
  };
  let nowMs = 1_800_000_000_000;
  const memory = createMemoryStore({ rules, now: () => nowMs });
  const redis = createRedisStore({ rules, connection, now: () => 0, storeNow: () => nowMs });
  const history: string[] = [];
  for (let event = 0; event < 150; event++) {
    const step = random(3) === 0 ? 60_000_000 + random(6) : undefined;
    const expected = await memory.decide(`run ${run}`, step);
    const actual = await redis.decide(`run ${run}`, step);
    history.push(`${nowMs} ${step ?? "-"} ${expected}`);
    assertEquals(actual, expected, `${JSON.stringify(rules)}\n${history.join("\n")}`);
    seen.add(expected);
    nowMs += random(8) === 0 ? random(4 * HOUR) - 2 * HOUR : random(1 << (8 + random(14)));
  }
}

Deno.test("the script answers with the time for which pins are refused, by the store's clock", async () => {
  await withRedis([], async ({ url }) => {
    await withConnection(url, async (connection) => {
      const rules = guardRules({ maxFailures: 2, singleUse: false, window: 1, period: 30 });
      let nowMs = 0;
      const store = createRedisStore({ rules, connection, now: () => nowMs });
      const other = createRedisStore({ rules, connection, now: () => nowMs });
      const verdicts = [
        await store.decide("a", undefined),
        await other.decide("a", undefined),
        await store.decide("a", 1),
      ];
      assertEquals(verdicts, ["wrong", "wrong", "throttled"]);
      assertEquals([store.refusal("a"), other.refusal("a")], ["throttled", "throttled"]);
      nowMs += 30_000;
      assertEquals([store.refusal("a"), other.refusal("a")], [undefined, undefined]);
    });
  });
});

Deno.test("Redis itself forgets, at the time that the rules name", async () => {
  await withRedis([], async ({ url, command }) => {
    await withConnection(url, async (connection) => {
      const rules = guardRules({ maxFailures: 5, singleUse: true, window: 1, period: 30 });
      const store = createRedisStore({ rules, connection, now: () => 0 });
      await store.decide("used", 60_000_000);
      await store.decide("failed", undefined);
      const isNear = async (name: string, ms: number): Promise<boolean> => {
        const leftMs = Number(/\d+/.exec(await command("PTTL", KEY_PREFIX + name))![0]);
        return leftMs <= ms && leftMs > ms - 60_000;
      };
      assert(await isNear("used", rules.forgetUseMs));
      assert(await isNear("failed", rules.forgetFailuresMs));
      // Nothing else; what the probe keeps for a millisecond may be there.
      const keys = await command("KEYS", "*");
      const others = keys.match(/authenticator:guard:1:(?!probe\b)[^"]*/g);
      assertEquals(new Set(others), new Set(["used", "failed"].map((name) => KEY_PREFIX + name)));
    });
  });
});

Deno.test("what cannot be read in the store is refused for that secret alone", async () => {
  await withRedis([], async ({ url, command }) => {
    await withConnection(url, async (connection) => {
      const rules = guardRules({ maxFailures: 5, singleUse: true, window: 1, period: 30 });
      const store: GuardStore = createRedisStore({ rules, connection, now: () => 0 });
      await command("SET", `${KEY_PREFIX}a`, "nonsense");
      await command("RPUSH", `${KEY_PREFIX}list`, "a");
      assertEquals(await store.decide("a", 1), "unavailable");
      assertEquals(await store.decide("list", 1), "unavailable");
      assertEquals([await store.decide("b", 1), store.isHealthy()], ["accepted", true]);
    });
  });
});

Deno.test("a store that forgot the script is told it again", async () => {
  await withRedis([], async ({ url, command }) => {
    await withConnection(url, async (connection) => {
      const rules = guardRules({ maxFailures: 5, singleUse: true, window: 1, period: 30 });
      const store = createRedisStore({ rules, connection, now: () => 0 });
      assertEquals(await store.decide("a", 1), "accepted");
      await command("SCRIPT", "FLUSH");
      assertEquals([await store.decide("a", 1), store.isHealthy()], ["replayed", true]);
    });
  });
});
