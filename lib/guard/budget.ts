/**
 * Budget of attempts: wrong pins use it up, and only time refills it. An attempt is one check of a pin.
 *
 * @module
 */

/** Number of wrong pins that are checked before throttling, and their refill time. */
export interface Budget {
  /** Attempts in a full budget, at least 1, before waits begin. */
  readonly attempts: number;
  /** Refill time of one attempt, in milliseconds; also the longest wait. */
  readonly refillMs: number;
}

/** Debt of a budget, with the time of the last wrong pin. */
export interface Spending {
  /** Time from the last wrong pin until the budget is full, in milliseconds. */
  readonly debtMs: number;
  /** Time of the last wrong pin, in milliseconds. */
  readonly lastMs: number;
}

/** Wait after the last attempt of a budget; each further wrong pin doubles it. */
export const FIRST_WAIT_MS = 30_000;

/** Spending of a full budget: no wrong pins. */
export const FULL_BUDGET: Spending = { debtMs: 0, lastMs: 0 };

/**
 * Returns the number of extra attempts: attempts beyond a budget, each after twice the wait of the one
 * before.
 */
export function extraAttempts({ refillMs }: Budget): number {
  return Math.ceil(Math.log2(refillMs / FIRST_WAIT_MS));
}

/** Returns the time until the budget is full, in milliseconds. */
export function debtMs({ debtMs, lastMs }: Spending, nowMs: number): number {
  return Math.max(0, debtMs - Math.max(0, nowMs - lastMs));
}

/** Adds one wrong pin to the spending. */
export function spend({ refillMs }: Budget, spending: Spending, nowMs: number): Spending {
  return { debtMs: debtMs(spending, nowMs) + refillMs, lastMs: nowMs };
}

/**
 * Limits the spending to the current time and budget: a clock set back or a reduced budget must not
 * make a wait longer than the wrong pins caused, and a full budget stays full.
 */
export function clampToClock(budget: Budget, spending: Spending, nowMs: number): Spending {
  if (spending.debtMs > 0 && debtMs(spending, nowMs) === 0) return FULL_BUDGET;
  const mostMs = (budget.attempts + extraAttempts(budget)) * budget.refillMs;
  if (spending.lastMs <= nowMs && spending.debtMs <= mostMs) return spending;
  return { debtMs: Math.min(spending.debtMs, mostMs), lastMs: Math.min(spending.lastMs, nowMs) };
}

/**
 * Returns the time for which the next pin is throttled, in milliseconds; 0 when it is checked.
 *
 * There is no wait while attempts are left. The extra attempts follow after waits that double; from the
 * longest wait on, only refilled attempts remain. Any span of time therefore has at most the attempts of
 * a full budget, its extra attempts, and the attempts refilled in that span.
 */
export function remainingWaitMs(budget: Budget, spending: Spending, nowMs: number): number {
  const { attempts, refillMs } = budget;
  const beyond = Math.ceil(spending.debtMs / refillMs) - attempts;
  if (beyond < 0) return 0;
  const doubledMs = Math.min(FIRST_WAIT_MS * 2 ** beyond, refillMs);
  const emptyMs = (attempts + extraAttempts(budget) - 1) * refillMs;
  const waitMs = Math.max(doubledMs, spending.debtMs - emptyMs);
  return Math.max(0, spending.lastMs + waitMs - nowMs);
}
