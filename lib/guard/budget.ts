/**
 * A budget of looks at wrong pins, which comes back with time and with nothing else.
 *
 * @module
 */

/** How many wrong pins are looked at. */
export interface Budget {
  /** Looks of a budget that is whole, 1 at least, before there are waits between them. */
  readonly looks: number;
  /** The time in which one look comes back, in milliseconds; the longest wait as well. */
  readonly refillMs: number;
}

/** What was spent of a budget. */
export interface Spending {
  /** The time from the last wrong pin until the budget is whole again, in milliseconds. */
  readonly debtMs: number;
  /** When the last wrong pin was looked at. */
  readonly lastMs: number;
}

/** The wait after the last look of a budget; each wrong pin makes the next twice as long. */
export const FIRST_WAIT_MS = 30_000;

/** What was spent of a budget that is whole. */
export const NOTHING_SPENT: Spending = { debtMs: 0, lastMs: 0 };

/** Looks beyond a budget, while the waits between them grow. */
export function extraLooks({ refillMs }: Budget): number {
  return Math.ceil(Math.log2(refillMs / FIRST_WAIT_MS));
}

/** How long it still takes until the budget is whole, in milliseconds. */
export function debtMs({ debtMs, lastMs }: Spending, nowMs: number): number {
  return Math.max(0, debtMs - Math.max(0, nowMs - lastMs));
}

/** What is spent when one more wrong pin is looked at. */
export function spend({ refillMs }: Budget, spending: Spending, nowMs: number): Spending {
  return { debtMs: debtMs(spending, nowMs) + refillMs, lastMs: nowMs };
}

/**
 * What is spent once a look is given back.
 *
 * @param before What was spent before it was taken.
 * @param after What was spent right after.
 */
export function giveBack(
  { refillMs }: Budget,
  spending: Spending,
  before: Spending,
  after: Spending,
): Spending {
  const { debtMs, lastMs } = spending;
  const isLast = debtMs === after.debtMs && lastMs === after.lastMs;
  return isLast
    ? { debtMs: before.debtMs, lastMs: before.lastMs }
    : { debtMs: Math.max(0, debtMs - refillMs), lastMs };
}

/**
 * What was spent, by a clock that may have been set back, and of a budget that may have been larger:
 * neither makes a wait longer than the wrong pins earned.
 */
export function clampToClock(budget: Budget, spending: Spending, nowMs: number): Spending {
  const mostMs = (budget.looks + extraLooks(budget)) * budget.refillMs;
  if (spending.lastMs <= nowMs && spending.debtMs <= mostMs) return spending;
  return { debtMs: Math.min(spending.debtMs, mostMs), lastMs: Math.min(spending.lastMs, nowMs) };
}

/**
 * For how long the next pin is refused, in milliseconds; 0 when it is looked at.
 *
 * While looks are left, that is never. The first pins beyond are looked at after waits that double,
 * and from the longest wait on only what came back can be spent: in any time, that makes as many
 * looks as a whole budget has with its extra ones, and those that come back in the time.
 */
export function budgetRefusedMs(budget: Budget, spending: Spending, nowMs: number): number {
  const { looks, refillMs } = budget;
  const beyond = Math.ceil(spending.debtMs / refillMs) - looks;
  if (beyond < 0) return 0;
  const doubledMs = Math.min(FIRST_WAIT_MS * 2 ** beyond, refillMs);
  const emptyMs = (looks + extraLooks(budget) - 1) * refillMs;
  const waitMs = Math.max(doubledMs, spending.debtMs - emptyMs);
  return Math.max(0, spending.lastMs + waitMs - nowMs);
}
