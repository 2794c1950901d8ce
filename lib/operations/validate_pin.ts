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
import type { CallFacts } from "./facts.ts";
import { secretBytes } from "./secret_code.ts";

/** Arguments of ValidatePin. */
export interface ValidatePinArguments {
  /** The code as typed. */
  readonly pin: string;
  /** The shared secret. */
  readonly secretCode: string;
}

/** Context of ValidatePin. */
export type ValidatePinContext =
  & Pick<CallContext, "otp" | "secretEncoding" | "now">
  & Partial<Pick<CallContext, "guard" | "source">>;

/** Result of ValidatePin, with facts for the operator. */
export interface CheckedCall {
  /** Whether the pin is right and accepted. */
  readonly result: boolean;
  /** Facts for log and metrics. */
  readonly facts?: CallFacts | undefined;
}

/**
 * Checks whether a pin is the code of a time step in the window around now, and the guard accepts
 * it.
 *
 * Blanks, tabs and line ends are dropped first, since apps show `123 456`. Any other pin than the
 * ASCII digits of a code is wrong, not an error. An empty pin is no guess and bypasses the guard.
 *
 * The guard decides about each pin, so concurrent pins reveal no more than its budget allows.
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
  const sourceName = source === undefined ? undefined : guard?.source(fingerprint, source);
  const admission = guard?.store.admit(fingerprint, sourceName);
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
  // A store can refuse a right pin; no reply of a store makes a wrong pin right.
  if (verdict === "accepted" && distance !== undefined) {
    return { result: true, facts: { distance } };
  }
  const reason = pinFlaw(code, otp.digits) ?? secretFlaw(secretCode);
  if (guard === undefined && reason === undefined) return { result: false };
  const facts = {
    ...(guard && { secret: shortName(fingerprint) }),
    ...(verdict !== "accepted" && verdict !== "wrong" && { outcome: verdict }),
    ...(reason && { reason }),
  };
  return { result: false, facts };
}

/** Returns a sentence about a pin that cannot be a code; undefined for one that can. */
function pinFlaw(code: string, digits: number): string | undefined {
  if (!/^[0-9]+$/.test(code)) return "The pin has characters other than digits.";
  if (code.length === digits) return undefined;
  const hint = code.length < digits ? " A number loses its leading zeros: send text." : "";
  const length = code.length === 1 ? "1 digit" : `${code.length} digits`;
  return `The pin has ${length}, not ${digits}.${hint}`;
}

/** Returns a sentence about a secret that was probably not meant so; undefined for any other. */
function secretFlaw(secretCode: string): string | undefined {
  return /^\s|\s$/.test(secretCode) ? "The secret begins or ends with white space." : undefined;
}

const NO_GUARD: Admission = {
  isCharged: true,
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
    // Most pins are codes of the current step: checking it first saves two thirds of the work. A
    // right pin that is refused takes as long as a wrong one.
    if (admission.isCharged && await matchesCurrentStep(key, check)) {
      const verdict = await settle(0);
      if (verdict !== "accepted") await matchTimeStep(key, { ...check, nearest: 1 });
      return { verdict, distance: 0 };
    }
    const distance = await matchTimeStep(key, { ...check, nearest: admission.isCharged ? 1 : 0 });
    return { verdict: await settle(distance), distance };
  } finally {
    if (!isSettled) admission.cancel();
  }
}
