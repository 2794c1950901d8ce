/**
 * Facts of a call for the operator, beside its result: a closed list. Log and metrics are derived
 * from it, so a new fact is a new row here and a value in its operation.
 *
 * @module
 */

/** Kind of a fact: its name in the log, and its family of metrics. */
export type CallFactKind =
  & {
    /** The name in the log. */
    readonly name: string;
    /** The name of the family in Prometheus. */
    readonly metric: string;
    /** The help text of the family, one sentence. */
    readonly help: string;
  }
  & (
    /** One of a few words, each with its own counter under the label. */
    | { readonly words: readonly string[]; readonly label: string }
    /** A number, counted in buckets with these upper bounds. */
    | { readonly bounds: readonly number[] }
  );

/** Facts of a call, named as in `factKinds`; those of other names are in the log only. */
export interface CallFacts {
  /** Short name of the secret, which does not reveal it; absent for an accepted pin. */
  readonly secret?: string;
  /** Reason of a refused pin other than a wrong code. */
  readonly outcome?: Refused;
  /** Distance of an accepted pin's time step from the current one. */
  readonly distance?: number;
  /** Number of parameters that the operation does not have, often pieces of an unencoded value. */
  readonly ignored?: number;
  /** Sentence of a fault, or about a pin that cannot be a code; it quotes no part of the request. */
  readonly reason?: string;
}

/** Reasons of a refused pin other than a wrong code; the caller receives false. */
export const REFUSED = ["throttled", "replayed", "unavailable", "empty"] as const;

/** Reason of a refused pin other than a wrong code. */
export type Refused = typeof REFUSED[number];

/**
 * Makes the list of all kinds of facts.
 *
 * @param window Time steps accepted on each side of the current one.
 */
export function factKinds(window: number): readonly CallFactKind[] {
  return [
    {
      name: "distance",
      metric: "authenticator_pin_step_distance",
      help: "Time steps from the current one to that of an accepted pin.",
      bounds: Array.from({ length: 2 * window + 1 }, (_, i) => i - window),
    },
    {
      name: "outcome",
      metric: "authenticator_guard_refusals_total",
      help: "Pins not accepted for another reason than being wrong.",
      words: REFUSED,
      label: "reason",
    },
  ];
}
