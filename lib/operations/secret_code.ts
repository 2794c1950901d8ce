/**
 * Key of a secretCode, for both operations.
 *
 * @module
 */

import { type SecretEncoding, secretKey } from "../otp/secret.ts";
import { wrongParameter } from "./fault.ts";

/**
 * Decodes a secretCode to its key bytes.
 *
 * @returns At least one byte.
 * @throws {Fault} When the secretCode should be Base32 but is not, or when the key is empty.
 */
export function secretBytes(secretCode: string, encoding: SecretEncoding): Uint8Array<ArrayBuffer> {
  const key = secretKey(secretCode, encoding);
  if (key === undefined) {
    throw wrongParameter("secretCode", "is not Base32 (letters A to Z, digits 2 to 7)");
  }
  if (key.length === 0) throw wrongParameter("secretCode", "must not be empty");
  return key;
}
