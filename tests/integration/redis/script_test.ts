import { decide } from "../../support/guard_store.ts";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type CheckedPin, guardRules, type GuardStore } from "../../../lib/guard/guard.ts";
import { FIRST_WAIT_MS } from "../../../lib/guard/budget.ts";
import { KNOWN_MS } from "../../../lib/guard/sources.ts";
import { openStore } from "../../../lib/guard/redis/connect.ts";
import { StoreLink } from "../../../lib/guard/redis/link.ts";
import { unlockSecret, withStore } from "../../../lib/guard/redis/operator.ts";
import {
  DECIDE_SCRIPT,
  KEY_PREFIX,
  redisKey,
  runScript,
  scriptArguments,
  type ScriptReply,
  type Send,
} from "../../../lib/guard/redis/script.ts";
import { RedisStore } from "../../../lib/guard/redis/store.ts";
import { parseStoreUrl, type StoreUrl } from "../../../lib/guard/redis/store_url.ts";
import { eventually } from "../../support/eventually.ts";
import { clockPastRefusals, playHistories } from "../../support/guard_history.ts";
import { withRedis } from "../../support/redis_server.ts";

const HOUR = 3_600_000;

const TIMEOUT_MS = 60_000;

function patientUrl(url: string): StoreUrl {
  return parseStoreUrl(`${url}?timeout=${TIMEOUT_MS}`) as StoreUrl;
}

async function withLink(url: string, run: (link: StoreLink) => Promise<void>): Promise<void> {
  const link = new StoreLink({
    open: (onLoss) =>
      openStore(parseStoreUrl(url) as StoreUrl, {
        readFiles: () => ({}),
        timeoutMs: TIMEOUT_MS,
        onLoss,
      }),
    monotonicMs: () => performance.now(),
    onChange: () => {},
  });
  await eventually(() => link.isHealthy);
  try {
    await run(link);
  } finally {
    link.close();
  }
}

Deno.test("the stores in memory and in Redis decide as the rules do in every history", async () => {
  // Redis forgets by the clock of the machine, in whole milliseconds; it may be set meanwhile.
  const clock = { nowMs: () => performance.now(), slackMs: 2_000 };
  await withRedis([], ({ url }) => withLink(url, (link) => playHistories(() => link, 60, clock)));
});

Deno.test("the script answers with the time for which pins are refused, by the store's clock", async () => {
  await withRedis([], async ({ url }) => {
    await withLink(url, async (link) => {
      const rules = guardRules({ maxFailures: 2, singleUse: false, window: 1, period: 30 });
      const ask = (key: string, matchedStep?: number): Promise<readonly number[]> => {
        const pin = { matchedStep };
        const args = scriptArguments({ rules, pin, nowMs: undefined });
        const command = ["EVAL", DECIDE_SCRIPT, "1", key, ...args];
        return link.run(key, (send: Send) => send(command) as Promise<readonly number[]>);
      };
      const now = (): Promise<number> =>
        link.run("", async (send: Send) => Number((await send(["TIME"]) as string[])[0]) * 1000);
      for (let attempt = 0;; attempt++) {
        const key = `${KEY_PREFIX}${attempt}`;
        const fromMs = await now();
        assertEquals(await ask(key), [1, 0]);
        assertEquals(await ask(key), [1, FIRST_WAIT_MS]);
        const [verdict, refusedMs] = await ask(key, 1);
        // The store is asked for whole seconds.
        const leastMs = FIRST_WAIT_MS - (await now() + 1000 - fromMs);
        // On a busy machine the wait may have ended by then.
        if (leastMs <= 0 && attempt < 10) continue;
        assertEquals(verdict, 2);
        assert(refusedMs! <= FIRST_WAIT_MS && refusedMs! >= leastMs, `${refusedMs} ms`);
        return;
      }
    });
  });
});

