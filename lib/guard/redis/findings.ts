/**
 * Findings about a shared store in words.
 *
 * @module
 */

import type { StoreFinding } from "./monitor.ts";

/** Price of a full store that may not evict entries without wrong pins first. */
const EVICTED_ALIKE = "if it is full, wrong pins are forgotten as soon as known sources";

/** Loss of a server without a command. */
const WITHOUT = {
  INFO: "evictions go unnoticed",
  DUMP: EVICTED_ALIKE,
  RESTORE: EVICTED_ALIKE,
} as const;

/** Clause about servers of a store with different guard keys; the store is the subject. */
export const OTHER_KEYS: string =
  "has servers with different guard keys, which count wrong pins and used codes apart: give all the " +
  "same --guard-key-file";

/**
 * Sentence about a finding.
 *
 * @param store The store as the subject of a clause.
 */
export function findingText(store: string, finding: StoreFinding): string {
  switch (finding.kind) {
    case "clock": {
      const seconds = Math.round(Math.abs(finding.aheadMs) / 1000);
      const place = finding.aheadMs > 0 ? "ahead of" : "behind";
      return `the clock is ${seconds} s ${place} that of ${store.replace(/,$/, "")}`;
    }
    case "keys":
      return `${store} ${OTHER_KEYS}`;
    case "refused":
      return `${store} refuses ${finding.command} to its user: ${WITHOUT[finding.command]}`;
    case "evictions":
      return `${store} is full, and evicts entries that are still needed: give it more memory ` +
        "(maxmemory)";
  }
}
