/**
 * What the operations need to know beside their arguments.
 *
 * @module
 */

import type { Guard } from "../guard/guard.ts";
import type { SecretEncoding } from "../otp/secret.ts";
import type { TotpParameters } from "../otp/totp.ts";

/**
 * The form of the Html of a pairing: an inline SVG, or the byte shape that callers of the original
 * service cut apart, with a picture to be fetched from this server.
 */
export type HtmlForm = "svg" | "image";

/** What the operations need to know beside their arguments. */
export interface ServiceContext {
  /** What codes look like, and how many time steps off they may be. */
  readonly otp: TotpParameters & { readonly window: number };
  /** How a secretCode becomes key bytes. */
  readonly secretEncoding: SecretEncoding;
  /** The clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  /** The form of the Html of a pairing. */
  readonly html: HtmlForm;
  /** What holds guessing and reuse off; without it, every pin is looked at. */
  readonly guard?: Guard | undefined;
}

/** What an operation needs to know for one call. */
export interface CallContext extends ServiceContext {
  /** The base URL of the service as the caller sees it, without a slash at its end. */
  readonly base: () => string;
  /** Who asks, in any words: the guard tells those who ask about a secret apart by them. */
  readonly source?: string | undefined;
}
