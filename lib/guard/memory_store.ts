/**
 * Store of the guard in the memory of this process.
 *
 * @module
 */

import { ExpiringMap } from "./expiring_map.ts";
import { debtMs, type Spending } from "./budget.ts";
import {
  type Admission,
  type Attempt,
  charged,
  type GuardRules,
  type GuardState,
  type GuardStore,
  INITIAL_STATE,
  type MemoryStoreAdmin,
  refunded,
  type Refusal,
  refusedMs,
  succeeded,
  throttleTimes,
  totalBudget,
  type Verdict,
} from "./guard.ts";
import { isKnown, type SourceState } from "./sources.ts";

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

/** Failures of a secret: its debt, and the debts of its sources. */
interface Failures extends Spending {
  readonly sources: readonly SourceState[];
}

/** Pins of a secret whose codes are being computed: their number, and the failures with them. */
interface Pending {
  readonly pins: number;
  readonly failures: Failures;
}

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
  readonly #known = new ExpiringMap<readonly SourceState[]>();
  /**
   * Secrets with pins whose codes are being computed; only the failures left afterwards enter a
   * table.
   */
  readonly #pending = new Map<string, Pending>();
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

  /** Takes an attempt from the budgets of the secret and the source, or refuses the pin. */
  admit(fingerprint: string, source?: string): Admission | Refusal {
    const nowMs = this.#now();
    this.#sweep(nowMs);
    const before = this.#stateOf(fingerprint, nowMs);
    if (refusedMs(this.#rules, before, source, nowMs) > 0) return "throttled";
    const after = charged(this.#rules, before, source, nowMs);
    this.#pend(fingerprint, after, 1);
    const attempt = { before, after, source };
    return {
      isCharged: true,
      settle: (matchedStep) => this.#settle(fingerprint, attempt, matchedStep),
      cancel: () => void this.#finish(fingerprint, this.#now(), attempt),
    };
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
    const pending = this.#pending.get(fingerprint);
    if (pending !== undefined) {
      this.#pending.set(fingerprint, { ...pending, failures: INITIAL_STATE });
    }
    this.#deleteFailures(fingerprint);
    return isRemembered || pending !== undefined;
  }

  // Sweeps one table in each call, to keep calls short.
  #sweep(nowMs: number): void {
    this.#swept = (this.#swept + 1) % this.#tables.length;
    this.#tables[this.#swept]!.sweep(nowMs);
  }

  #deleteFailures(fingerprint: string): void {
    for (const failures of this.#classes) if (failures.delete(fingerprint)) return;
  }

  // Runs synchronously, so that of concurrent pins with the same code only one is accepted.
  #settle(fingerprint: string, attempt: Attempt, matchedStep: number | undefined): Verdict {
    const nowMs = this.#now();
    if (matchedStep === undefined) {
      this.#finish(fingerprint, nowMs);
      return "wrong";
    }
    const before = this.#finish(fingerprint, nowMs, attempt);
    if (this.#rules.singleUse && matchedStep <= before.usedStep) return "replayed";
    const { source } = attempt;
    const { usedStep, sources } = succeeded(this.#rules, before, { matchedStep, source }, nowMs);
    if (this.#rules.singleUse) {
      this.#used.set(fingerprint, usedStep, nowMs + this.#rules.forgetUseMs);
      this.#makeRoom(this.#used, "used");
    }
    const known = sources.filter((other) => isKnown(other, nowMs));
    if (source !== undefined && known.length > 0) {
      const untilMs = Math.max(...known.map(({ knownUntilMs }) => knownUntilMs));
      this.#known.set(fingerprint, known, untilMs);
      this.#makeRoom(this.#known, "known");
    }
    return "accepted";
  }

  #pend(fingerprint: string, { debtMs, lastMs, sources }: GuardState, more: 1 | -1): number {
    const pins = (this.#pending.get(fingerprint)?.pins ?? 0) + more;
    if (pins === 0) this.#pending.delete(fingerprint);
    else this.#pending.set(fingerprint, { pins, failures: { debtMs, lastMs, sources } });
    return pins;
  }

  /** Ends a pending pin, and gives an attempt back if one is passed. */
  #finish(fingerprint: string, nowMs: number, attempt?: Attempt): GuardState {
    const before = this.#stateOf(fingerprint, nowMs);
    const state = attempt === undefined ? before : refunded(this.#rules, before, attempt, nowMs);
    if (this.#pend(fingerprint, state, -1) === 0) this.#keepFailures(fingerprint, state, nowMs);
    return state;
  }

  #stateOf(fingerprint: string, nowMs: number): GuardState {
    const failures = this.#pending.get(fingerprint)?.failures ??
      this.#failuresOf(fingerprint, nowMs);
    const known = this.#known.get(fingerprint, nowMs) ?? [];
    const usedStep = this.#used.get(fingerprint, nowMs) ?? INITIAL_STATE.usedStep;
    const { sources: spent, ...total } = failures ?? INITIAL_STATE;
    return { ...total, usedStep, sources: merged(spent, known) };
  }

  #failuresOf(fingerprint: string, nowMs: number): Failures | undefined {
    for (const failures of this.#classes) {
      const found = failures.get(fingerprint, nowMs);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #keepFailures(fingerprint: string, state: GuardState, nowMs: number): void {
    this.#deleteFailures(fingerprint);
    const sources = state.sources.filter((source) => debtMs(source, nowMs) > 0);
    const keepMs = Math.max(...[state, ...sources].map((spending) => debtMs(spending, nowMs)));
    if (keepMs === 0) return;
    if (this.size() >= this.#maxEntries) this.#evictFailures();
    const { debtMs: owed, lastMs } = state;
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

// Merges the two lists of a secret's sources: the sources with wrong pins, and the known ones.
function merged(
  spent: readonly SourceState[],
  known: readonly SourceState[],
): readonly SourceState[] {
  const sources = spent.map((source) => ({
    ...source,
    knownUntilMs: known.find(({ id }) => id === source.id)?.knownUntilMs ?? 0,
  }));
  const others = known.filter(({ id }) => spent.every((source) => source.id !== id));
  return [...sources, ...others.map((source) => ({ ...source, debtMs: 0, lastMs: 0 }))];
}
