/**
 * The operation Seal.
 *
 * @module
 */

import type { ServiceContext } from "./context.ts";
import { secretBytes } from "./secret_code.ts";

/** Arguments of Seal. */
export interface SealArguments {
  /** The secret, checked as by Pair. */
  readonly secretCode: string;
}

/** Context of Seal. */
export type SealContext = Pick<ServiceContext, "secretEncoding" | "sealKeys">;

/**
 * Seals a secret with the first of the keys.
 *
 * @throws {Fault} When the secretCode gives no key.
 * @throws {TypeError} When the service has no keys: a mistake of the caller's in this process.
 */
export function seal(
  { secretCode }: SealArguments,
  { secretEncoding, sealKeys }: SealContext,
): string {
  if (sealKeys === undefined) throw new TypeError("The service has no keys of sealed secrets.");
  secretBytes(secretCode, secretEncoding);
  return sealKeys.seal(secretCode);
}
