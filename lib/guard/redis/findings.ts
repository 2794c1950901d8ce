/**
 * Findings about a shared store in words.
 *
 * @module
 */

import type { StoreFinding } from "./monitor.ts";

/** Price of a full store that may not evict entries without wrong pins first. */
const EVICTED_ALIKE = "if it is full, wrong pins are forgotten as soon as known sources";

/** What a server lacks without a command. */
const WITHOUT = {
  INFO: "evictions go unnoticed",
  DUMP: EVICTED_ALIKE,
  RESTORE: EVICTED_ALIKE,
} as const;

/** Clause about servers of a store with different guard keys; the store is the subject. */
export const OTHER_KEYS: string =
  "has servers with different guard keys, which count wrong pins and used codes apart: give all the " +
  "same --guard-key-file";

/** Clause about a store that evicts entries; the store is the subject. */
export const FULL_STORE: string =
  "is full, and evicts entries that are still needed: give it more memory (maxmemory)";

/** Clause about a clock, to be followed by the store: "the clock is 90 s ahead of that". */
export function clockClause(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return `the clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} that`;
}

/**
 * Sentence about a finding.
 *
 * @param store The store as the subject of a clause, with a comma at its end.
 */
export function findingText(store: string, finding: StoreFinding): string {
  switch (finding.kind) {
    case "clock":
      return `${clockClause(finding.aheadMs)} of ${store.slice(0, -1)}`;
    case "keys":
      return `${store} ${OTHER_KEYS}`;
    case "refused":
      return `${store} refuses ${finding.command} to its user: ${WITHOUT[finding.command]}`;
    case "evictions":
      return `${store} ${FULL_STORE}`;
  }
}
