/** The store of a guard, for tests that compute no pin. */

import type { GuardStore, Verdict } from "../../lib/guard/guard.ts";

/** Decides about a pin: that of a time step, or a wrong one. */
export function decide<Store extends Pick<GuardStore, "decide">>(
  store: Store,
  fingerprint: string,
  matchedStep: number | undefined,
  source?: string,
): ReturnType<Store["decide"]> {
  return store.decide(fingerprint, { matchedStep, source }) as ReturnType<Store["decide"]>;
}

/** Makes a store that remembers nothing and accepts every right pin, with changes. */
export function storeThat(changes: Partial<GuardStore> = {}): GuardStore {
  return {
    decide: (_, { matchedStep }): Verdict => matchedStep === undefined ? "wrong" : "accepted",
    throttledMs: () => 0,
    unlock: () => false,
    ...changes,
  };
}
