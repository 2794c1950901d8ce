import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { SentinelWatch } from "../../../../lib/guard/redis/sentinel_watch.ts";
import type { StoreAddress } from "../../../../lib/guard/redis/store_url.ts";
import { ManualTimers } from "../../../support/timers.ts";

const TIMEOUT_MS = 500;

const NEVER = new Promise<never>(() => {});

/** How a Sentinel answers: the port of the primary that it names, and its epoch; or an error. */
type Answer = readonly [port: number, epoch: number] | Error | typeof NEVER;

interface Setup {
  /** Starts the watch, and returns the primary. */
  readonly start: () => Promise<StoreAddress>;
  /** The answers of the Sentinels; a change is seen by the next questions. */
  readonly answers: Answer[];
  /** The moves and outages, in order. */
  readonly events: string[];
  /** Lets every Sentinel be asked, twice unless told otherwise. */
  readonly round: (times?: number) => Promise<void>;
  /** Has a Sentinel push news. */
  readonly push: (at: number) => Promise<void>;
  /** The delays of the timers in milliseconds. */
  readonly delaysMs: readonly number[];
}

function testWatch(
  rule: string,
  answers: Answer[],
  run: (setup: Setup) => Promise<void>,
  { isAllowed = true, isPushed = true } = {},
): void {
  Deno.test(`a watch of Sentinels ${rule}`, () =>
    ManualTimers.during(async (timers) => {
      const events: string[] = [];
      const news = new Map<number, () => void>();
      const connected = new Set<unknown>();
      let nowMs = 0;
      const watch = new SentinelWatch({
        addresses: answers.map((_, port) => ({ host: "sentinel", port })),
        primaryName: "guard",
        timeoutMs: TIMEOUT_MS,
        monotonicMs: () => nowMs,
        open: ({ port: at }, onNews) => {
          news.set(at, onNews);
          const connection = {
            connect: () => Promise.resolve(),
            subscribe: () => Promise.resolve(isPushed),
            destroy: () => void connected.delete(connection),
            send: async ([, command]: readonly string[]) => {
              const answer = await answers[at]!;
              if (answer instanceof Error) throw answer;
              const [port, epoch] = answer.map(String);
              if (command === "MASTER") {
                return ["ip", "10.0.0.1", "port", port, "config-epoch", epoch];
              }
              if (!isAllowed) throw new Error("NOPERM");
              return ["10.0.0.1", port];
            },
          };
          connected.add(connection);
          return connection;
        },
        onMove: ({ port }) => void events.push(`to ${port}`),
        onOutage: (error) => void events.push(error instanceof Error ? error.message : "again"),
      });
      const round = async (times = 2): Promise<void> => {
        for (let i = 0; i < times; i++) {
          nowMs += 600;
          await timers.tick();
          await timers.settle();
        }
      };
      const push = async (at: number): Promise<void> => {
        news.get(at)!();
        await timers.settle();
      };
      const start = async (): Promise<StoreAddress> => {
        const primary = await watch.start();
        // The subscriptions follow.
        await timers.settle();
        return primary;
      };
      await run({ start, answers, events, round, push, delaysMs: timers.delaysMs });
      assert(connected.size <= answers.length, `${connected.size} connections`);
      watch.close();
      await timers.settle();
      assertEquals(timers.pending, 0);
    }));
}

testWatch(
  "starts with the primary of the highest epoch among most of them",
  [[1, 4], NEVER, [2, 5]],
  async ({ start }) => assertEquals((await start()).port, 2),
);

const LATE = Promise.withResolvers<never>();
testWatch("does not start by the answer of half of them", [[1, 4], LATE.promise], async (setup) => {
  const started = setup.start();
  await setup.round();
  LATE.resolve([2, 5] as never);
  assertEquals((await started).port, 2);
});

testWatch(
  "names a new primary as soon as one Sentinel does, and follows none of an old epoch",
  [[1, 4], [1, 4], [1, 4]],
  async ({ start, answers, events, round }) => {
    assertEquals((await start()).port, 1);
    await round();
    assertEquals(events, []);
    answers[2] = [2, 5];
    await round();
    answers[1] = [2, 5];
    await round();
    assertEquals(events, ["to 2"]);
    // The first one is cut off, and still names the old one.
    answers[2] = [3, 6];
    await round();
    assertEquals(events, ["to 2", "to 3"]);
  },
);

