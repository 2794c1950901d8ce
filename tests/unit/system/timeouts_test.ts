import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { Timeouts } from "../../../lib/system/timeouts.ts";
import { ManualTimers } from "../../support/timers.ts";

// A tenth of the timeout, and the timeout in such ticks.
const TICK_MS = 50;
const TICKS = 10;

function testTimeouts(
  name: string,
  act: (timeouts: Timeouts, timers: ManualTimers) => Promise<void>,
): void {
  Deno.test(`Timeouts ${name}`, () =>
    ManualTimers.during((timers) =>
      act(new Timeouts(TICKS * TICK_MS, () => new Error("Over")), timers)
    ));
}

testTimeouts("settle with work that ends in time, and with its error", async (timeouts) => {
  assertEquals(await timeouts.within(() => Promise.resolve(7)), 7);
  await assertRejects(() => timeouts.within(() => Promise.reject(new Error("No"))), Error, "No");
});

testTimeouts("abort work that takes longer", async (timeouts, timers) => {
  const late = Promise.withResolvers<string>();
  let isOver = false;
  const waited = timeouts.within(() => late.promise);
  const rejected = assertRejects(() => waited.finally(() => isOver = true), Error, "Over");
  for (let i = 0; i < TICKS; i++) await timers.tick();
  assertEquals([isOver, timers.pending], [false, 1]);
  await timers.tick();
  assertEquals([isOver, timers.pending], [true, 0]);
  await rejected;
  late.resolve("late");
  await timers.settle();
  assertEquals(timers.delaysMs, new Array(TICKS + 1).fill(TICK_MS));
});

testTimeouts("count for each from when it began", async (timeouts, timers) => {
  const begin = (): Promise<string> =>
    timeouts.within(() => new Promise<never>(() => {})).catch((error) => error.name);
  const ended: number[] = [];
  for (const i of [0, 1, 2]) {
    void begin().then(() => void ended.push(i));
    for (let tick = 0; tick < 4; tick++) await timers.tick();
  }
  assertEquals([ended, timers.pending], [[0], 1]);
  for (let tick = 0; tick < 4; tick++) await timers.tick();
  assertEquals([ended, timers.pending], [[0, 1], 1]);
  for (let tick = 0; tick < 4; tick++) await timers.tick();
  assertEquals([ended, timers.pending], [[0, 1, 2], 0]);
});

testTimeouts("take one timer for all, which ends with the last", async (timeouts, timers) => {
  const late = Promise.withResolvers<void>();
  const waited = timeouts.within(() => late.promise);
  for (let i = 0; i < 5; i++) await timeouts.within(() => Promise.resolve());
  assertEquals([timers.delaysMs, timers.pending], [[TICK_MS], 1]);
  await timers.tick();
  assertEquals([timers.delaysMs, timers.pending], [[TICK_MS, TICK_MS], 1]);
  late.resolve();
  await waited;
  assertEquals(timers.pending, 0);
  await assertRejects(() => timeouts.within(() => Promise.reject(new Error("No"))), Error, "No");
  assertEquals([timers.delaysMs.length, timers.pending], [3, 0]);
});

testTimeouts("end at once when they are closed", async (timeouts, timers) => {
  const waited = assertRejects(
    () => timeouts.within(() => new Promise(() => {})),
    Error,
    "Over",
  );
  timeouts.close();
  await waited;
  assertEquals(timers.pending, 0);
});
