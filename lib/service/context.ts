/**
 * What the operations need to know beside their arguments.
 *
 * @module
 */

import type { SecretEncoding } from "../otp/secret.ts";
import type { TotpParameters } from "../otp/totp.ts";

/** What the operations need to know beside their arguments. */
export interface ServiceContext {
  /** What codes look like, and how many time steps off they may be. */
  readonly otp: TotpParameters & { readonly window: number };
  /** How a secretCode becomes key bytes. */
  readonly secretEncoding: SecretEncoding;
  /** The clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
}
