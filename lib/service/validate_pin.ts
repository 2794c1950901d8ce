/**
 * The operation ValidatePin.
 *
 * @module
 */

import { shortName } from "../guard/fingerprint.ts";
import type { Verdict } from "../guard/guard.ts";
import type { Look } from "../guard/looks.ts";
import {
  importOtpKey,
  matchesCurrentStep,
  matchTimeStep,
  timeStep,
  type TotpCheck,
} from "../otp/totp.ts";
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
 * that is then not exactly the ASCII digits of a code is wrong, not an error. An empty one is no guess,
 * so the guard is not asked about it.
 *
 * However many pins are sent at once, each decision of the guard is one step of its store, and which
 * pin is decided first does not depend on which is right, so no more of them are told apart than the
 * guard lets through.
 *
 * @throws {Fault} When the secretCode gives no key.
 */
export async function validatePin(
  { pin, secretCode }: ValidatePinArguments,
  { otp, secretEncoding, now, guard, source, report }: ValidatePinContext,
): Promise<boolean> {
  const secret = keyOf(secretCode, secretEncoding);
  const fingerprint = guard?.fingerprint(secret) ?? "";
  const code = pin.replace(/[ \t\r\n]/g, "");
  if (code === "") {
    report?.({ ...(guard && { secret: shortName(fingerprint) }), outcome: "empty" });
    return false;
  }
  const asker = source === undefined ? undefined : guard?.source(fingerprint, source);
  const refusal = guard?.store.refusal(fingerprint, asker);
  if (refusal !== undefined) {
    report?.({ secret: shortName(fingerprint), outcome: refusal });
    return false;
  }
  const check = {
    code,
    step: timeStep(now(), otp.period),
    window: otp.window,
    digits: otp.digits,
  };
  const key = await importOtpKey(secret, otp.algorithm);
  const decide: Decide = (distance) => {
    const matchedStep = distance === undefined ? undefined : check.step + distance;
    if (guard !== undefined) return guard.store.decide(fingerprint, matchedStep, asker);
    return matchedStep === undefined ? "wrong" : "accepted";
  };
  const { verdict, distance } = await judge(key, check, decide, guard?.store.begin(fingerprint));
  // A store can refuse a right pin. It cannot make a wrong one right, whatever it answers.
  if (verdict === "accepted" && distance !== undefined) {
    report?.({ distance });
    return true;
  }
  if (guard !== undefined) {
    const isRefused = verdict !== "accepted" && verdict !== "wrong";
    report?.({ secret: shortName(fingerprint), ...(isRefused && { outcome: verdict }) });
  }
  return false;
}

type Decide = (distance: number | undefined) => Verdict | Promise<Verdict>;

interface Judged {
  readonly verdict: Verdict;
  readonly distance: number | undefined;
}

async function judge(
  key: CryptoKey,
  check: TotpCheck,
  decide: Decide,
  look: Look | undefined,
): Promise<Judged> {
  try {
    if (look === undefined || look.mayBeEarly) {
      return await lookAtCurrentStepFirst(key, check, decide);
    }
    const distance = await matchTimeStep(key, check);
    await look.turn;
    return { verdict: await decide(distance), distance };
  } finally {
    look?.end();
  }
}

// Most pins are right, and of the current step: to find that out takes a third of the work. Nothing is
// told by the time that this saves, since it is saved for an answer alone that says as much itself:
// nothing is remembered of the secret and no other pin of it is being looked at, so nothing holds the
// answer back, and no pin that came before is passed. Should a store hold it back nevertheless, the
// other steps are computed as they are for a wrong pin.
async function lookAtCurrentStepFirst(
  key: CryptoKey,
  check: TotpCheck,
  decide: Decide,
): Promise<Judged> {
  const isCurrent = await matchesCurrentStep(key, check);
  const early = isCurrent ? await decide(0) : undefined;
  if (early === "accepted") return { verdict: early, distance: 0 };
  const distance = await matchTimeStep(key, { ...check, nearest: 1 });
  return early === undefined
    ? { verdict: await decide(distance), distance }
    : { verdict: early, distance: 0 };
}
