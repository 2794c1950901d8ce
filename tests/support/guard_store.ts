/** The steps of a guard's store in one call, for tests that compute no pin. */

import type { GuardStore, Refusal, Verdict } from "../../lib/guard/guard.ts";

/** Admits a pin and settles it at once. */
export function decide<Store extends GuardStore>(
  store: Store,
  fingerprint: string,
  matchedStep: number | undefined,
  source?: string,
): Verdict | Promise<Verdict> {
  const admission = store.admit(fingerprint, source);
  return typeof admission === "string" ? admission : admission.settle(matchedStep);
}

/** The refusal of a pin that is not computed. */
export function refusal(
  store: GuardStore,
  fingerprint: string,
  source?: string,
): Refusal | undefined {
  const admission = store.admit(fingerprint, source);
  if (typeof admission === "string") return admission;
  admission.cancel();
  return undefined;
}

/** The parts of a store that a test changes. */
export interface StoreChanges {
  /** Whether pins have their attempt before they are settled; true unless given. */
  readonly isCharged?: boolean;
  /** Refuses a pin, or throws; nothing is refused unless given. */
  readonly refusal?: (fingerprint: string, source?: string) => Refusal | undefined;
  /** Settles a pin; a right one is accepted unless given. */
  readonly settle?: (
    fingerprint: string,
    matchedStep: number | undefined,
    source?: string,
  ) => Verdict | Promise<Verdict>;
}

/** A store that remembers nothing. */
export function storeThat(
  { isCharged = true, refusal = () => undefined, settle = usual }: StoreChanges = {},
): GuardStore {
  return {
    admit: (fingerprint, source) =>
      refusal(fingerprint, source) ?? {
        isCharged,
        settle: (matchedStep) => settle(fingerprint, matchedStep, source),
        cancel: () => {},
      },
    isHealthy: () => true,
    unlock: () => false,
    close: () => {},
  };
}

function usual(_: string, matchedStep: number | undefined): Verdict {
  return matchedStep === undefined ? "wrong" : "accepted";
}
