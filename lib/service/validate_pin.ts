/**
 * The operation ValidatePin.
 *
 * @module
 */

import { importOtpKey, matchTimeStep, timeStep } from "../otp/totp.ts";
import type { CallContext } from "./context.ts";
import { keyOf } from "./key.ts";

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
  & Partial<Pick<CallContext, "guard" | "source" | "report">>;

/**
 * Tells whether a pin is the code of a time step in the window around now, and may be accepted.
 *
 * Blanks, tabs and line ends are dropped first, since apps show `123 456`; nothing else is. A pin
 * that is then not exactly the ASCII digits of a code is wrong, not an error.
 *
 * However many pins are sent at once, each decision of the guard is one step of its store, so no
 * more of them are told apart than the guard lets through.
 *
 * @throws {Fault} When the secretCode gives no key.
 */
export async function validatePin(
  { pin, secretCode }: ValidatePinArguments,
  { otp, secretEncoding, now, guard, source, report }: ValidatePinContext,
): Promise<boolean> {
  const secret = keyOf(secretCode, secretEncoding);
  const fingerprint = guard?.fingerprint(secret) ?? "";
  const asker = source === undefined ? undefined : guard?.source(fingerprint, source);
  const refusal = guard?.store.refusal(fingerprint, asker);
  if (refusal !== undefined) {
    report?.({ outcome: refusal });
    return false;
  }
  const code = pin.replace(/[ \t\r\n]/g, "");
  const { window, digits } = otp;
  const step = timeStep(now(), otp.period);
  const key = await importOtpKey(secret, otp.algorithm);
  const distance = await matchTimeStep(key, { code, step, window, digits });
  const matchedStep = distance === undefined ? undefined : step + distance;
  const unguarded = matchedStep === undefined ? "wrong" : "accepted";
  const verdict = guard ? await guard.store.decide(fingerprint, matchedStep, asker) : unguarded;
  // A store can refuse a right pin. It cannot make a wrong one right, whatever it answers.
  if (verdict === "accepted" && distance !== undefined) {
    report?.({ distance });
    return true;
  }
  if (verdict !== "accepted" && verdict !== "wrong") report?.({ outcome: verdict });
  return false;
}
