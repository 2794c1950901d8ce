/**
 * Store of the guard in the memory of this process.
 *
 * @module
 */

import { ExpiringMap } from "./expiring_map.ts";
import { debtMs, FULL_BUDGET, type Spending } from "./budget.ts";
import {
  type CheckedPin,
  decide,
  type GuardRules,
  type GuardState,
  type GuardStore,
  INITIAL_STATE,
  type MemoryStoreAdmin,
  refusedMs,
  throttleTimes,
  totalBudget,
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
  readonly now: () => number;
  /** Maximum number of secrets in each table; `DEFAULT_ENTRIES` unless given. */
  readonly maxEntries?: number;
  /** Called for each entry evicted from a full table. */
  readonly onEviction?: (what: Evicted) => void;
}

/** Failures of a secret: its debt, and its sources. */
type Failures = Spending & Pick<GuardState, "sources">;

/**
 * Store in memory.
 *
 * Used codes and known sources come from right pins only and have their own tables, so a flood of
 * wrong pins for made-up secrets cannot evict them. Failures are sorted into classes, each in the
 * order of age; a full store evicts the oldest entry of the lowest class. The counts in a class
 * differ by a factor of two at most. To evict an entry and so regain its attempts, an attacker has to
 * send about as many wrong pins as the store has entries, for each of these attempts.
 */
export class MemoryStore implements GuardStore, MemoryStoreAdmin {
  readonly #rules: GuardRules;
  readonly #now: () => number;
  readonly #maxEntries: number;
  readonly #onEviction: (what: Evicted) => void;
  readonly #used = new ExpiringMap<number>();
  /** Known sources, without their failures. */
  readonly #known = new ExpiringMap<readonly SourceState[]>();
  /** Failures by class; the last class has the throttled secrets. */
  readonly #classes: readonly ExpiringMap<Failures>[];
  readonly #tables: readonly ExpiringMap<unknown>[];
  #swept = 0;

  /** Makes an empty store. */
  constructor({ rules, now, maxEntries = DEFAULT_ENTRIES, onEviction }: MemoryStoreOptions) {
    this.#rules = rules;
    this.#now = now;
    this.#maxEntries = maxEntries;
    this.#onEviction = onEviction ?? (() => {});
    const classes = 2 + Math.floor(Math.log2(Math.max(1, rules.maxFailures)));
    this.#classes = Array.from({ length: classes }, () => new ExpiringMap<Failures>());
    this.#tables = [this.#used, this.#known, ...this.#classes];
  }

