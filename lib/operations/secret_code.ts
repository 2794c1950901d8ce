/**
 * The secretCode of the operations: sealed, opened, and as key bytes.
 *
 * @module
 */

import { noKeyClause, type SecretEncoding, secretKey } from "../otp/secret.ts";
import {
  type OpenedSecret,
  openSecret,
  type SealKeys,
  UnopenedError,
} from "../sealing/seal_keys.ts";
import { isSealed } from "../sealing/sealed.ts";
import { wrongParameter } from "./fault.ts";

/**
 * Opens a secretCode if it is sealed.
 *
 * @param sealKeys The keys of sealed secrets; undefined where there are none.
 * @throws {Fault} When it is sealed and cannot be opened. Its sentence is the same for all causes.
 */
export function openSecretCode(secretCode: string, sealKeys: SealKeys | undefined): OpenedSecret {
  try {
    return openSecret(secretCode, sealKeys);
  } catch (error) {
    if (!(error instanceof UnopenedError)) throw error;
    const clause = "is sealed, and this server cannot open it";
    throw wrongParameter("secretCode", clause, error.code);
  }
}

/**
 * Refuses a sealed secretCode: no reply shows the secret in it.
 *
 * @throws {Fault} When it is sealed.
 */
export function refuseSealed(secretCode: string): void {
  if (isSealed(secretCode)) {
    throw wrongParameter("secretCode", "is sealed: pair with the secret itself, and seal it then");
  }
}

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
