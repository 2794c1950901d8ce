/**
 * What operations tell the operator of a call beside its result: the closed list. Log and metrics
 * take it as it is, so that a new fact is a new row here and a value where it is known.
 *
 * @module
 */

/** A fact by its name in the log, with the family of metrics that counts it. */
export type CallFact =
  & {
    /** The name, as the log has it. */
    readonly name: string;
    /** The name of the family, as Prometheus has it. */
    readonly metric: string;
    /** What the family counts, one sentence. */
    readonly help: string;
  }
  & (
    /** A word out of a few, each with a counter of its own under the label. */
    | { readonly words: readonly string[]; readonly label: string }
    /** A number, counted in buckets with these upper bounds. */
    | { readonly bounds: readonly number[] }
  );

/** What is known of a call, by the names of `factKinds`; but for `secret`, which is no metric. */
export interface Facts {
  /** Of a pin that was not accepted: the short name of its secret, which tells nothing of it. */
  readonly secret?: string;
  /** Why the call ended otherwise than its result says; without it, the result says all. */
  readonly outcome?: Refused;
  /** Of an accepted pin: the distance of its time step to the current one. */
  readonly distance?: number;
}

/** Why a pin is not accepted, beside being wrong; the caller is told false. */
export const REFUSED = ["throttled", "replayed", "unavailable", "empty"] as const;

/** One of these reasons. */
export type Refused = typeof REFUSED[number];

/**
 * All facts there are.
 *
 * @param window Time steps accepted on each side of the current one.
 */
export function factKinds(window: number): readonly CallFact[] {
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
