import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { Deadlines } from "../../../lib/guard/deadlines.ts";
import { StoreTimeoutError, timeoutError } from "../../../lib/guard/redis/reasons.ts";
import { ManualTimers } from "../../support/timers.ts";

// A tenth of the deadline, and the deadline in such ticks.
const TICK_MS = 50;
const TICKS = 10;

function testDeadlines(
  name: string,
  act: (deadlines: Deadlines, timers: ManualTimers) => Promise<void>,
): void {
  Deno.test(`Deadlines ${name}`, () =>
    ManualTimers.during((timers) => act(new Deadlines(TICKS * TICK_MS, timeoutError), timers)));
}

testDeadlines("give what is done in time, and why it failed", async (deadlines) => {
  assertEquals(await deadlines.within(() => Promise.resolve(7)), 7);
  await assertRejects(() => deadlines.within(() => Promise.reject(new Error("No"))), Error, "No");
});

testDeadlines("end what takes longer", async (deadlines, timers) => {
  const late = Promise.withResolvers<string>();
  let over: (() => boolean) | undefined;
  const waited = deadlines.within((isOver) => {
    over = isOver;
    return late.promise;
  });
  const rejected = assertRejects(() => waited, StoreTimeoutError, "No answer in time");
  for (let i = 0; i < TICKS; i++) await timers.tick();
  assertEquals([over!(), timers.pending], [false, 1]);
  await timers.tick();
  assertEquals([over!(), timers.pending], [true, 0]);
  await rejected;
  late.resolve("late");
  await timers.settle();
  assertEquals(timers.asked, new Array(TICKS + 1).fill(TICK_MS));
});

testDeadlines("count for each from when it began", async (deadlines, timers) => {
  const begin = (): Promise<string> =>
    deadlines.within(() => new Promise<never>(() => {})).catch((error) => error.name);
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

testDeadlines("take one timer for all, and none while nothing waits", async (deadlines, timers) => {
  for (let i = 0; i < 5; i++) await deadlines.within(() => Promise.resolve());
  assertEquals([timers.asked, timers.pending], [[TICK_MS], 1]);
  await timers.tick();
  assertEquals([timers.asked, timers.pending], [[TICK_MS], 0]);
  await deadlines.within(() => Promise.resolve());
  deadlines.close();
  assertEquals([timers.asked.length, timers.pending], [2, 0]);
});

testDeadlines("end at once when they are closed", async (deadlines, timers) => {
  const waited = assertRejects(
    () => deadlines.within(() => new Promise(() => {})),
    StoreTimeoutError,
  );
  deadlines.close();
  await waited;
  assertEquals(timers.pending, 0);
});
