/**
 * What the guard remembers, in the memory of this process.
 *
 * @module
 */

import { owedMs } from "./budget.ts";
import {
  decide,
  type GuardMemory,
  type GuardRules,
  type GuardState,
  type GuardStore,
  keepMsOf,
  refusedMs,
  totalBudget,
  unlocked,
} from "./guard.ts";
import { Looks } from "./looks.ts";
import { RANKS, RecentTable } from "./recent_table.ts";

/** Secrets of which something is remembered, at most, unless told otherwise. */
export const DEFAULT_ENTRIES = 100_000;

/** What is forgotten for want of room: a used code or a known source alone, failures, or a wait. */
export type Evicted = "used" | "failed" | "throttled";

/** What a store in memory needs. */
export interface MemoryStoreOptions {
  /** The rules. */
  readonly rules: GuardRules;
  /**
   * A clock in milliseconds. One that only goes forward keeps delays as long as they should be,
   * whatever happens to the time of day.
   */
  readonly now: () => number;
  /** Secrets of which something is remembered, at most; `DEFAULT_ENTRIES` unless given. */
  readonly maxEntries?: number;
  /** Told whenever a secret is forgotten for want of room, and what of it. */
  readonly onEviction?: (what: Evicted) => void;
}

/** A store in memory. */
export interface MemoryStore extends GuardStore, GuardMemory {}

/**
 * Makes a store that remembers nothing yet.
 *
 * Nothing in it waits, so a decision is one step. When there is no room for another secret, what
 * expired is forgotten first, then used codes, then the fewest failures, and a secret that is
 * throttled last: a flood of logins pushes no failure out.
 */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const { rules, now, maxEntries = DEFAULT_ENTRIES, onEviction } = options;
  const table = new RecentTable(maxEntries);
  const looks = new Looks();
  return {
    refusal: (fingerprint, source) => {
      const state = table.get(fingerprint, now);
      return state && refusedMs(rules, state, source, now()) > 0 ? "throttled" : undefined;
    },
    begin: (fingerprint) => looks.begin(fingerprint, table.get(fingerprint, now) !== undefined),
    decide: (fingerprint, matchedStep, source) => {
      const nowMs = now();
      table.sweep(nowMs);
      const before = table.get(fingerprint, () => nowMs);
      const { verdict, state, keepMs } = decide(rules, before, { matchedStep, source }, nowMs);
      if (state === undefined) {
        table.delete(fingerprint);
      } else if (state !== before) {
        const entry = { state, expiresAtMs: nowMs + keepMs, rank: rankOf(rules, state, nowMs) };
        const evicted = table.set(fingerprint, entry, nowMs);
        if (evicted !== undefined) onEviction?.(kindOf(evicted));
      }
      return verdict;
    },
    unlock: (fingerprint) => {
      const nowMs = now();
      const before = table.get(fingerprint, () => nowMs);
      if (before === undefined) return;
      const state = unlocked(before);
      const keepMs = keepMsOf(rules, state, nowMs);
      table.delete(fingerprint);
      const entry = { state, expiresAtMs: nowMs + keepMs, rank: rankOf(rules, state, nowMs) };
      if (keepMs > 0) table.set(fingerprint, entry, nowMs);
    },
    isHealthy: () => true,
    close: () => {},
    size: () => table.size,
    throttled: () => {
      const nowMs = now();
      const states = [...table.states(nowMs)];
      return states.filter((state) => refusedMs(rules, state, undefined, nowMs) > 0).length;
    },
  };
}

/** The rank of secrets whose pins are refused. */
const THROTTLED = RANKS - 1;

// Ranks grow with the logarithm of the failures: there are few, and one failure more makes no
// difference where there are many.
function rankOf(rules: GuardRules, state: GuardState, nowMs: number): number {
  if (refusedMs(rules, state, undefined, nowMs) > 0) return THROTTLED;
  const failures = owedMs(state, nowMs) / totalBudget(rules).refillMs;
  return failures <= 0 ? 0 : 1 + Math.floor(Math.log2(Math.max(1, failures)));
}

function kindOf(rank: number): Evicted {
  if (rank === THROTTLED) return "throttled";
  return rank === 0 ? "used" : "failed";
}