testWatch(
  "follows the primary that most Sentinels name, not one alone",
  [[1, 4], [1, 4], [9, 3]],
  async ({ start, answers, events, round }) => {
    await start();
    await round();
    answers[0] = [2, 0];
    await round();
    assertEquals(events, []);
    answers[1] = [2, 0];
    await round();
    assertEquals(events, ["to 2"]);
  },
);

testWatch(
  "stays with its primary when a Sentinel restarts with its first configuration",
  [[1, 4], [1, 4], [1, 4]],
  async ({ start, answers, events, round }) => {
    await start();
    for (const at of [0, 1, 2]) answers[at] = [2, 5];
    await round();
    answers[0] = [1, 0];
    await round();
    answers[0] = [2, 5];
    await round();
    assertEquals(events, ["to 2"]);
  },
);

testWatch(
  "works without the permission to ask for the address alone",
  [[1, 4]],
  async ({ start, answers, events, round }) => {
    assertEquals((await start()).port, 1);
    answers[0] = [2, 5];
    await round();
    assertEquals(events, ["to 2"]);
  },
  { isAllowed: false },
);

testWatch(
  "queries a Sentinel that pushes news at once, also during another query",
  [[1, 4], [1, 4]],
  async ({ start, answers, events, push }) => {
    await start();
    answers[1] = [2, 5];
    await push(0);
    assertEquals(events, []);
    await push(1);
    assertEquals(events, ["to 2"]);
    const late = Promise.withResolvers<never>();
    answers[1] = late.promise;
    await push(1);
    await push(1);
    answers[1] = [3, 6];
    late.resolve([2, 5] as never);
    await push(0);
    assertEquals(events, ["to 2", "to 3"]);
  },
);

for (const [isPushed, lookMs] of [[true, 2000], [false, 250]] as const) {
  testWatch(
    `queries every ${lookMs} ms ${
      isPushed ? "beside" : "without"
    } pushed news, and connects again after a second`,
    [[1, 4]],
    async ({ start, answers, round, delaysMs }) => {
      await start();
      answers[0] = new Error("gone");
      await round(1);
      // The other delays are ticks of the timeouts of replies.
      assertEquals(delaysMs.filter((ms) => ms !== TIMEOUT_MS / 10), [lookMs, 1000]);
    },
    { isPushed },
  );
}

testWatch(
  "reports once that no Sentinel answers for a second, and that one does again",
  [[1, 4], [1, 4]],
  async ({ start, answers, events, round }) => {
    await start();
    answers[0] = new Error("gone");
    await round();
    await round();
    assertEquals(events, []);
    answers[1] = new Error("gone");
    for (let i = 0; i < 3; i++) await round();
    assertEquals(events, ["gone"]);
    answers[0] = [1, 4];
    for (let i = 0; i < 3; i++) await round();
    assertEquals(events, ["gone", "again"]);
  },
);

testWatch(
  "reports no outage of less than a second, nor one while a Sentinel has not failed",
  [[1, 4], [1, 4]],
  async ({ start, answers, events, round }) => {
    await start();
    for (const failing of [[0, 1], [0, 1], [0]]) {
      for (const at of failing) answers[at] = new Error("gone");
      await round();
      for (const at of failing) answers[at] = [1, 4];
      await round();
    }
    // The first is well again, and slow.
    answers[0] = NEVER;
    answers[1] = new Error("gone");
    for (let i = 0; i < 2; i++) await round();
    assertEquals(events, []);
  },
);

testWatch(
  "does not start when all Sentinels fail, and gives the first error",
  [new Error("ERR No such master"), new Error("other")],
  async ({ start }) => void await assertRejects(() => start(), Error, "No such master"),
);

testWatch(
  "refuses an address that is none",
  [[99_999, 1]],
  async ({ start }) => void await assertRejects(() => start(), Error, "Unreadable"),
);
