import { assertEquals } from "@std/assert/equals";
import { StoreMonitor } from "../../../../lib/guard/redis/monitor.ts";
import type { Send } from "../../../../lib/guard/redis/script.ts";
import { ManualTimers } from "../../../support/timers.ts";

const PERIOD_MS = 30_000;

/** What the servers of a store answer. */
interface Answers {
  /** The clock of each server, in milliseconds. */
  clocksMs: number[];
  evicted: number | Error;
  otherKeys: unknown;
}

function testMonitor(
  rule: string,
  run: (setup: {
    readonly answers: Answers;
    readonly monitor: StoreMonitor;
    readonly events: string[];
    /** Lets the clock of this server go while a command is on its way. */
    readonly slow: (ms: number) => void;
    readonly look: () => Promise<void>;
  }) => Promise<void>,
): void {
  Deno.test(`a monitor of a store ${rule}`, () =>
    ManualTimers.during(async (timers) => {
      const answers: Answers = { clocksMs: [1e12], evicted: 0, otherKeys: 0 };
      const events: string[] = [];
      let [nowMs, tripMs] = [1e12, 0];
      const sendTo = (server: number): Send => ([command]) => {
        nowMs += tripMs;
        if (command === "EVAL") return Promise.resolve(answers.otherKeys);
        if (command === "TIME") {
          const ms = answers.clocksMs[server]!;
          return Promise.resolve([String(Math.floor(ms / 1000)), String(ms % 1000 * 1000)]);
        }
        if (command === "DUMP") return Promise.resolve(null);
        const { evicted } = answers;
        return evicted instanceof Error
          ? Promise.reject(evicted)
          : Promise.resolve(`# Stats\r\nevicted_keys:${evicted}\r\nx:1`);
      };
      const monitor = new StoreMonitor({
        link: {
          run: (_, commands) => commands(sendTo(0)),
          each: (commands) =>
            Promise.all(
              answers.clocksMs.map(async (_, i) => [`${i}`, await commands(sendTo(i))] as const),
            ),
        },
        keyId: "own",
        wallNow: () => nowMs,
        maxClockMs: PERIOD_MS / 3,
        onFinding: ({ kind, ...more }) =>
          void events.push([kind, ...Object.values(more)].join(" ")),
        onEnd: (kind) => void events.push(`end of ${kind}`),
      });
      await run({
        answers,
        monitor,
        events,
        slow: (ms) => void (tripMs = ms),
        look: () => timers.repeat(),
      });
      monitor.close();
      assertEquals(timers.intervals, 0);
    }));
}

testMonitor("compares the clocks beyond the round trip, and reports once", async (setup) => {
  const { answers, monitor, events, look, slow } = setup;
  answers.clocksMs = [1e12 + 9_000];
  await look();
  assertEquals([monitor.aheadMs, monitor.isClockApart, events], [-9_000, false, []]);
  answers.clocksMs = [1e12, 1e12 - 90_000];
  await look();
  await look();
  assertEquals([monitor.aheadMs, monitor.isClockApart], [90_000, true]);
  assertEquals(events, ["clock 90000"]);
  answers.clocksMs = [1e12];
  await look();
  assertEquals([monitor.isClockApart, events], [false, ["clock 90000", "end of clock"]]);
  // Read 100 s later: any time in between may be that of the reply.
  answers.clocksMs = [1e12 + 60_000];
  slow(100_000);
  await look();
  assertEquals(monitor.aheadMs, 0);
});

testMonitor("counts evictions since the look before, also after a restart", async (setup) => {
  const { answers, monitor, events, look } = setup;
  answers.evicted = 700;
  await look();
  assertEquals([events, monitor.isFull], [[], false]);
  answers.evicted = 705;
  await look();
  answers.evicted = 2;
  await look();
  assertEquals([events, monitor.isFull], [["evictions 5"], true]);
  for (let i = 0; i < 6; i++) await look();
  assertEquals(monitor.isFull, false);
});

testMonitor(
  "reports a missing permission once, and the other findings all the same",
  async (setup) => {
    const { answers, monitor, events, look } = setup;
    answers.evicted = new Error("NOPERM");
    answers.clocksMs = [1e12 + 90_000];
    await look();
    await look();
    assertEquals([events, monitor.aheadMs], [["refused INFO", "clock -90000"], -90_000]);
  },
);

testMonitor("reports another guard key until it is no longer used", async (setup) => {
  const { answers, monitor, events, look } = setup;
  answers.otherKeys = 2;
  await look();
  await look();
  assertEquals([events, monitor.hasOtherKeys], [["keys"], true]);
  answers.otherKeys = 0;
  await look();
  answers.otherKeys = "nonsense";
  await look();
  assertEquals([events, monitor.hasOtherKeys], [["keys", "end of keys"], false]);
});
