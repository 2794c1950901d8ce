/**
 * Result of a check of a pin, for the program around the library.
 *
 * @module
 */

import type { Completed, Refused } from "../operations/facts.ts";

/**
 * Result of a check of a pin. The outcomes but `accepted` and `wrong`, `true` and `false` there, are
 * named as in the log. A refusal is the same for a right and a wrong pin.
 */
export type PinCheck =
  | {
    /** Whether the pin is right and accepted. */
    readonly isRight: true;
    /** The outcome. */
    readonly outcome: "accepted";
    /** Distance of the pin's time step from the current one: that of the user's clock. */
    readonly distance: number;
  }
  | {
    /** Whether the pin is right and accepted. */
    readonly isRight: false;
    /** The pin is no code of the window. */
    readonly outcome: "wrong";
    /** Sentence about a pin or a secret that was probably not meant so. */
    readonly reason?: string;
  }
  | {
    /** Whether the pin is right and accepted. */
    readonly isRight: false;
    /** The pin was not checked: there were too many wrong ones for the secret. */
    readonly outcome: "throttled";
    /** Time until a pin is checked again, in milliseconds; an estimate where a store is shared. */
    readonly retryAfterMs: number;
  }
  | {
    /** Whether the pin is right and accepted. */
    readonly isRight: false;
    /**
     * `replayed`: the code was already used. `unavailable`: the store gave no decision. `empty`: the
     * pin is empty. `internal`: WebCrypto does not confirm the pin, which the log says.
     */
    readonly outcome: Exclude<Refused, "throttled"> | "internal";
  };

/** Returns the result of a completed check of a pin. */
export function pinCheckOf({ result, facts = {} }: Completed<boolean>): PinCheck {
  const { outcome = "wrong", distance = 0, reason, retryAfterMs = 0 } = facts;
  if (result) return Object.freeze({ isRight: true, outcome: "accepted", distance });
  const isRight = false;
  if (outcome === "wrong") return Object.freeze({ isRight, outcome, ...(reason && { reason }) });
  if (outcome === "throttled") return Object.freeze({ isRight, outcome, retryAfterMs });
  return Object.freeze({ isRight, outcome });
}
