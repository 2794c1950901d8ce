/**
 * Model of the guard: one decision about one pin as a pure function, written apart from the functions
 * that charge and refund attempts in memory, and from the script in Redis. Both are compared with it.
 *
 * A pin is checked when the budgets of the secret and of the source both have an attempt left. A wrong
 * pin takes an attempt from both. A right pin neither takes nor refills one, so a guesser gains nothing
 * from other logins. A throttled pin is unchecked and a replayed pin is no guess: neither takes one.
 *
 * @module
 */

import { type Budget, extraAttempts, type Spending } from "../../lib/guard/budget.ts";
import {
  type CheckedPin,
  type GuardRules,
  type GuardState,
  INITIAL_STATE,
  refusedMs,
  sourceBudget,
  totalBudget,
  type Verdict,
} from "../../lib/guard/guard.ts";
import { KNOWN_MS, type SourceState, withSource } from "../../lib/guard/sources.ts";

/** Decision about a pin, with the new state. */
export interface Decision {
  /** The verdict on the pin. */
  readonly verdict: Exclude<Verdict, "unavailable">;
  /** The new state of the secret; undefined when it need not be kept. */
  readonly state: GuardState | undefined;
  /** Time for which a changed state is kept, in milliseconds. */
  readonly keepMs: number;
  /** Time for which pins of this source are throttled from now on, in milliseconds. */
  readonly refusedMs: number;
}

/**
 * Decides about a pin.
 *
 * @param state State of the secret; undefined for a new secret.
 * @param nowMs The time in milliseconds since any fixed moment, the same for all calls.
 */
export function decideByRules(
  rules: GuardRules,
  state: GuardState = INITIAL_STATE,
  { matchedStep, source }: CheckedPin,
  nowMs: number,
): Decision {
  const before = limited(rules, state, nowMs);
  const leftMs = refusedMs(rules, before, source, nowMs);
  const decision = (verdict: Decision["verdict"], after: GuardState): Decision => {
    const keepMs = keepMsOf(rules, after, nowMs);
    return {
      verdict,
      state: keepMs > 0 ? after : undefined,
      keepMs,
      refusedMs: verdict === "wrong" ? refusedMs(rules, after, source, nowMs) : leftMs,
    };
  };
  if (leftMs > 0) return decision("throttled", before);
  const isCounted = rules.maxFailures > 0;
  const own = source === undefined || !isCounted ? undefined : sourceOf(before, source);
  if (matchedStep === undefined) {
    if (!isCounted) return decision("wrong", before);
    const total = wronged(totalBudget(rules), before, nowMs);
    const sources = own === undefined
      ? before.sources
      : withSource(before.sources, { ...own, ...wronged(sourceBudget(rules), own, nowMs) }, nowMs);
    return decision("wrong", { ...before, ...total, sources });
  }
  if (rules.singleUse && matchedStep <= before.usedStep) return decision("replayed", before);
  const sources = own === undefined
    ? before.sources
    : withSource(before.sources, { ...own, knownUntilMs: nowMs + KNOWN_MS }, nowMs);
  const usedStep = rules.singleUse ? matchedStep : before.usedStep;
  return decision("accepted", { ...before, usedStep, sources });
}

function sourceOf({ sources }: GuardState, id: string): SourceState {
  return sources.find((source) => source.id === id) ??
    { id, knownUntilMs: 0, debtMs: 0, lastMs: 0 };
}

function owedMs({ debtMs, lastMs }: Spending, nowMs: number): number {
  return Math.max(0, debtMs - Math.max(0, nowMs - lastMs));
}

/** Spending after one more wrong pin. */
function wronged({ refillMs }: Budget, spending: Spending, nowMs: number): Spending {
  return { debtMs: owedMs(spending, nowMs) + refillMs, lastMs: nowMs };
}

// A clock set back, or a smaller budget, must not make a wait longer than the wrong pins caused.
function limited(rules: GuardRules, state: GuardState, nowMs: number): GuardState {
  if (rules.maxFailures === 0) return state;
  const within = <S extends Spending>(budget: Budget, spending: S): S => ({
    ...spending,
    debtMs: Math.min(
      spending.debtMs,
      (budget.attempts + extraAttempts(budget)) * budget.refillMs,
    ),
    lastMs: Math.min(spending.lastMs, nowMs),
  });
  const sources = state.sources.map((source) => ({
    ...within(sourceBudget(rules), source),
    knownUntilMs: Math.min(source.knownUntilMs, nowMs + KNOWN_MS),
  }));
  return { ...within(totalBudget(rules), state), sources };
}

/** Returns the time for which a state must be kept, in milliseconds; 0 when it can be dropped. */
export function keepMsOf(rules: GuardRules, state: GuardState, nowMs: number): number {
  return Math.max(
    owedMs(state, nowMs),
    state.usedStep >= 0 ? rules.forgetUseMs : 0,
    ...state.sources.map((source) => Math.max(owedMs(source, nowMs), source.knownUntilMs - nowMs)),
  );
}
