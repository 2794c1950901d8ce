import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import {
  type Budget,
  extraLooks,
  FIRST_WAIT_MS,
  NOTHING_SPENT,
  owedMs,
  refusedMs,
  settle,
  spend,
  type Spending,
} from "../../lib/guard/budget.ts";
import { seededRandom } from "../support/random.ts";

const SECOND = 1000;
const HOUR = 3_600_000;
const START = 1_800_000_000_000;
const BUDGET: Budget = { looks: 3, refillMs: HOUR };

/** What is spent after so many wrong pins, one as soon as each is looked at, and when that is. */
function spentAtOnce(
  budget: Budget,
  count: number,
): { readonly spending: Spending; readonly nowMs: number } {
  let spending = NOTHING_SPENT;
  let nowMs = START;
  for (let i = 0; i < count; i++) {
    nowMs += refusedMs(budget, spending, nowMs);
    spending = spend(budget, spending, nowMs);
  }
  return { spending, nowMs };
}

Deno.test("refusedMs() is nothing while looks are left, and then a wait that doubles to the refill", () => {
  // A look comes back while the waits grow, so the last of them comes twice.
  const rows = [
    [HOUR, [30, 60, 120, 240, 480, 960, 1920, 1920, 3600, 3600, 3600]],
    [2 * HOUR, [30, 60, 120, 240, 480, 960, 1920, 3840, 3840, 7200, 7200]],
  ] as const;
  for (const [refillMs, waits] of rows) {
    const budget = { looks: 3, refillMs };
    for (let count = 0; count < 3; count++) {
      const { spending, nowMs } = spentAtOnce(budget, count);
      assertEquals(refusedMs(budget, spending, nowMs), 0);
    }
    waits.forEach((wait, i) => {
      const { spending, nowMs } = spentAtOnce(budget, 3 + i);
      assertEquals(refusedMs(budget, spending, nowMs), wait * SECOND, `${3 + i} wrong pins`);
      assertEquals(refusedMs(budget, spending, nowMs + wait * SECOND - 1), 1);
      assertEquals(refusedMs(budget, spending, nowMs + wait * SECOND), 0);
    });
  }
});

Deno.test("a budget that nothing is spent of refuses nothing, by a clock that begins with 0 too", () => {
  for (const nowMs of [0, START]) assertEquals(refusedMs(BUDGET, NOTHING_SPENT, nowMs), 0);
});

Deno.test("a look comes back in each refill, and holding still gives no more", () => {
  const { spending, nowMs } = spentAtOnce(BUDGET, 3);
  assertEquals(owedMs(spending, nowMs), 3 * HOUR);
  // An hour later two are owed, so one more is looked at without a wait before the next.
  const later = spend(BUDGET, spending, nowMs + HOUR);
  assertEquals(owedMs(later, nowMs + HOUR), 3 * HOUR);
  assertEquals(refusedMs(BUDGET, later, nowMs + HOUR), FIRST_WAIT_MS);
  assertEquals(owedMs(spending, nowMs + 3 * HOUR - 1), 1);
  assertEquals(owedMs(spending, nowMs + 3 * HOUR), 0);
  assertEquals(owedMs(spending, nowMs + 300 * HOUR), 0);
});

Deno.test("a look that is not whole yet is none: the next wait is longer by it", () => {
  const { spending, nowMs } = spentAtOnce(BUDGET, 3);
  const soon = spend(BUDGET, spending, nowMs + HOUR - 1);
  assertEquals(refusedMs(BUDGET, soon, nowMs + HOUR - 1), 2 * FIRST_WAIT_MS);
});

Deno.test("no stretch of time has more looks than the whole budget, its extra ones and the refill", () => {
  const random = seededRandom(7);
  for (let run = 0; run < 300; run++) {
    const budget = { looks: 1 + random(6), refillMs: (1 + random(3)) * HOUR };
    const looks: number[] = [];
    let [spending, nowMs] = [NOTHING_SPENT, START];
    for (let event = 0; event < 300; event++) {
      if (refusedMs(budget, spending, nowMs) === 0) {
        spending = spend(budget, spending, nowMs);
        looks.push(nowMs);
      }
      const waitMs = refusedMs(budget, spending, nowMs);
      nowMs += random(2) === 0 ? waitMs : random(10 * HOUR) >> random(24);
    }
    const most = budget.looks + extraLooks(budget);
    looks.forEach((lastMs, last) => {
      for (let first = 0; first <= last; first++) {
        const elapsedMs = lastMs - looks[first]!;
        assert(last - first + 1 <= most + elapsedMs / budget.refillMs, `run ${run}`);
      }
    });
  }
});

Deno.test("refusedMs() of a part of what others spent waits until the part is within its bounds", () => {
  // Of 5 looks, 4 may be spent by some, and 11 with the extra ones; 12 were.
  const part = { looks: 4, refillMs: HOUR };
  const spending = { owedMs: 12 * HOUR, lastMs: START };
  assertEquals(refusedMs(part, spending, START), 2 * HOUR);
  assertEquals(refusedMs({ ...part, looks: 5 }, spending, START), HOUR);
});

Deno.test("settle() leaves what needs no change as it is", () => {
  const { spending, nowMs } = spentAtOnce(BUDGET, 10);
  assert(settle(BUDGET, spending, nowMs) === spending);
  assert(settle(BUDGET, spending, nowMs + HOUR) === spending);
});

Deno.test("settle() starts a wait anew, and no longer, when the clock was set back", () => {
  for (const count of [3, 5, 20]) {
    const { spending, nowMs } = spentAtOnce(BUDGET, count);
    const waitMs = refusedMs(BUDGET, spending, nowMs);
    const settled = settle(BUDGET, spending, nowMs - HOUR);
    assertEquals(refusedMs(BUDGET, settled, nowMs - HOUR), waitMs);
  }
});

Deno.test("settle() makes a budget that was larger no debt that lasts", () => {
  const { spending, nowMs } = spentAtOnce({ looks: 100, refillMs: HOUR }, 107);
  const settled = settle(BUDGET, spending, nowMs);
  assertEquals([owedMs(settled, nowMs), refusedMs(BUDGET, settled, nowMs)], [10 * HOUR, HOUR]);
});
