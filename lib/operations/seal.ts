/**
 * The operation Seal.
 *
 * @module
 */

import type { OpenedSecret } from "../sealing/seal_keys.ts";
import type { ServiceContext } from "./context.ts";
import { secretBytes } from "./secret_code.ts";

/** Arguments of Seal. */
export interface SealArguments {
  /** The secret, checked as by Pair, or a sealed one. */
  readonly secretCode: string;
}

/** Context of Seal. */
export type SealContext = Pick<ServiceContext, "secretEncoding" | "sealKeys">;

/**
 * Seals a secret with the first of the keys: a plain one, or one of another key. A secret of the first
 * key stays as it is, so that a call can be repeated.
 *
 * @throws {Fault} When the secretCode gives no key.
 * @throws {TypeError} When the service has no keys: a mistake of the caller's in this process.
 */
export function seal(secret: OpenedSecret, { secretEncoding, sealKeys }: SealContext): string {
  if (sealKeys === undefined) throw new TypeError("The service has no keys of sealed secrets.");
  secretBytes(secret.text, secretEncoding);
  return sealKeys.reseal(secret);
}
