/**
 * Guard of secrets against guessing and replay: its rules, as a pure function of the state of a
 * secret, the checked pin and the time. A store keeps the state and decides in one step.
 *
 * @module
 */

import {
  type Budget,
  clampToClock,
  debtMs,
  FULL_BUDGET,
  remainingWaitMs,
  spend,
  type Spending,
} from "./budget.ts";
import { isKnown, KNOWN_MS, sourceNamed, type SourceState, withSource } from "./sources.ts";

/**
 * Verdict on a pin. `throttled`: pins for its secret are refused now. `replayed`: it is right but
 * already used. `unavailable`: the store gives no decision.
 */
export type Verdict = "accepted" | "wrong" | "throttled" | "replayed" | "unavailable";

/** Rules of the guard, derived from the options. */
export interface GuardRules {
  /** Wrong pins that are checked before throttling; 0 for no throttling. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only (RFC 6238 §5.2). */
  readonly singleUse: boolean;
  /** Time for which a used time step is remembered, in milliseconds. */
  readonly forgetUseMs: number;
}

/** Failures of a secret: its spending, and its sources. */
export interface Failures extends Spending {
  /** The sources named in calls for this secret. */
  readonly sources: readonly SourceState[];
}

/** State of a secret: its failures, and its used time step. */
export interface GuardState extends Failures {
  /** The latest time step with an accepted code; -1 before the first one. */
  readonly usedStep: number;
}

/** Subject of a decision: the time step of a pin and its source. */
export interface CheckedPin {
  /** The time step with this code; undefined for a wrong pin. */
  readonly matchedStep: number | undefined;
  /** Name of the source; undefined when the call names no source. */
  readonly source?: string | undefined;
}

/** Refill time of one attempt of a secret (the check of one pin), in milliseconds. */
const REFILL_MS = 3_600_000;

/**
 * Derives the rules from the options.
 *
 * @param options `window` and `period` as in RFC 6238 §5.2: a code is right for 2 × window + 1 time
 * steps of `period` seconds.
 */
export function guardRules(options: {
  readonly maxFailures: number;
  readonly singleUse: boolean;
  readonly window: number;
  readonly period: number;
}): GuardRules {
  const { maxFailures, singleUse, window, period } = options;
  return {
    maxFailures,
    singleUse,
    forgetUseMs: (2 * window + 2) * period * 1000,
  };
}

/** Whether the rules accept every right pin, which makes a store needless. */
export function refusesNothing(
  { maxFailures, singleUse }: Pick<GuardRules, "maxFailures" | "singleUse">,
): boolean {
  return maxFailures === 0 && !singleUse;
}

/** Returns the budget of a secret. */
export function totalBudget({ maxFailures }: GuardRules): Budget {
  return { attempts: maxFailures, refillMs: REFILL_MS };
}

/**
 * Returns the part of a secret's budget for unknown sources: a fifth is reserved for known ones.
 */
export function unknownSourcesBudget({ maxFailures }: GuardRules): Budget {
  return { attempts: Math.max(1, maxFailures - Math.ceil(maxFailures / 5)), refillMs: REFILL_MS };
}

/** Returns the budget of each source of a secret: half the attempts, refilled half as fast. */
export function sourceBudget({ maxFailures }: GuardRules): Budget {
  return { attempts: Math.ceil(maxFailures / 2), refillMs: 2 * REFILL_MS };
}

/**
 * Returns the time for which pins of a source are throttled, in milliseconds; 0 when they are
 * checked.
 *
 * @param state Failures by the same rules and a clock that was not set back.
 * @param source Name of the source; undefined when the call names no source.
 */
export function refusedMs(
  rules: GuardRules,
  state: Failures,
  source: string | undefined,
  nowMs: number,
): number {
  if (rules.maxFailures === 0) return 0;
  const { sources } = state;
  const own = source === undefined ? undefined : sourceNamed(sources, source);
  const isStranger = sources.some((other) => isKnown(other, nowMs)) &&
    !(own !== undefined && isKnown(own, nowMs));
  const total = isStranger ? unknownSourcesBudget(rules) : totalBudget(rules);
  return Math.max(
    remainingWaitMs(total, state, nowMs),
    own === undefined ? 0 : remainingWaitMs(sourceBudget(rules), own, nowMs),
  );
}

/** Times for which pins of a secret are throttled, in milliseconds. */
export interface ThrottleTimes {
  /** The shortest over all sources; 0 when pins of any source are checked. */
  readonly toAllMs: number;
  /** The longest over all sources; 0 when all pins are checked. */
  readonly toSomeMs: number;
}

/** Returns the times for which pins of a secret are throttled, over all sources. */
export function throttleTimes(rules: GuardRules, state: Failures, nowMs: number): ThrottleTimes {
  const now = limited(rules, state, nowMs);
  const ownMs = refusedMs(rules, now, undefined, nowMs);
  const waits = now.sources.map(({ id }) => refusedMs(rules, now, id, nowMs));
  return { toAllMs: Math.min(ownMs, ...waits), toSomeMs: Math.max(ownMs, ...waits) };
}

/** State of a secret without wrong pins, used codes and sources. */
export const INITIAL_STATE: GuardState = { ...FULL_BUDGET, usedStep: -1, sources: [] };

/** Decision about a pin. */
export interface Decision {
  /** The verdict. */
  readonly verdict: Verdict;
  /** State of the secret afterwards; the same object when nothing changes. */
  readonly state: GuardState;
}

