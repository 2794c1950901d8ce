/**
 * The guard of secrets against guessing and reuse: its rules as a pure function of what is
 * remembered of a secret, what a pin turned out to be, and the time. A store keeps what is
 * remembered and applies the rules to it in one step.
 *
 * @module
 */

import {
  type Budget,
  budgetRefusedMs,
  clampToClock,
  debtMs,
  giveBack,
  NOTHING_SPENT,
  spend,
  type Spending,
} from "./budget.ts";
import { isKnown, KNOWN_MS, sourceNamed, type SourceState, withSource } from "./sources.ts";

/**
 * What becomes of a pin: `throttled`, it came while pins for its secret are refused; `replayed`, it
 * is right and was used before; `unavailable`, the store cannot tell.
 */
export type Verdict = "accepted" | "wrong" | "throttled" | "replayed" | "unavailable";

/** A verdict that needs no look at the pin. */
export type Refusal = "throttled" | "unavailable";

/** What the rules depend on. */
export interface GuardRules {
  /** Wrong pins that are looked at before there are waits; 0 for never a wait. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only (RFC 6238 §5.2). */
  readonly singleUse: boolean;
  /** How long a used time step is remembered, in milliseconds. */
  readonly forgetUseMs: number;
}

/** What is remembered of a secret. */
export interface GuardState extends Spending {
  /** The latest time step whose code was accepted; -1 when there is none. */
  readonly usedStep: number;
  /** Those who asked, as far as their calls said who they are. */
  readonly sources: readonly SourceState[];
}

/** What a decision is about. */
export interface CheckedPin {
  /** The time step whose code the pin is; undefined when it is none. */
  readonly matchedStep: number | undefined;
  /** The name of who asks; undefined where that is not known. */
  readonly source?: string | undefined;
}

/** What follows from a pin. */
export interface Decision {
  /** What becomes of the pin. */
  readonly verdict: Exclude<Verdict, "unavailable">;
  /** What is to be remembered from now on; undefined for nothing. */
  readonly state: GuardState | undefined;
  /** For how long, in milliseconds, when the state is another than before. */
  readonly keepMs: number;
  /** For how long pins of this source are refused from now on, in milliseconds. */
  readonly refusedMs: number;
}

/** The time in which a look at a wrong pin comes back, for a secret. */
const REFILL_MS = 3_600_000;

/**
 * The rules that follow from the options.
 *
 * @param options `window` and `period` as in RFC 6238 §5.2: a code is right for 2 × window + 1 time
 * steps of so many seconds.
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

/** Whether rules accept every right pin, so that nothing needs to be remembered. */
export function refusesNothing(
  { maxFailures, singleUse }: Pick<GuardRules, "maxFailures" | "singleUse">,
): boolean {
  return maxFailures === 0 && !singleUse;
}

/** The budget of a secret. */
export function totalBudget({ maxFailures }: GuardRules): Budget {
  return { looks: maxFailures, refillMs: REFILL_MS };
}

/** What of it sources may spend that are not known: a fifth is kept for those that are. */
export function unknownSourcesBudget({ maxFailures }: GuardRules): Budget {
  return { looks: Math.max(1, maxFailures - Math.ceil(maxFailures / 5)), refillMs: REFILL_MS };
}

/** The budget of each source of a secret: half as many looks, which come back half as fast. */
export function sourceBudget({ maxFailures }: GuardRules): Budget {
  return { looks: Math.ceil(maxFailures / 2), refillMs: 2 * REFILL_MS };
}

/**
 * For how long pins of a source are still refused, in milliseconds; 0 when they are looked at.
 *
 * @param source Its name; undefined for calls that do not say who asks.
 */
export function refusedMs(
  rules: GuardRules,
  state: GuardState,
  source: string | undefined,
  nowMs: number,
): number {
  return refusedBy(rules, settled(rules, state, nowMs), source, nowMs);
}

/** For how long pins of a secret are still refused, in milliseconds. */
export interface Refusals {
  /** To everybody who asks; 0 when pins of somebody are looked at. */
  readonly toAllMs: number;
  /** To the one for whom it takes the longest; 0 when all pins are looked at. */
  readonly toSomeMs: number;
}

