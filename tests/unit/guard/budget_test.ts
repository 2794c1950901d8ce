import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import {
  type Budget,
  clampToClock,
  debtMs,
  FIRST_WAIT_MS,
  FULL_BUDGET,
  remainingWaitMs,
  spend,
  type Spending,
} from "../../../lib/guard/budget.ts";

const SECOND = 1000;
const HOUR = 3_600_000;
const START = 1_800_000_000_000;
const BUDGET: Budget = { attempts: 3, refillMs: HOUR };

/** What is spent after so many wrong pins, one as soon as each is checked, and when that is. */
function spentAtOnce(
  budget: Budget,
  count: number,
): { readonly spending: Spending; readonly nowMs: number } {
  let spending = FULL_BUDGET;
  let nowMs = START;
  for (let i = 0; i < count; i++) {
    nowMs += remainingWaitMs(budget, spending, nowMs);
    spending = spend(budget, spending, nowMs);
  }
  return { spending, nowMs };
}

Deno.test("remainingWaitMs() is 0 while attempts are left, then doubles up to the refill time", () => {
  // An attempt comes back while the waits grow, so the last of them comes twice.
  const rows = [
    [HOUR, [30, 60, 120, 240, 480, 960, 1920, 1920, 3600, 3600, 3600]],
    [2 * HOUR, [30, 60, 120, 240, 480, 960, 1920, 3840, 3840, 7200, 7200]],
  ] as const;
  for (const [refillMs, waits] of rows) {
    const budget = { attempts: 3, refillMs };
    for (let count = 0; count < 3; count++) {
      const { spending, nowMs } = spentAtOnce(budget, count);
      assertEquals(remainingWaitMs(budget, spending, nowMs), 0);
    }
    waits.forEach((wait, i) => {
      const { spending, nowMs } = spentAtOnce(budget, 3 + i);
      assertEquals(remainingWaitMs(budget, spending, nowMs), wait * SECOND, `${3 + i} wrong pins`);
      assertEquals(remainingWaitMs(budget, spending, nowMs + wait * SECOND - 1), 1);
      assertEquals(remainingWaitMs(budget, spending, nowMs + wait * SECOND), 0);
    });
  }
});

Deno.test("an unspent budget has no throttle, also on a clock that starts at 0", () => {
  for (const nowMs of [0, START]) assertEquals(remainingWaitMs(BUDGET, FULL_BUDGET, nowMs), 0);
});

Deno.test("an attempt is restored in each refill time, and idle time adds no more", () => {
  const { spending, nowMs } = spentAtOnce(BUDGET, 3);
  assertEquals(debtMs(spending, nowMs), 3 * HOUR);
  // An hour later two are owed, so one more is checked without a wait before the next.
  const later = spend(BUDGET, spending, nowMs + HOUR);
  assertEquals(debtMs(later, nowMs + HOUR), 3 * HOUR);
  assertEquals(remainingWaitMs(BUDGET, later, nowMs + HOUR), FIRST_WAIT_MS);
  assertEquals(debtMs(spending, nowMs + 3 * HOUR - 1), 1);
  assertEquals(debtMs(spending, nowMs + 3 * HOUR), 0);
  assertEquals(debtMs(spending, nowMs + 300 * HOUR), 0);
});

Deno.test("an attempt that is not whole yet is none: the next wait is longer by it", () => {
  const { spending, nowMs } = spentAtOnce(BUDGET, 3);
  const soon = spend(BUDGET, spending, nowMs + HOUR - 1);
  assertEquals(remainingWaitMs(BUDGET, soon, nowMs + HOUR - 1), 2 * FIRST_WAIT_MS);
});

Deno.test("remainingWaitMs() of unknown sources lasts until their part of the budget has room", () => {
  // Of 5 attempts, 4 may be spent by some, and 11 with the extra ones; 12 were.
  const part = { attempts: 4, refillMs: HOUR };
  const spending = { debtMs: 12 * HOUR, lastMs: START };
  assertEquals(remainingWaitMs(part, spending, START), 2 * HOUR);
  assertEquals(remainingWaitMs({ ...part, attempts: 5 }, spending, START), HOUR);
});

Deno.test("clampToClock() returns a valid spending unchanged", () => {
  const { spending, nowMs } = spentAtOnce(BUDGET, 10);
  assert(clampToClock(BUDGET, spending, nowMs) === spending);
  assert(clampToClock(BUDGET, spending, nowMs + HOUR) === spending);
});

Deno.test("clampToClock() limits the debt from a larger budget", () => {
  const { spending, nowMs } = spentAtOnce({ attempts: 100, refillMs: HOUR }, 107);
  const settled = clampToClock(BUDGET, spending, nowMs);
  assertEquals([debtMs(settled, nowMs), remainingWaitMs(BUDGET, settled, nowMs)], [
    10 * HOUR,
    HOUR,
  ]);
});

Deno.test("clampToClock() keeps a full budget full, even if the clock is set back later", () => {
  const { spending, nowMs } = spentAtOnce(BUDGET, 2);
  assertEquals(clampToClock(BUDGET, spending, nowMs + 2 * HOUR), FULL_BUDGET);
  assert(clampToClock(BUDGET, FULL_BUDGET, nowMs) === FULL_BUDGET);
});