/**
 * Decides about a pin.
 *
 * A pin is judged when the budgets of its secret and its source both have an attempt left. A wrong
 * pin takes an attempt from both. A right pin takes none and restores none, so that a guesser gains
 * nothing from other logins. A throttled and a replayed pin change nothing.
 */
export function decide(
  rules: GuardRules,
  state: GuardState,
  { matchedStep, source }: CheckedPin,
  nowMs: number,
): Decision {
  const before = limited(rules, state, nowMs);
  if (refusedMs(rules, before, source, nowMs) > 0) return { verdict: "throttled", state: before };
  if (matchedStep === undefined) {
    return { verdict: "wrong", state: failed(rules, before, source, nowMs) };
  }
  if (rules.singleUse && matchedStep <= before.usedStep) {
    return { verdict: "replayed", state: before };
  }
  return { verdict: "accepted", state: succeeded(rules, before, matchedStep, source, nowMs) };
}

function failed(
  rules: GuardRules,
  before: GuardState,
  source: string | undefined,
  nowMs: number,
): GuardState {
  if (rules.maxFailures === 0) return before;
  const after = { ...before, ...spend(totalBudget(rules), before, nowMs) };
  if (source === undefined) return after;
  const own = sourceNamed(before.sources, source);
  const spent = { ...own, ...spend(sourceBudget(rules), own, nowMs) };
  return { ...after, sources: withSource(before.sources, spent, nowMs) };
}

function succeeded(
  rules: GuardRules,
  before: GuardState,
  matchedStep: number,
  source: string | undefined,
  nowMs: number,
): GuardState {
  const after = rules.singleUse ? { ...before, usedStep: matchedStep } : before;
  if (source === undefined || rules.maxFailures === 0) return after;
  const own = { ...sourceNamed(before.sources, source), knownUntilMs: nowMs + KNOWN_MS };
  return { ...after, sources: withSource(before.sources, own, nowMs) };
}

// Returns the state limited by `clampToClock`; the same object when nothing changes.
function limited<State extends Failures>(rules: GuardRules, state: State, nowMs: number): State {
  if (rules.maxFailures === 0) return state;
  const total = clampToClock(totalBudget(rules), state, nowMs);
  const sources = state.sources.map((source) => limitedSource(rules, source, nowMs));
  const isSame = total === state && sources.every((source, i) => source === state.sources[i]);
  return isSame ? state : { ...state, ...total, sources };
}

function limitedSource(rules: GuardRules, source: SourceState, nowMs: number): SourceState {
  const spending = clampToClock(sourceBudget(rules), source, nowMs);
  const knownUntilMs = isKnown(source, nowMs) ? Math.min(source.knownUntilMs, nowMs + KNOWN_MS) : 0;
  if (spending === source && knownUntilMs === source.knownUntilMs) return source;
  return { ...source, ...spending, knownUntilMs };
}

/** Returns the number of wrong pins still in the debt of a secret, rounded up. */
export function pinsOwed(rules: GuardRules, state: GuardState, nowMs: number): number {
  const { refillMs } = totalBudget(rules);
  return rules.maxFailures === 0 ? 0 : Math.ceil(debtMs(state, nowMs) / refillMs);
}

/** Store of the guard: keeps the states of secrets and applies the rules to them. */
export interface GuardStore {
  /** Decides about a pin, atomically among the decisions about its secret. It never rejects. */
  readonly decide: (fingerprint: string, pin: CheckedPin) => Verdict | Promise<Verdict>;
  /**
   * The time for which pins of a source are throttled, in milliseconds, as far as this process
   * remembers: no round trip. Of a shared store, as of its last refusal.
   */
  readonly throttledMs: (fingerprint: string, source: string | undefined) => number;
  /**
   * Ends the throttle of a secret; a used code stays used. The result is whether anything was
   * remembered of the secret.
   *
   * @throws {Error} When a shared store does not do it.
   */
  readonly unlock: (fingerprint: string) => boolean | Promise<boolean>;
}

/** Operator's view of a store in memory. */
export interface MemoryStoreAdmin {
  /** Returns the number of remembered secrets with wrong pins. */
  readonly size: () => number;
  /** Returns the number of secrets throttled now. */
  readonly throttled: () => number;
}

/** View of a shared store, beside its decisions. */
export interface SharedStore {
  /** Resolves after the first attempt to reach the store. */
  readonly ready: Promise<void>;
  /** Whether the store answers; undefined until it has answered once. */
  readonly isHealthy: () => boolean | undefined;
  /** Clauses about the servers of a Cluster that fail while others answer. */
  readonly failing: () => readonly string[];
  /** The time by which this server's clock is ahead of the store's; undefined if unknown. */
  readonly aheadMs: () => number | undefined;
  /** Clauses about the store and its servers, by the name of the store. */
  readonly problems: (store: string) => readonly string[];
  /** Closes connections and timers. */
  readonly close: () => void;
}

/** Guard of secrets: a store, and the functions that name secrets and sources in it. */
export interface Guard {
  /** Computes the fingerprint of a secret, from which the secret cannot be recovered. */
  readonly fingerprint: (key: Uint8Array) => string;
  /** Computes the name of a source of a secret, from which the source cannot be recovered. */
  readonly source: (fingerprint: string, text: string) => string;
  /** The store of the states. */
  readonly store: GuardStore;
  /** Operator's view of the store in memory; undefined for a shared store. */
  readonly memory?: MemoryStoreAdmin | undefined;
  /** View of the shared store; undefined for a store in memory. */
  readonly shared?: SharedStore | undefined;
}