Deno.test("the script reads nothing of the format before, and leaves it alone", async () => {
  await withRedis([], async ({ url, command }) => {
    await withLink(url, async (link) => {
      const before = "authenticator:guard:1:a";
      await command("SET", before, "107:99999999999999:60000000");
      const rules = guardRules({ maxFailures: 5, singleUse: true, window: 1, period: 30 });
      const store = new RedisStore({ rules, link, monotonicMs: clockPastRefusals() });
      assertEquals(await decide(store, "a", 60_000_000), "accepted");
      assert((await command("GET", before)).includes("107:"));
    });
  });
});

Deno.test("Redis itself forgets, at the time that the rules name", async () => {
  await withRedis([], async ({ url, command }) => {
    await withLink(url, async (link) => {
      const rules = guardRules({ maxFailures: 5, singleUse: true, window: 1, period: 30 });
      const store = new RedisStore({ rules, link, monotonicMs: clockPastRefusals() });
      await decide(store, "used", 60_000_000);
      await decide(store, "failed", undefined);
      const isNear = async (name: string, ms: number): Promise<boolean> => {
        const leftMs = Number(/\d+/.exec(await command("PTTL", KEY_PREFIX + name))![0]);
        return leftMs <= ms && leftMs > ms - 60_000;
      };
      assert(await isNear("used", rules.forgetUseMs));
      assert(await isNear("failed", HOUR));
      await decide(store, "source", undefined, "source");
      assert(await isNear("source", 2 * HOUR));
      await decide(store, "known", 60_000_000, "source");
      assert(await isNear("known", KNOWN_MS));
      // Nothing else; what the probe keeps for a millisecond may be there.
      const keys = await command("KEYS", "*");
      const others = keys.match(/authenticator:guard:2:(?!probe\b)[^"]*/g);
      assertEquals(
        new Set(others),
        new Set(["used", "failed", "source", "known"].map((name) => KEY_PREFIX + name)),
      );
    });
  });
});

Deno.test("what cannot be read in the store is refused for that secret alone", async () => {
  await withRedis([], async ({ url, command }) => {
    await withLink(url, async (link) => {
      const rules = guardRules({ maxFailures: 5, singleUse: true, window: 1, period: 30 });
      const store: GuardStore = new RedisStore({ rules, link, monotonicMs: clockPastRefusals() });
      await command("SET", `${KEY_PREFIX}a`, "nonsense");
      await command("SET", `${KEY_PREFIX}c`, "1:2:3 nonsense");
      assertEquals(await decide(store, "c", 1), "unavailable");
      await command("RPUSH", `${KEY_PREFIX}list`, "a");
      assertEquals(await decide(store, "a", 1), "unavailable");
      assertEquals(await decide(store, "list", 1), "unavailable");
      assertEquals([await decide(store, "b", 1), link.isHealthy], ["accepted", true]);
    });
  });
});

Deno.test("an operator's unlock clears the wrong pins of a secret, and nothing else", async () => {
  await withRedis([], async ({ url, command }) => {
    const rules = guardRules({ maxFailures: 5, singleUse: true, window: 1, period: 30 });
    await withLink(url, async (link) => {
      const store = new RedisStore({ rules, link, monotonicMs: clockPastRefusals() });
      await decide(store, "failed", undefined);
      await decide(store, "strange", undefined, "source");
      await decide(store, "used", 60_000_000);
      await decide(store, "known", 60_000_000, "source");
      await decide(store, "known", undefined, "other");
      const unlock = (name: string): Promise<boolean> =>
        withStore(patientUrl(url), {}, (store) => unlockSecret(store, name));
      for (const name of ["failed", "strange"]) {
        assertEquals([await unlock(name), await unlock(name)], [true, false], name);
      }
      for (const name of ["used", "known"]) assertEquals(await unlock(name), true, name);
      const state = async (name: string): Promise<string> =>
        await command("GET", KEY_PREFIX + name);
      assertEquals(await state("used"), '"0:0:60000000"');
      assert(/^"0:0:60000000 [\w-]+:0:0:[0-9]{13}"$/.test(await state("known")));
      assertEquals(await state("failed"), "(nil)");
    });
  });
});

Deno.test("a store that forgot the script gets it again", async () => {
  await withRedis([], async ({ url, command }) => {
    await withLink(url, async (link) => {
      const rules = guardRules({ maxFailures: 5, singleUse: true, window: 1, period: 30 });
      const store = new RedisStore({ rules, link, monotonicMs: clockPastRefusals() });
      assertEquals(await decide(store, "a", 1), "accepted");
      await command("SCRIPT", "FLUSH");
      assertEquals([await decide(store, "a", 1), link.isHealthy], ["replayed", true]);
    });
  });
});

Deno.test("logins that overflow the store give a guesser no attempt back", async () => {
  // A hundredth of what the pages show.
  await withRedis(["--maxmemory", "2560kb"], async ({ url, command }) => {
    await withLink(url, async (link) => {
      const rules = guardRules({ maxFailures: 100, singleUse: false, window: 1, period: 30 });
      let nowMs = Date.now();
      const ask = (name: string, pin: CheckedPin): Promise<ScriptReply> => {
        const key = redisKey(name.padEnd(43, "x"));
        return link.run(key, (send) => runScript(send, key, { rules, pin, nowMs }));
      };
      let users = 0;
      const logins = async (): Promise<void> => {
        for (let i = 0; i < 9; i++) {
          await Promise.all(
            Array.from(
              { length: 1000 },
              () => ask(`user${users++}`, { matchedStep: 7, source: "a-source-name" }),
            ),
          );
        }
      };
      let attempts = 0;
      const guess = async (): Promise<void> => {
        for (;;) {
          const { verdict, refusedMs } = await ask("victim", { matchedStep: undefined });
          if (verdict !== "wrong") return;
          attempts++;
          if (refusedMs > 0) return;
        }
      };
      await logins();
      await guess();
      for (let hour = 12; hour <= 24; hour += 12) {
        await logins();
        nowMs += 12 * HOUR;
        await guess();
      }
      const [, evicted] = /evicted_keys:(\d+)/.exec(await command("INFO", "stats"))!;
      assert(Number(evicted) > 10_000, evicted);
      assert(attempts >= 100 && attempts <= 131, String(attempts));
    });
  });
});

Deno.test("a used code stays used while wrong pins of invented secrets overflow the store", async () => {
  await withRedis(["--maxmemory", "2560kb"], async ({ url, command }) => {
    await withLink(url, async (link) => {
      const rules = guardRules({ maxFailures: 100, singleUse: true, window: 1, period: 30 });
      const ask = async (name: string, matchedStep?: number): Promise<string> => {
        const key = redisKey(name.padEnd(43, "x"));
        const pin = { matchedStep, source: matchedStep === undefined ? undefined : "a-source" };
        const call = { rules, pin, nowMs: undefined };
        return (await link.run(key, (send) => runScript(send, key, call))).verdict;
      };
      const evicted = async (): Promise<number> =>
        Number(/evicted_keys:(\d+)/.exec(await command("INFO", "stats"))![1]);
      let invented = 0;
      const flood = async (until: number): Promise<void> => {
        while (await evicted() < until) {
          await Promise.all(Array.from({ length: 200 }, () => ask(`invented${invented++}`)));
        }
      };
      await flood(1);
      // The clock by which the store evicts has seconds.
      const newest = redisKey(`invented${invented - 1}`.padEnd(43, "x"));
      await eventually(async () => /[2-9]/.test(await command("OBJECT", "IDLETIME", newest)));
      const users = Array.from({ length: 50 }, (_, i) => `user${i}`);
      for (const user of users) assertEquals(await ask(user, 7), "accepted");
      await flood(1000);
      for (const user of users) assertEquals(await ask(user, 7), "replayed", user);
    });
  });
});
