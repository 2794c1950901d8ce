/**
 * The operation ValidatePin.
 *
 * @module
 */

import { shortName } from "../guard/fingerprint.ts";
import type { Admission, Verdict } from "../guard/guard.ts";
import {
  importOtpKey,
  matchesCurrentStep,
  matchTimeStep,
  type OtpAlgorithm,
  timeStep,
  type TotpCheck,
} from "../otp/totp.ts";
import type { CallContext } from "./context.ts";
import type { Facts } from "./facts.ts";
import { secretBytes } from "./secret_code.ts";

/** The arguments of ValidatePin. */
export interface ValidatePinArguments {
  /** The code as it was typed. */
  readonly pin: string;
  /** The shared secret. */
  readonly secretCode: string;
}

/** What the operation needs to know. */
export type ValidatePinContext =
  & Pick<CallContext, "otp" | "secretEncoding" | "now">
  & Partial<Pick<CallContext, "guard" | "source">>;

/** The result of the operation, with facts for the operator. */
export interface CheckedCall {
  /** Whether the pin is right and accepted. */
  readonly result: boolean;
  /** Facts for log and metrics. */
  readonly facts?: Facts | undefined;
}

/**
 * Tells whether a pin is the code of a time step in the window around now, and may be accepted.
 *
 * Blanks, tabs and line ends are dropped first, since apps show `123 456`; nothing else is. A pin
 * that is then not exactly the ASCII digits of a code is wrong, not an error. An empty one is no guess,
 * so the guard is not asked about it.
 *
 * However many pins are sent at once, no more of them are told apart than the guard admits.
 *
 * @throws {Fault} When the secretCode gives no key.
 */
export async function validatePin(
  { pin, secretCode }: ValidatePinArguments,
  { otp, secretEncoding, now, guard, source }: ValidatePinContext,
): Promise<CheckedCall> {
  const secret = secretBytes(secretCode, secretEncoding);
  const fingerprint = guard?.fingerprint(secret) ?? "";
  const code = pin.replace(/[ \t\r\n]/g, "");
  if (code === "") {
    const secret = guard && { secret: shortName(fingerprint) };
    return { result: false, facts: { ...secret, outcome: "empty" } };
  }
  const asker = source === undefined ? undefined : guard?.source(fingerprint, source);
  const admission = guard?.store.admit(fingerprint, asker);
  if (typeof admission === "string") {
    return { result: false, facts: { secret: shortName(fingerprint), outcome: admission } };
  }
  const check = {
    code,
    step: timeStep(now(), otp.period),
    window: otp.window,
    digits: otp.digits,
  };
  const { verdict, distance } = await judge(secret, otp.algorithm, check, admission ?? NO_GUARD);
  // A store can refuse a right pin. It cannot make a wrong one right, whatever it answers.
  if (verdict === "accepted" && distance !== undefined) {
    return { result: true, facts: { distance } };
  }
  if (guard === undefined) return { result: false };
  const outcome = verdict !== "accepted" && verdict !== "wrong" ? { outcome: verdict } : {};
  return { result: false, facts: { secret: shortName(fingerprint), ...outcome } };
}

const NO_GUARD: Admission = {
  hasLook: true,
  settle: (matchedStep) => matchedStep === undefined ? "wrong" : "accepted",
  cancel: () => {},
};

interface Judged {
  readonly verdict: Verdict;
  readonly distance: number | undefined;
}

async function judge(
  secret: Uint8Array<ArrayBuffer>,
  algorithm: OtpAlgorithm,
  check: TotpCheck,
  admission: Admission,
): Promise<Judged> {
  let isSettled = false;
  const settle = (distance: number | undefined): Verdict | Promise<Verdict> => {
    isSettled = true;
    return admission.settle(distance === undefined ? undefined : check.step + distance);
  };
  try {
    const key = await importOtpKey(secret, algorithm);
    // Most pins are those of the current step: a third of the work tells. A pin that is right and not
    // accepted takes as long as a wrong one.
    if (admission.hasLook && await matchesCurrentStep(key, check)) {
      const verdict = await settle(0);
      if (verdict !== "accepted") await matchTimeStep(key, { ...check, nearest: 1 });
      return { verdict, distance: 0 };
    }
    const distance = await matchTimeStep(key, { ...check, nearest: admission.hasLook ? 1 : 0 });
    return { verdict: await settle(distance), distance };
  } finally {
    if (!isSettled) admission.cancel();
  }
}
