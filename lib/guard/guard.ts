/**
 * The guard of secrets against guessing and reuse: its rules as a pure function of what is
 * remembered of a secret, what a pin turned out to be, and the time. A store keeps what is
 * remembered and applies the rules to it in one step.
 *
 * @module
 */

/**
 * What becomes of a pin: `throttled`, it came while pins for its secret are refused; `replayed`, it
 * is right and was used before; `unavailable`, the store cannot tell.
 */
export type Verdict = "accepted" | "wrong" | "throttled" | "replayed" | "unavailable";

/** A verdict that needs no look at the pin. */
export type Refusal = "throttled" | "unavailable";

/** What the rules depend on. */
export interface GuardRules {
  /** Consecutive failures before pins are refused for a while; 0 for never. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only (RFC 6238 §5.2). */
  readonly singleUse: boolean;
  /** How long failures are remembered after the last of them, in milliseconds. */
  readonly forgetFailuresMs: number;
  /** How long a used time step is remembered, in milliseconds. */
  readonly forgetUseMs: number;
}

/** What is remembered of a secret. */
export interface GuardState {
  /** Failures since the last success. */
  readonly failures: number;
  /** Until when pins are refused; 0 when they are not. */
  readonly refusedUntilMs: number;
  /** The latest time step whose code was accepted; -1 when there is none. */
  readonly usedStep: number;
}

/** What follows from a pin. */
export interface Decision {
  /** What becomes of the pin. */
  readonly verdict: Exclude<Verdict, "unavailable">;
  /** What is to be remembered from now on; undefined for nothing. */
  readonly state: GuardState | undefined;
  /** For how long, in milliseconds, when the state is another than before. */
  readonly keepMs: number;
  /** For how long pins are refused from now on, in milliseconds. */
  readonly refusedMs: number;
}

/** The wait after as many consecutive failures as are allowed. */
export const FIRST_WAIT_MS = 30_000;

/** The wait that no further failure makes longer. */
export const LONGEST_WAIT_MS = 3_600_000;

/** Failures after the first wait until a wait is the longest. */
const DOUBLINGS = Math.ceil(Math.log2(LONGEST_WAIT_MS / FIRST_WAIT_MS));

/** How far the clock may be set back without a used code being accepted again. */
const CLOCK_JUMP_MS = 3_600_000;

/**
 * The rules that follow from the options.
 *
 * Failures are forgotten after an hour for each guess that forgetting gives back: as many as come
 * before the first wait and while the waits still grow. So a guesser who holds still until they are
 * forgotten gets no more guesses than one who takes each as it is allowed.
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
    forgetFailuresMs: (maxFailures + DOUBLINGS) * LONGEST_WAIT_MS,
    forgetUseMs: (2 * window + 2) * period * 1000 + CLOCK_JUMP_MS,
  };
}

/** How long pins are refused after so many consecutive failures, in milliseconds. */
export function waitMs({ maxFailures }: GuardRules, failures: number): number {
  if (maxFailures === 0 || failures < maxFailures) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - maxFailures), LONGEST_WAIT_MS);
}

/**
 * How long pins are still refused, in milliseconds; 0 when they are not. Never longer than the wait
 * that the failures earned: a clock that was set back must not make an hour two.
 */
export function refusedMs(rules: GuardRules, state: GuardState, nowMs: number): number {
  return Math.max(
    0,
    Math.min(state.refusedUntilMs - nowMs, waitMs(rules, state.failures)),
  );
}

const NOTHING: GuardState = { failures: 0, refusedUntilMs: 0, usedStep: -1 };

/**
 * Decides about a pin.
 *
 * What is refused counts neither as a failure nor as a success: a throttled pin was not looked at,
 * and a replayed one says nothing about guessing, since whoever sent it knew a code.
 *
 * @param state What is remembered of the secret; undefined for nothing.
 * @param matchedStep The time step whose code the pin is; undefined when it is none.
 * @param nowMs The time in milliseconds since any fixed moment, the same for all calls.
 */
export function decide(
  rules: GuardRules,
  state: GuardState | undefined,
  matchedStep: number | undefined,
  nowMs: number,
): Decision {
  const before = state ?? NOTHING;
  const leftMs = refusedMs(rules, before, nowMs);
  if (leftMs > 0) {
    const refusedUntilMs = nowMs + leftMs;
    const after = refusedUntilMs === before.refusedUntilMs ? before : { ...before, refusedUntilMs };
    return { verdict: "throttled", state: after, keepMs: keepMs(rules, after), refusedMs: leftMs };
  }
  if (matchedStep === undefined) return failed(rules, before, nowMs);
  if (rules.singleUse && matchedStep <= before.usedStep) {
    return { verdict: "replayed", state, keepMs: keepMs(rules, before), refusedMs: 0 };
  }
  const after = rules.singleUse ? { ...NOTHING, usedStep: matchedStep } : undefined;
  return { verdict: "accepted", state: after, keepMs: rules.forgetUseMs, refusedMs: 0 };
}

function failed(rules: GuardRules, before: GuardState, nowMs: number): Decision {
  if (rules.maxFailures === 0) {
    const state = before === NOTHING ? undefined : before;
    return { verdict: "wrong", state, keepMs: keepMs(rules, before), refusedMs: 0 };
  }
  const failures = before.failures + 1;
  const wait = waitMs(rules, failures);
  const state = { ...before, failures, refusedUntilMs: wait === 0 ? 0 : nowMs + wait };
  return { verdict: "wrong", state, keepMs: keepMs(rules, state), refusedMs: wait };
}

function keepMs(rules: GuardRules, { failures, usedStep }: GuardState): number {
  return Math.max(
    failures > 0 ? rules.forgetFailuresMs : 0,
    usedStep >= 0 ? rules.forgetUseMs : 0,
  );
}

/** Keeps what is remembered of secrets, and applies the rules to it. */
export interface GuardStore {
  /**
   * The refusal that is due whatever the pin is; undefined when the pin is to be looked at.
   *
   * It is asked first, so that nothing is computed from a pin that is refused without being looked
   * at. That it says undefined promises nothing: `decide` has the word.
   */
  readonly refusal: (fingerprint: string) => Refusal | undefined;
  /**
   * Decides about a pin in one step that no other decision about the secret comes between.
   *
   * It never rejects.
   *
   * @param matchedStep The time step whose code the pin is; undefined when it is none.
   */
  readonly decide: (
    fingerprint: string,
    matchedStep: number | undefined,
  ) => Verdict | Promise<Verdict>;
  /** Whether it can tell anything but `unavailable`. */
  readonly isHealthy: () => boolean;
  /** Gives back what it holds of the system. */
  readonly close: () => void;
}

/** What checks pins: a store, and the names of secrets in it. */
export interface Guard {
  /** The name of a key in the store, from which the key cannot be found. */
  readonly fingerprint: (key: Uint8Array) => string;
  /** What is remembered. */
  readonly store: GuardStore;
}
