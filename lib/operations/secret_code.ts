/**
 * The key that both operations take from a secretCode.
 *
 * @module
 */

import { type SecretEncoding, secretKey } from "../otp/secret.ts";
import { Fault } from "./fault.ts";

/**
 * The key bytes of a secretCode.
 *
 * @returns At least one byte.
 * @throws {Fault} When it is not Base32 and should be, or holds no byte.
 */
export function secretBytes(secretCode: string, encoding: SecretEncoding): Uint8Array<ArrayBuffer> {
  const key = secretKey(secretCode, encoding);
  if (key === undefined) {
    throw new Fault(
      "invalid",
      "Parameter secretCode is not Base32 (letters A to Z, digits 2 to 7).",
    );
  }
  if (key.length === 0) throw new Fault("invalid", "Parameter secretCode must not be empty.");
  return key;
}
