/**
 * Context of the operations: their input beside the arguments.
 *
 * @module
 */

import type { Guard } from "../guard/guard.ts";
import type { FindTimeStep } from "../otp/finder.ts";
import type { SecretEncoding } from "../otp/secret.ts";
import type { SealKeys } from "../sealing/seal_keys.ts";
import type { TotpParameters } from "../otp/totp.ts";

/**
 * Form of the Html of a pairing: an inline SVG, or the exact bytes of the original service, which
 * callers parse, with a picture fetched from this server.
 */
export type HtmlForm = "svg" | "image";

/** Context of all calls: options of the service by their names, and its parts. */
export interface ServiceContext extends TotpParameters {
  /** Time steps accepted on each side of the current one. */
  readonly window: number;
  /** The finder of time steps; that of the hash unless given. */
  readonly find?: FindTimeStep;
  /**
   * The check of the finder against WebCrypto at the start, and the wait for the guard's store; no
   * pin is right if it rejects.
   */
  readonly selfCheck?: Promise<void> | undefined;
  /**
   * The number of pins that WebCrypto did not confirm. While it grows, pins that were accepted
   * together are held to the budget that the first of them have used up.
   */
  readonly unconfirmed?: { count: number } | undefined;
  /** The log of errors of ours. */
  readonly log?: { readonly error: (message: string) => void } | undefined;
  /** The encoding of a secretCode. */
  readonly secretEncoding: SecretEncoding;
  /** The clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  /** The form of the Html of a pairing. */
  readonly html: HtmlForm;
  /** The keys of sealed secrets; without them, none can be opened. */
  readonly sealKeys?: SealKeys | undefined;
  /** The guard against guessing and replay; without it, every pin is checked. */
  readonly pinGuard?: Guard | undefined;
}

/** Context of one call. */
export interface CallContext extends ServiceContext {
  /** The base URL of the service as seen by the caller, without a slash at its end. */
  readonly base: () => string;
  /** The source of the call as any text, which the guard uses to keep sources apart. */
  readonly source?: string | undefined;
}