  /** Decides about a pin. It runs synchronously, hence atomically. */
  decide(fingerprint: string, pin: CheckedPin): Verdict {
    const nowMs = this.#now();
    this.#sweep(nowMs);
    const before = this.#stateOf(fingerprint, nowMs);
    const { verdict, state } = decide(this.#rules, before, pin, nowMs);
    const isAccepted = verdict === "accepted";
    if (isAccepted && this.#rules.singleUse) {
      this.#used.set(fingerprint, state.usedStep, nowMs + this.#rules.forgetUseMs);
      this.#makeRoom(this.#used, "used");
    }
    // A wrong pin of a source does not make the entry of the known ones younger.
    if (state.sources !== before.sources) {
      const [wereKnown, known] = [knownOf(before), knownOf(state)];
      const isSame = JSON.stringify(known) === JSON.stringify(wereKnown);
      if (isAccepted || !isSame) this.#keepKnown(fingerprint, known);
    }
    if (state !== before) this.#keepFailures(fingerprint, state, nowMs);
    return verdict;
  }

  /** Whether pins of a source are throttled now. */
  isThrottled(fingerprint: string, source: string | undefined): boolean {
    return this.throttledMs(fingerprint, source) > 0;
  }

  /** Returns the time for which pins of a source are throttled, in milliseconds. */
  throttledMs(fingerprint: string, source: string | undefined): number {
    const nowMs = this.#now();
    return refusedMs(this.#rules, this.#stateOf(fingerprint, nowMs), source, nowMs);
  }

  /** Returns true: memory is always available. */
  isHealthy(): boolean {
    return true;
  }

  /** Does nothing: there is no connection to close. */
  close(): void {}

  /** Returns the number of remembered secrets with wrong pins. */
  size(): number {
    return this.#classes.reduce((sum, { size }) => sum + size, 0);
  }

  /** Returns the number of secrets throttled now, for one source or for all. */
  throttled(): number {
    const nowMs = this.#now();
    return this.#classes.flatMap((failures) => [...failures.keys(nowMs)])
      .filter((fingerprint) =>
        throttleTimes(this.#rules, this.#stateOf(fingerprint, nowMs), nowMs).toSomeMs > 0
      ).length;
  }

  /**
   * Ends the throttle of a secret by refilling its budget. A used code stays used.
   *
   * @returns Whether anything was remembered of the secret.
   */
  unlock(fingerprint: string): boolean {
    const nowMs = this.#now();
    const isRemembered = this.#tables.some((table) => table.get(fingerprint, nowMs) !== undefined);
    this.#deleteFailures(fingerprint);
    return isRemembered;
  }

  // Sweeps one table in each call, to keep calls short.
  #sweep(nowMs: number): void {
    this.#swept = (this.#swept + 1) % this.#tables.length;
    this.#tables[this.#swept]!.sweep(nowMs);
  }

  #deleteFailures(fingerprint: string): void {
    for (const failures of this.#classes) if (failures.delete(fingerprint)) return;
  }

  #stateOf(fingerprint: string, nowMs: number): GuardState {
    const usedStep = this.#used.get(fingerprint, nowMs) ?? INITIAL_STATE.usedStep;
    const failures = this.#failuresOf(fingerprint, nowMs);
    if (failures !== undefined) return { ...failures, usedStep };
    return { ...FULL_BUDGET, usedStep, sources: this.#known.get(fingerprint, nowMs) ?? [] };
  }

  #failuresOf(fingerprint: string, nowMs: number): Failures | undefined {
    for (const failures of this.#classes) {
      const found = failures.get(fingerprint, nowMs);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #keepKnown(fingerprint: string, known: readonly SourceState[]): void {
    if (known.length === 0) return void this.#known.delete(fingerprint);
    const untilMs = Math.max(...known.map(({ knownUntilMs }) => knownUntilMs));
    this.#known.set(fingerprint, known, untilMs);
    this.#makeRoom(this.#known, "known");
  }

  #keepFailures(fingerprint: string, state: GuardState, nowMs: number): void {
    this.#deleteFailures(fingerprint);
    const { debtMs: owed, lastMs, sources } = state;
    const keepMs = Math.max(...[state, ...sources].map((spending) => debtMs(spending, nowMs)));
    if (keepMs === 0) return;
    if (this.size() >= this.#maxEntries) this.#evictFailures();
    this.#classes[this.#classOf(state, nowMs)]!
      .set(fingerprint, { debtMs: owed, lastMs, sources }, nowMs + keepMs);
  }

  #classOf(state: GuardState, nowMs: number): number {
    const last = this.#classes.length - 1;
    if (refusedMs(this.#rules, state, undefined, nowMs) > 0) return last;
    const failures = debtMs(state, nowMs) / totalBudget(this.#rules).refillMs;
    return Math.min(Math.floor(Math.log2(Math.max(1, failures))), last - 1);
  }

  #evictFailures(): void {
    const lowest = this.#classes.findIndex(({ size }) => size > 0);
    this.#classes[lowest]!.deleteOldest();
    this.#onEviction(lowest === this.#classes.length - 1 ? "throttled" : "failed");
  }

  #makeRoom(table: ExpiringMap<unknown>, what: Evicted): void {
    if (table.size <= this.#maxEntries) return;
    table.deleteOldest();
    this.#onEviction(what);
  }
}

/** Returns the known sources of a secret, without their failures. */
function knownOf({ sources }: GuardState): readonly SourceState[] {
  return sources.filter(({ knownUntilMs }) => knownUntilMs > 0)
    .map((source) => ({ ...source, ...FULL_BUDGET }));
}