/** For how long pins of a secret are still refused, whoever asks. */
export function refusalsOf(rules: GuardRules, state: GuardState, nowMs: number): Refusals {
  const now = settled(rules, state, nowMs);
  const sources = [undefined, ...now.sources.map(({ id }) => id)];
  const waits = sources.map((source) => refusedBy(rules, now, source, nowMs));
  return { toAllMs: Math.min(...waits), toSomeMs: Math.max(...waits) };
}

function refusedBy(
  rules: GuardRules,
  state: GuardState,
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
    budgetRefusedMs(total, state, nowMs),
    own === undefined ? 0 : budgetRefusedMs(sourceBudget(rules), own, nowMs),
  );
}

/** What is remembered of a secret without wrong pins, used codes and known sources. */
export const NOTHING: GuardState = { ...NOTHING_SPENT, usedStep: -1, sources: [] };

/**
 * Decides about a pin.
 *
 * A pin is looked at when the budgets of the secret and of the source both allow it. A wrong one
 * takes a look from both; a right one takes nothing and gives nothing back, so whoever guesses gains
 * nothing by the logins of somebody else. What is refused takes nothing either: a throttled pin was
 * not looked at, and a replayed one says nothing about guessing, since whoever sent it knew a code.
 *
 * A model of what the script does in a shared store, and of a pin that is alone in memory: tests and
 * simulations hold both to it.
 *
 * @param state What is remembered of the secret; undefined for nothing.
 * @param nowMs The time in milliseconds since any fixed moment, the same for all calls.
 */
export function decide(
  rules: GuardRules,
  state: GuardState | undefined,
  { matchedStep, source }: CheckedPin,
  nowMs: number,
): Decision {
  const before = settled(rules, state ?? NOTHING, nowMs);
  const leftMs = refusedBy(rules, before, source, nowMs);
  const after = (verdict: Decision["verdict"], kept: GuardState): Decision => {
    const keepMs = keepMsOf(rules, kept, nowMs);
    const refusedMs = verdict === "wrong" ? refusedBy(rules, kept, source, nowMs) : leftMs;
    return { verdict, state: keepMs > 0 ? kept : undefined, keepMs, refusedMs };
  };
  if (leftMs > 0) return after("throttled", before);
  if (matchedStep === undefined) return after("wrong", failed(rules, before, source, nowMs));
  if (rules.singleUse && matchedStep <= before.usedStep) return after("replayed", before);
  return after("accepted", succeeded(rules, before, { matchedStep, source }, nowMs));
}

/** The state once a look at a pin is taken from the budgets of its secret and its source. */
export function withLook(
  rules: GuardRules,
  state: GuardState,
  source: string | undefined,
  nowMs: number,
): GuardState {
  return failed(rules, settled(rules, state, nowMs), source, nowMs);
}

/** A look at a pin: what was remembered before it was taken, and right after. */
export interface Look {
  /** The state before. */
  readonly before: GuardState;
  /** The state right after. */
  readonly after: GuardState;
  /** The name of the source; undefined where it is not known. */
  readonly source: string | undefined;
}

