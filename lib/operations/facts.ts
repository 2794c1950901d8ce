/**
 * Facts of a call for the operator, beside its result: a closed list. The log has all of them but the
 * form of the secret and the time of the next try; the metrics count outcome, distance, form and cause.
 *
 * @module
 */

import type { SecretForm, Unopened } from "../sealing/seal_keys.ts";

/** Facts of a call, named as in the log. */
export interface CallFacts {
  /** Short name of the secret, which does not reveal it; absent for an accepted pin. */
  readonly secret?: string;
  /** Reason of a refused pin other than a wrong code; `internal`: WebCrypto does not confirm it. */
  readonly outcome?: Refused | "internal";
  /** Distance of an accepted pin's time step from the current one. */
  readonly distance?: number;
  /** Time after which a pin of a throttled secret is checked again, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Number of parameters that the operation does not have, often pieces of an unencoded value. */
  readonly ignored?: number;
  /** Form of the secret of a checked pin, for the metrics alone. */
  readonly form?: SecretForm;
  /** Cause why a sealed secret was not opened. */
  readonly unopened?: Unopened;
  /** Sentence of a fault, or about a pin that cannot be a code; it quotes no part of the request. */
  readonly reason?: string;
}

/** Reasons of a refused pin other than a wrong code; the caller receives false. */
export const REFUSED = ["throttled", "replayed", "unavailable", "empty"] as const;

/** Reason of a refused pin other than a wrong code. */
export type Refused = typeof REFUSED[number];

/** Completed call: the result for the caller, and facts for the operator only. */
export interface Completed<Result> {
  /** The result. */
  readonly result: Result;
  /** Facts for log and metrics. */
  readonly facts?: CallFacts | undefined;
}
