import { assertEquals } from "@std/assert/equals";
import { StoreMonitor } from "../../../../lib/guard/redis/monitor.ts";
import type { Send } from "../../../../lib/guard/redis/script.ts";
import { ManualTimers } from "../../../support/timers.ts";

/** Difference of clocks that is no finding. */
const MAX_CLOCK_MS = 10_000;

/** What the servers of a store answer. */
interface Answers {
  /** The clock of each server, in milliseconds. */
  clocksMs: number[];
  evicted: number;
  otherKeys: unknown;
  /** Errors of commands. */
  errors: Record<string, string>;
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
    /** Whether the monitor has a finding. */
    readonly has: (kind: string) => boolean;
  }) => Promise<void>,
): void {
  Deno.test(`a monitor of a store ${rule}`, () =>
    ManualTimers.during(async (timers) => {
      const answers: Answers = { clocksMs: [1e12], evicted: 0, otherKeys: 0, errors: {} };
      const events: string[] = [];
      let [nowMs, tripMs] = [1e12, 0];
      const sendTo = (server: number): Send => ([command]) => {
        nowMs += tripMs;
        const error = answers.errors[command!];
        if (error !== undefined) return Promise.reject(new Error(error));
        if (command === "EVAL") return Promise.resolve(answers.otherKeys);
        if (command === "TIME") {
          const ms = answers.clocksMs[server]!;
          return Promise.resolve([String(Math.floor(ms / 1000)), String(ms % 1000 * 1000)]);
        }
        if (command === "DUMP") return Promise.resolve(null);
        if (command === "RESTORE") return Promise.reject(new Error("ERR DUMP payload version"));
        return Promise.resolve(`# Stats\r\nevicted_keys:${answers.evicted}\r\nx:1`);
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
        now: () => nowMs,
        maxClockMs: MAX_CLOCK_MS,
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
        has: (name) => monitor.findings.some(({ kind }) => kind === name),
      });
      monitor.close();
      assertEquals(timers.intervals, 0);
    }));
}

testMonitor("compares the clocks beyond the round trip, and reports once", async (setup) => {
  const { answers, monitor, events, look, slow, has } = setup;
  answers.clocksMs = [1e12 + MAX_CLOCK_MS];
  await look();
  assertEquals([monitor.aheadMs, has("clock"), events], [-MAX_CLOCK_MS, false, []]);
  answers.clocksMs = [1e12 + MAX_CLOCK_MS + 1];
  await look();
  assertEquals([has("clock"), events.splice(0)], [true, [`clock ${-MAX_CLOCK_MS - 1}`]]);
  answers.clocksMs = [1e12];
  await look();
  assertEquals([has("clock"), events.splice(0)], [false, ["end of clock"]]);
  answers.clocksMs = [1e12, 1e12 - 90_000];
  await look();
  await look();
  assertEquals([monitor.aheadMs, has("clock")], [90_000, true]);
  assertEquals(events, ["clock 90000"]);
  answers.clocksMs = [1e12];
  await look();
  assertEquals([has("clock"), events], [false, ["clock 90000", "end of clock"]]);
  // Read 100 s later: any time in between may be that of the reply.
  answers.clocksMs = [1e12 + 60_000];
  slow(100_000);
  await look();
  assertEquals(monitor.aheadMs, 0);
});

testMonitor("counts evictions since the previous reading, also after a restart", async (setup) => {
  const { answers, events, look, has } = setup;
  answers.evicted = 700;
  await look();
  assertEquals([events, has("evictions")], [[], false]);
  answers.evicted = 705;
  await look();
  answers.evicted = 2;
  await look();
  assertEquals([events, has("evictions")], [["evictions 5"], true]);
  // While no server answers, none has ended.
  for (const [clocksMs, isFull] of [[[], true], [[1e12], false]] as const) {
    answers.clocksMs = [...clocksMs];
    for (let i = 0; i < 6; i++) await look();
    assertEquals(has("evictions"), isFull);
  }
});

testMonitor(
  "reports each missing permission once, and the other findings all the same",
  async (setup) => {
    const { answers, monitor, events, look } = setup;
    answers.errors = { INFO: "NOPERM", DUMP: "ERR unknown command `DUMP`", RESTORE: "NOPERM" };
    answers.clocksMs = [1e12 + 90_000];
    await look();
    await look();
    assertEquals(events.toSorted(), [
      "clock -90000",
      "refused DUMP",
      "refused INFO",
      "refused RESTORE",
    ]);
    assertEquals(monitor.aheadMs, -90_000);
  },
);

testMonitor(
  "takes an outage for no missing permission, and ends no finding by it",
  async (setup) => {
    const { answers, monitor, events, look } = setup;
    answers.clocksMs = [1e12 + 90_000];
    const closed = "Socket closed unexpectedly";
    answers.errors = { DUMP: closed, RESTORE: closed };
    await look();
    assertEquals(events, ["clock -90000"]);
    answers.errors = { TIME: closed, INFO: closed, DUMP: closed, RESTORE: closed };
    await look();
    assertEquals([events, monitor.aheadMs], [["clock -90000"], -90_000]);
    answers.evicted = 3;
    answers.errors = { RESTORE: "NOPERM" };
    await look();
    answers.evicted = 5;
    await look();
    assertEquals(events, ["clock -90000", "evictions 3", "refused RESTORE", "evictions 2"]);
  },
);

testMonitor("reports another guard key until it is no longer used", async (setup) => {
  const { answers, events, look, has } = setup;
  answers.otherKeys = 2;
  await look();
  await look();
  assertEquals([events, has("keys")], [["keys"], true]);
  answers.otherKeys = 0;
  await look();
  answers.otherKeys = "nonsense";
  await look();
  assertEquals([events, has("keys")], [["keys", "end of keys"], false]);
});
