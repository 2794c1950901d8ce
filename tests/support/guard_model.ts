/**
 * A secret between decisions, as a store keeps it: the guard's own decision, and how long its state is
 * kept. The script in Redis has the same rules in another language; tests compare the two.
 *
 * @module
 */

import { debtMs } from "../../lib/guard/budget.ts";
import {
  type CheckedPin,
  decide,
  type Decision,
  type GuardRules,
  type GuardState,
  INITIAL_STATE,
  refusedMs,
} from "../../lib/guard/guard.ts";

/** Decision about a pin, with all that a store does about it. */
export interface KeptDecision extends Pick<Decision, "verdict"> {
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
 */
export function decideByRules(
  rules: GuardRules,
  state: GuardState | undefined,
  pin: CheckedPin,
  nowMs: number,
): KeptDecision {
  const { verdict, state: after } = decide(rules, state ?? INITIAL_STATE, pin, nowMs);
  const isRefused = verdict === "throttled" || verdict === "wrong";
  const keepMs = Math.max(
    debtMs(after, nowMs),
    after.usedStep >= 0 ? rules.forgetUseMs : 0,
    ...after.sources.map((own) => Math.max(debtMs(own, nowMs), own.knownUntilMs - nowMs)),
  );
  return {
    verdict,
    state: keepMs > 0 ? after : undefined,
    keepMs,
    refusedMs: isRefused ? refusedMs(rules, after, pin.source, nowMs) : 0,
  };
}
