/**
 * Key bytes of a secretCode.
 *
 * @module
 */

import { noKeyClause, type SecretEncoding, secretKey } from "../otp/secret.ts";
import { wrongParameter } from "./fault.ts";

/**
 * Decodes a secretCode to its key bytes.
 *
 * @returns At least one byte.
 * @throws {Fault} When the secretCode has no key: it is empty, or should be Base32 but is not.
 */
export function secretBytes(secretCode: string, encoding: SecretEncoding): Uint8Array<ArrayBuffer> {
  const key = secretKey(secretCode, encoding);
  if (key === undefined) throw wrongParameter("secretCode", noKeyClause(secretCode));
  return key;
}
