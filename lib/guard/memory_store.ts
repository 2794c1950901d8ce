/**
 * What the guard remembers, in the memory of this process.
 *
 * @module
 */

import { decide, type GuardRules, type GuardStore, refusedMs } from "./guard.ts";
import { RecentTable } from "./recent_table.ts";

/** Secrets of which something is remembered, at most. */
export const MAX_ENTRIES = 100_000;

/** What a store in memory needs. */
export interface MemoryStoreOptions {
  /** The rules. */
  readonly rules: GuardRules;
  /**
   * A clock in milliseconds. One that only goes forward keeps delays as long as they should be,
   * whatever happens to the time of day.
   */
  readonly now: () => number;
  /** Secrets of which something is remembered, at most; 100,000 unless given. */
  readonly maxEntries?: number;
  /** Told whenever a secret is forgotten for want of room. */
  readonly onEviction?: () => void;
}

/** A store in memory. */
export interface MemoryStore extends GuardStore {
  /** Of how many secrets something is remembered. */
  readonly size: () => number;
}

/**
 * Makes a store that remembers nothing yet.
 *
 * Nothing in it waits, so a decision is one step. When there is no room for another secret, the one
 * that was not asked about for the longest time is forgotten.
 */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const { rules, now, maxEntries = MAX_ENTRIES, onEviction } = options;
  const table = new RecentTable(maxEntries);
  return {
    refusal: (fingerprint, source) => {
      const nowMs = now();
      const state = table.use(fingerprint, nowMs);
      return state && refusedMs(rules, state, source, nowMs) > 0 ? "throttled" : undefined;
    },
    decide: (fingerprint, matchedStep, source) => {
      const nowMs = now();
      table.sweep(nowMs);
      const before = table.use(fingerprint, nowMs);
      const { verdict, state, keepMs } = decide(rules, before, { matchedStep, source }, nowMs);
      if (state === undefined) table.delete(fingerprint);
      else if (state !== before && table.set(fingerprint, state, nowMs + keepMs)) onEviction?.();
      return verdict;
    },
    isShared: false,
    isHealthy: () => true,
    close: () => {},
    size: () => table.size,
  };
}
