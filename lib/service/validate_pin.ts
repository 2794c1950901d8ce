/**
 * The operation ValidatePin.
 *
 * @module
 */

import { importOtpKey, matchTimeStep, timeStep } from "../otp/totp.ts";
import type { ServiceContext } from "./context.ts";
import { keyOf } from "./key.ts";

/** The arguments of ValidatePin. */
export interface ValidatePinArguments {
  /** The code as it was typed. */
  readonly pin: string;
  /** The shared secret. */
  readonly secretCode: string;
}

/**
 * Tells whether a pin is the code of a time step in the window around now.
 *
 * Blanks, tabs and line ends are dropped first, since apps show `123 456`; nothing else is. A pin
 * that is then not exactly the ASCII digits of a code is wrong, not an error.
 *
 * @throws {Fault} When the secretCode gives no key.
 */
export async function validatePin(
  { pin, secretCode }: ValidatePinArguments,
  { otp, secretEncoding, now }: ServiceContext,
): Promise<boolean> {
  const key = await importOtpKey(keyOf(secretCode, secretEncoding), otp.algorithm);
  const code = pin.replace(/[ \t\r\n]/g, "");
  const { window, digits } = otp;
  const step = timeStep(now(), otp.period);
  return await matchTimeStep(key, { code, step, window, digits }) !== undefined;
}
