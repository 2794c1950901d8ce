/**
 * Store of the guard in the memory of this process.
 *
 * @module
 */

import { type Entry, ExpiringMap } from "./expiring_map.ts";
import { debtMs, FULL_BUDGET } from "./budget.ts";
import {
  type CheckedPin,
  decide,
  type Failures,
  type GuardRules,
  type GuardState,
  type GuardStore,
  INITIAL_STATE,
  type MemoryStoreAdmin,
  refusedMs,
  throttleTimes,
  type Verdict,
} from "./guard.ts";
import type { SourceState } from "./sources.ts";

/** Default maximum number of entries in each table. */
export const DEFAULT_ENTRIES = 100_000;

/** Kind of an evicted entry: a used code, known sources, failures, or an active throttle. */
export type Evicted = "used" | "known" | "failed" | "throttled";

/** Options of a store in memory. */
export interface MemoryStoreOptions {
  /** The rules. */
  readonly rules: GuardRules;
  /** A monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** Maximum number of secrets in each table; `DEFAULT_ENTRIES` unless given. */
  readonly maxEntries?: number;
  /** Called for each entry evicted from a full table. */
  readonly onEviction?: (what: Evicted) => void;
}

/** Failures of a secret in a table. */
interface HeldFailures extends Failures {
  /** Latest expiry of an evicted entry when they came, in milliseconds. */
  readonly fromMs: number;
}

/**
 * Store in memory.
 *
 * Used codes and known sources come from right pins only and have their own tables, so a flood of
 * wrong pins for made-up secrets cannot evict them. A full table evicts the entry that expires first:
 * of failures, those of the secret with the fewest. Secrets that come after an eviction expire later by
 * the rest of its time (Young, 1994, "GreedyDual"). Otherwise a table full of two wrong pins each would
 * forget every secret with one at the next pin. To evict an entry and so regain its attempts, an
 * attacker has to send half as many wrong pins as the store has entries, or more, for each of them.
 */
export class MemoryStore implements GuardStore, MemoryStoreAdmin {
  readonly #options: Required<MemoryStoreOptions>;
  readonly #used = new ExpiringMap<number>();
  /** Known sources, without their failures. */
  readonly #known = new ExpiringMap<readonly SourceState[]>();
  readonly #failures = new ExpiringMap<HeldFailures>();
  readonly #tables = [this.#used, this.#known, this.#failures];
  /** Latest expiry of evicted failures, in milliseconds, from which those of other secrets count. */
  #fromMs = 0;

  /** Makes an empty store. */
  constructor(options: MemoryStoreOptions) {
    this.#options = { maxEntries: DEFAULT_ENTRIES, onEviction: () => {}, ...options };
  }

