/**
 * The operation ValidatePin.
 *
 * @module
 */

import { shortName } from "../guard/fingerprint.ts";
import type { CheckedPin, Verdict } from "../guard/guard.ts";
import { FINDERS, isCodeOf } from "../otp/finder.ts";
import type { SecretEncoding } from "../otp/secret.ts";
import { timeStep, type TotpParameters } from "../otp/totp.ts";
import type { CallContext } from "./context.ts";
import type { Completed, Refused } from "./facts.ts";
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
  & Pick<CallContext, keyof TotpParameters | "window" | "secretEncoding" | "now">
  & Partial<
    Pick<CallContext, "find" | "pinGuard" | "source" | "log" | "selfCheck" | "unconfirmed">
  >;

/**
 * Checks whether a pin is the code of a time step in the window around now, and the guard accepts
 * it.
 *
 * Blanks, tabs and line ends are dropped first, since apps show `123 456`. Any other pin than the
 * ASCII digits of a code is wrong, not an error. An empty pin is no guess and bypasses the guard.
 *
 * The time step is found, the guard decides, and WebCrypto confirms each true: neither a mistake in
 * the finder nor a reply of a store makes a wrong pin right.
 *
 * @throws {Fault} When the secretCode gives no key.
 */
export async function validatePin(
  { pin, secretCode }: ValidatePinArguments,
  context: ValidatePinContext,
): Promise<Completed<boolean>> {
  const { window, digits, period, secretEncoding, now, source, log, selfCheck } = context;
  const { pinGuard: guard, find = FINDERS[context.algorithm], unconfirmed = { count: 0 } } =
    context;
  const key = secretBytes(secretCode, secretEncoding);
  const fingerprint = guard?.fingerprint(key) ?? "";
  const secret = guard && { secret: shortName(fingerprint) };
  const code = pin.replace(/[ \t\r\n]/g, "");
  if (code === "") return { result: false, facts: { ...secret, outcome: "empty" } };
  await selfCheck;
  const sourceName = source === undefined ? undefined : guard?.source(fingerprint, source);
  const throttledMs = (): number => guard?.store.throttledMs(fingerprint, sourceName) ?? 0;
  // The same object for a right and a wrong pin: a refusal says nothing about the pin.
  const refused = (outcome: Refused): Completed<boolean> => {
    const facts = { ...secret, outcome };
    if (outcome !== "throttled") return { result: false, facts };
    return { result: false, facts: { ...facts, retryAfterMs: Math.ceil(throttledMs()) } };
  };
  if (throttledMs() > 0) return refused("throttled");
  const step = timeStep(now(), period);
  const found = find(key, { code, step, window, digits });
  const distance = isWithin(window, found) ? found : undefined;
  const matchedStep = distance === undefined ? undefined : step + distance;
  const decide = (checked: CheckedPin["matchedStep"]): Verdict | Promise<Verdict> =>
    guard?.store.decide(fingerprint, { matchedStep: checked, source: sourceName }) ?? "accepted";
  const unconfirmedBefore = unconfirmed.count;
  const verdict = await decide(matchedStep);
  if (verdict !== "accepted" && verdict !== "wrong") return refused(verdict);
  if (verdict === "wrong" || distance === undefined) {
    const reason = pinFlaw(code, digits) ?? secretFlaw(secretCode, secretEncoding);
    if (guard === undefined && reason === undefined) return { result: false };
    return { result: false, facts: { ...secret, ...(reason && { reason }) } };
  }
  let isConfirmed = false;
  try {
    isConfirmed = await isCodeOf(key, step + distance, code, context);
  } finally {
    // Charge it as a wrong pin: a finder that matches too much gives no more pins than the budget.
    if (!isConfirmed) {
      unconfirmed.count++;
      await decide(undefined);
    }
  }
  if (!isConfirmed) {
    log?.error("WebCrypto does not confirm a pin that was found to be right: one of both is wrong");
    return { result: false, facts: { ...secret, outcome: "internal" } };
  }
  if (unconfirmed.count !== unconfirmedBefore && throttledMs() > 0) return refused("throttled");
  return { result: true, facts: { distance } };
}

// A finder that searches beyond the window is mistaken as well.
function isWithin(window: number, distance: number | undefined): distance is number {
  return Number.isInteger(distance) && Math.abs(distance!) <= window;
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
function secretFlaw(secretCode: string, encoding: SecretEncoding): string | undefined {
  return encoding === "text" && /^\s|\s$/.test(secretCode)
    ? "The secret begins or ends with white space."
    : undefined;
}