/** The state once a look is given back to the budgets that it came from. */
export function withoutLook(
  rules: GuardRules,
  state: GuardState,
  { before, after, source }: Look,
  nowMs: number,
): GuardState {
  if (rules.maxFailures === 0) return state;
  const total = giveBack(totalBudget(rules), state, before, after);
  if (source === undefined) return { ...state, ...total };
  const [own, ownBefore, ownAfter] = [state, before, after].map(({ sources }) =>
    sourceNamed(sources, source)
  );
  const spent = { ...own!, ...giveBack(sourceBudget(rules), own!, ownBefore!, ownAfter!) };
  return { ...state, ...total, sources: withSource(state.sources, spent, nowMs) };
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

/** The state once a right pin was accepted. */
export function succeeded(
  rules: GuardRules,
  before: GuardState,
  { matchedStep, source }: CheckedPin & { readonly matchedStep: number },
  nowMs: number,
): GuardState {
  const after = rules.singleUse ? { ...before, usedStep: matchedStep } : before;
  if (source === undefined || rules.maxFailures === 0) return after;
  const own = { ...sourceNamed(before.sources, source), knownUntilMs: nowMs + KNOWN_MS };
  return { ...after, sources: withSource(before.sources, own, nowMs) };
}

// The state by the clock as it is now; itself where nothing changes.
function settled(rules: GuardRules, state: GuardState, nowMs: number): GuardState {
  if (rules.maxFailures === 0) return state;
  const total = clampToClock(totalBudget(rules), state, nowMs);
  const sources = state.sources.map((source) => settledSource(rules, source, nowMs));
  const isSame = total === state && sources.every((source, i) => source === state.sources[i]);
  return isSame ? state : { ...state, ...total, sources };
}

function settledSource(rules: GuardRules, source: SourceState, nowMs: number): SourceState {
  const spending = clampToClock(sourceBudget(rules), source, nowMs);
  const knownUntilMs = Math.min(source.knownUntilMs, nowMs + KNOWN_MS);
  if (spending === source && knownUntilMs === source.knownUntilMs) return source;
  return { ...source, ...spending, knownUntilMs };
}

/** For how long a state is worth remembering, in milliseconds; 0 when it is not. */
export function keepMsOf(rules: GuardRules, state: GuardState, nowMs: number): number {
  return Math.max(
    debtMs(state, nowMs),
    state.usedStep >= 0 ? rules.forgetUseMs : 0,
    ...state.sources.map((source) => Math.max(debtMs(source, nowMs), source.knownUntilMs - nowMs)),
  );
}

/** How many wrong pins of a secret have not come back yet; a part of one counts as one. */
export function pinsOwed(rules: GuardRules, state: GuardState, nowMs: number): number {
  const { refillMs } = totalBudget(rules);
  return rules.maxFailures === 0 ? 0 : Math.ceil(debtMs(state, nowMs) / refillMs);
}

/** An admitted pin, of which the computation may begin. */
export interface Admission {
  /**
   * Whether the pin has its look already, so that the order in which pins are decided tells nothing.
   * Otherwise every time step is computed before it is settled.
   */
  readonly hasLook: boolean;
  /**
   * Decides about the pin in one step that no other decision about the secret comes between. It never
   * rejects.
   *
   * @param matchedStep The time step whose code the pin is; undefined when it is none.
   */
  readonly settle: (matchedStep: number | undefined) => Verdict | Promise<Verdict>;
  /** Gives the look back, since the pin could not be computed. */
  readonly cancel: () => void;
}

/** Keeps what is remembered of secrets, and applies the rules to it. */
export interface GuardStore {
  /**
   * Admits a pin to be computed, or refuses it without a look.
   *
   * @param source The name of the source; undefined where it is not known.
   */
  readonly admit: (fingerprint: string, source?: string) => Admission | Refusal;
  /** Whether the store answers; undefined until it has answered once. */
  readonly isHealthy: () => boolean | undefined;
  /** Closes connections and timers. */
  readonly close: () => void;
}

/** The memory of one process, for its operator. */
export interface MemoryStoreAdmin {
  /** The number of secrets with wrong pins that are remembered. */
  readonly size: () => number;
  /** The number of secrets whose pins are refused now. */
  readonly throttled: () => number;
  /** Ends the throttle of a secret. */
  readonly unlock: (fingerprint: string) => void;
}

/** What checks pins: a store, and the names of secrets and sources in it. */
export interface Guard {
  /** The name of a key in the store, from which the key cannot be found. */
  readonly fingerprint: (key: Uint8Array) => string;
  /** The name of a source among those of a secret, from which nobody can tell who it is. */
  readonly source: (fingerprint: string, text: string) => string;
  /** What is remembered. */
  readonly store: GuardStore;
  /** Resolves once it is known whether the store can be used; undefined where nothing is in doubt. */
  readonly ready?: Promise<void>;
  /** The same, where this process remembers it by itself; undefined where others share it. */
  readonly memory?: MemoryStoreAdmin | undefined;
}
