import { randomBytes } from "node:crypto";
import { assertEquals } from "@std/assert/equals";
import { fingerprintBy } from "../../../lib/guard/fingerprint.ts";
import type { SharedStore } from "../../../lib/guard/guard.ts";
import { type GuardEvents, openGuard } from "../../../lib/guard/open_guard.ts";
import { KEY_IDS } from "../../../lib/guard/redis/monitor.ts";
import { parseStoreUrl, type StoreUrl } from "../../../lib/guard/redis/store_url.ts";
import { eventually } from "../../support/eventually.ts";
import { startFakeRedis, startFakeSentinel } from "../../support/fake_redis.ts";
import { ManualTimers } from "../../support/timers.ts";

const CLOCKS = { nowMs: 0, aheadMs: 0 };
const STORE_SECONDS = 1_800_000_000;

const SETTINGS = {
  ...{ maxFailures: 5, singleUse: false, window: 1, period: 30, guardEntries: 10 },
  algorithm: "SHA1",
  monotonicMs: () => CLOCKS.nowMs,
  now: () => STORE_SECONDS * 1000 + CLOCKS.aheadMs,
} as const;

/** Opens a guard whose store has a URL. */
function open(url: string, events: GuardEvents): SharedStore {
  const guard = parseStoreUrl(url) as StoreUrl;
  return openGuard({ ...SETTINGS, guard, randomBytes }, events)!.shared!;
}

Deno.test("a guard names secrets by the key that it was given, or else by one that it draws", () => {
  const [given, drawn, secret] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
  for (const guardKey of [given, undefined]) {
    const guard = openGuard({ ...SETTINGS, guardKey, guard: "memory", randomBytes: () => drawn! })!;
    const fingerprint = fingerprintBy(guardKey ?? drawn!, "SHA1")(secret!);
    assertEquals(guard.fingerprint(secret!), fingerprint);
  }
});

Deno.test("a guard looks at its store once that answers, and reports a clock that is off by more than a third of a time step", () =>
  ManualTimers.during(async (timers) => {
    const clause = "the clock is 10 s ahead of that of the store";
    for (const [aheadMs, problems] of [[10_000, []], [10_001, [clause]]] as const) {
      let looks = 0;
      const redis = startFakeRedis(([command, , , key]) => {
        if (command === "EVAL" && key === KEY_IDS) looks++;
        return command === "TIME" ? [String(STORE_SECONDS), "0"] : "OK";
      });
      CLOCKS.aheadMs = aheadMs;
      const found: string[] = [];
      const shared = open(`${redis.url}?timeout=60000`, {
        onFinding: ({ kind }) => void found.push(kind),
      });
      await eventually(() => looks === 1);
      assertEquals([found.length, shared.problems("the store,")], [problems.length, problems]);
      shared.close();
      assertEquals([timers.intervals, shared.isHealthy()], [0, false]);
      redis.close();
    }
  }));

Deno.test("a guard reports each move of its primary, and the end of an outage of its Sentinels that a new client sees", () =>
  ManualTimers.during(async (timers) => {
    const stores = Array.from({ length: 3 }, () => startFakeRedis());
    const nameOf = (address: string): string =>
      "ABC"[stores.findIndex(({ port }) => address === `127.0.0.1:${port}`)]!;
    let [named, epoch, isAway] = [0, 1, false];
    const sentinel = startFakeSentinel(() =>
      isAway ? new Error("ERR away") : [stores[named]!.port, epoch]
    );
    const events: string[] = [];
    const shared = open(`redis+sentinel://127.0.0.1:${sentinel.port}/main?timeout=60000`, {
      onStoreMove: (from, to) => void events.push(`${nameOf(from)} to ${nameOf(to)}`),
      onWatchChange: (error) => void events.push(error === undefined ? "again" : "away"),
    });
    // Fires the timers once the watch has set that of its next question.
    const askAgain = async (pauseMs: number): Promise<void> => {
      await eventually(() => timers.delaysMs.includes(pauseMs));
      timers.delaysMs.length = 0;
      await timers.tick();
    };
    const happens = async (event: string): Promise<void> => {
      await eventually(() => events.length > 0);
      assertEquals(events.splice(0), [event]);
    };
    await eventually(() => shared.isHealthy());
    for (const event of ["A to B", "B to C"]) {
      [named, epoch] = [named + 1, epoch + 1];
      await askAgain(250);
      await happens(event);
      await eventually(() => stores[named - 1]!.connections() === 0);
    }
    isAway = true;
    await askAgain(250);
    await eventually(() => timers.delaysMs.includes(1000));
    CLOCKS.nowMs += 10_000;
    await askAgain(1000);
    await happens("away");
    [named, epoch, isAway] = [1, epoch + 1, false];
    stores[2]!.close();
    await eventually(() => events.length > 1);
    assertEquals(events, ["again", "C to B"]);
    shared.close();
    [sentinel, stores[0]!, stores[1]!].forEach((each) => each.close());
  }));