  /** Decides about a pin. It runs synchronously, hence atomically. */
  decide(fingerprint: string, pin: CheckedPin): Verdict {
    const { rules, monotonicMs, onEviction } = this.#options;
    const nowMs = monotonicMs();
    for (const table of this.#tables) table.sweep(nowMs);
    const before = this.#stateOf(fingerprint, nowMs);
    const { verdict, state } = decide(rules, before, pin, nowMs);
    if (verdict === "accepted" && rules.singleUse) {
      const untilMs = nowMs + rules.forgetUseMs;
      if (this.#makeRoom(this.#used, fingerprint, nowMs)) onEviction("used");
      this.#used.set(fingerprint, state.usedStep, untilMs);
    }
    if (state.sources !== before.sources) this.#keepKnown(fingerprint, knownOf(state), nowMs);
    if (state !== before) this.#keepFailures(fingerprint, state, nowMs);
    return verdict;
  }

  /** Returns the time for which pins of a source are throttled, in milliseconds. */
  throttledMs(fingerprint: string, source: string | undefined): number {
    const nowMs = this.#options.monotonicMs();
    return refusedMs(this.#options.rules, this.#stateOf(fingerprint, nowMs), source, nowMs);
  }

  /** Returns the number of remembered secrets with wrong pins. */
  size(): number {
    return this.#failures.living(this.#options.monotonicMs());
  }

  /** Returns the number of secrets throttled now, for one source or for all. */
  throttled(): number {
    const nowMs = this.#options.monotonicMs();
    let count = 0;
    for (const failures of this.#failures.values(nowMs)) {
      if (throttleTimes(this.#options.rules, failures, nowMs).toSomeMs > 0) count++;
    }
    return count;
  }

  /**
   * Ends the throttle of a secret by refilling its budget. A used code stays used.
   *
   * @returns Whether anything was remembered of the secret.
   */
  unlock(fingerprint: string): boolean {
    const nowMs = this.#options.monotonicMs();
    const failures = this.#failures.get(fingerprint, nowMs);
    this.#failures.delete(fingerprint);
    return failures !== undefined && owedMs(failures, nowMs) > 0 ||
      [this.#used, this.#known].some((table) => table.get(fingerprint, nowMs) !== undefined);
  }

  #stateOf(fingerprint: string, nowMs: number): GuardState {
    const usedStep = this.#used.get(fingerprint, nowMs) ?? INITIAL_STATE.usedStep;
    const failures = this.#failures.get(fingerprint, nowMs);
    if (failures !== undefined) return { ...failures, usedStep };
    return { ...FULL_BUDGET, usedStep, sources: this.#known.get(fingerprint, nowMs) ?? [] };
  }

  #keepKnown(fingerprint: string, known: readonly SourceState[], nowMs: number): void {
    if (known.length === 0) return this.#known.delete(fingerprint);
    if (this.#makeRoom(this.#known, fingerprint, nowMs)) this.#options.onEviction("known");
    const untilMs = Math.max(...known.map(({ knownUntilMs }) => knownUntilMs));
    this.#known.set(fingerprint, known, untilMs);
  }

  #keepFailures(fingerprint: string, state: GuardState, nowMs: number): void {
    const { debtMs: owed, lastMs, sources } = state;
    const keepMs = owedMs(state, nowMs);
    const held = this.#failures.get(fingerprint, nowMs);
    if (keepMs === 0) return this.#failures.delete(fingerprint);
    const evicted = this.#makeRoom(this.#failures, fingerprint, nowMs);
    if (evicted !== undefined) {
      this.#fromMs = Math.max(this.#fromMs, evicted.untilMs);
      const isThrottled = refusedMs(this.#options.rules, evicted.value, undefined, nowMs) > 0;
      if (owedMs(evicted.value, nowMs) > 0) {
        this.#options.onEviction(isThrottled ? "throttled" : "failed");
      }
    }
    // A secret in a free place must not go before all others.
    const fromMs = held?.fromMs ?? this.#fromMs;
    const failures = { debtMs: owed, lastMs, sources, fromMs };
    this.#failures.set(fingerprint, failures, Math.max(nowMs, fromMs) + keepMs);
  }

  // Makes room for a key. Returns the entry that was evicted; undefined without one, and for one that
  // had expired.
  #makeRoom<T>(table: ExpiringMap<T>, key: string, nowMs: number): Entry<T> | undefined {
    table.delete(key);
    const first = table.size < this.#options.maxEntries ? undefined : table.deleteFirst();
    return first !== undefined && first.untilMs > nowMs ? first : undefined;
  }
}

/** Returns the time in which all wrong pins of a secret and of its sources are forgiven, in milliseconds. */
function owedMs(failures: Failures, nowMs: number): number {
  return Math.max(...[failures, ...failures.sources].map((each) => debtMs(each, nowMs)));
}

/** Returns the known sources of a secret, without their failures. */
function knownOf({ sources }: GuardState): readonly SourceState[] {
  return sources.filter(({ knownUntilMs }) => knownUntilMs > 0)
    .map((source) => ({ ...source, ...FULL_BUDGET }));
}
