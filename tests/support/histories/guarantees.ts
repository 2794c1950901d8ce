/**
 * Guarantees of the guard that hold in every history. They are checked by a simple account of attempts
 * and used codes, apart from the guard's own.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { type GuardRules, refusedMs } from "../../../lib/guard/guard.ts";
import { MAX_SOURCES } from "../../../lib/guard/sources.ts";
import { SCRIPT_VERDICTS } from "../../../lib/guard/redis/script.ts";
import type { SimulatedStore } from "./store.ts";

const HOUR = 3_600_000;

/** Attempts of a secret beyond its budget, while throttles grow. */
const EXTRA_ATTEMPTS = 7;

/** Those of a source, which are restored half as fast: one doubling more. */
const EXTRA_ATTEMPTS_OF_SOURCE = 8;

/** Time for which an instance may remember a lifted refusal, with the delay of the link. */
const REMEMBERED_MS = 1100;

/** One pin that was checked. */
export interface Check {
  /** The name of the secret in the store. */
  readonly fingerprint: string;
  /** The name of the source in the store; empty without one. */
  readonly source: string;
  /** The time step whose code the pin is, by the clock of the instance; undefined when it is none. */
  readonly step: number | undefined;
  /** When it was sent. */
  readonly fromMs: number;
  /** When it was answered. */
  readonly toMs: number;
  /** Whether there was no outage meanwhile or shortly before. */
  readonly isCalm: boolean;
  /** The body of the answer. */
  readonly body: string;
  /** The outcome, as the log has it. */
  readonly outcome: string;
}

/** A leaky bucket: its lowest and highest level over all changes of the clock. */
interface Bucket {
  readonly least: Level;
  readonly most: Level;
}

interface Level {
  level: number;
  sinceMs: number;
}

/** The clock of the store as if it were never set back, and as it is. */
interface Clocks {
  readonly quickMs: number;
  readonly slowMs: number;
}

/** Account of a secret. */
interface Account {
  total: Bucket;
  readonly sources: Map<string, Bucket>;
  /** Those of them that had a right pin. */
  readonly known: Set<string>;
  /** Wrong pins by the store, and by the instances. */
  decidedWrong: number;
  answeredWrong: number;
  /** How often each code was accepted, and how often what was remembered was lost. */
  readonly accepted: Map<number, number>;
  losses: number;
  lostMs: number;
}

/** Counts of a history. */
export interface Tally {
  /** Pins by their outcome. */
  readonly outcomes: Map<string, number>;
}

/** Checks the guarantees. */
export class Guarantees {
  /** Counts of a history. */
  readonly tally: Tally = { outcomes: new Map() };
  readonly #accounts = new Map<string, Account>();
  #jumpedMs = 0;
  #clocks: Clocks = { quickMs: 0, slowMs: 0 };

  /** Starts with an empty store. */
  constructor(private readonly rules: GuardRules, private readonly storeOf: () => SimulatedStore) {}

  /** Records a decision of the store. */
  decided(fingerprint: string, source: string, code: number): void {
    const account = this.#account(fingerprint);
    const { maxFailures } = this.rules;
    // For every decision: a clock that was set back moves the state at the next call.
    const clocks = this.#read();
    if (SCRIPT_VERDICTS[code] === "accepted" && source !== "") account.known.add(source);
    if (SCRIPT_VERDICTS[code] !== "wrong") return;
    account.decidedWrong++;
    if (maxFailures === 0) return;
    fill(account.total, HOUR, clocks);
    const isUnknown = account.known.size > 0 && !account.known.has(source);
    const kept = isUnknown && maxFailures > 1 ? Math.ceil(maxFailures / 5) : 0;
    const attempts = maxFailures - kept + EXTRA_ATTEMPTS;
    assert(account.total.least.level <= attempts, "more attempts than the budget of a secret");
    if (source === "") return;
    const own = account.sources.get(source) ?? emptyBucket();
    account.sources.set(source, own);
    fill(own, 2 * HOUR, clocks);
    // With more sources, one may have been evicted.
    if (account.sources.size + account.known.size > MAX_SOURCES) return;
    const ownAttempts = Math.ceil(maxFailures / 2) + EXTRA_ATTEMPTS_OF_SOURCE;
    assert(own.least.level <= ownAttempts, "more attempts than the budget of a source");
  }

  /** Records that the store lost the last writes of a secret, or all data. */
  lost(fingerprint: string | undefined, nowMs: number): void {
    const accounts = fingerprint === undefined
      ? this.#accounts.values()
      : [this.#account(fingerprint)];
    for (const account of accounts) {
      account.losses++;
      account.lostMs = nowMs;
      // The number of lost attempts is unknown: the lowest level is 0.
      for (const bucket of [account.total, ...account.sources.values()]) bucket.least.level = 0;
      if (fingerprint !== undefined) continue;
      account.total = emptyBucket();
      account.sources.clear();
      account.known.clear();
    }
  }

  /** Checks a reply against the guarantees. */
  answered(check: Check): void {
    const { fingerprint, outcome, body, step } = check;
    const { outcomes } = this.tally;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    assert(body === (outcome === "true" ? "True" : "False"), "a reply unlike its outcome");
    assert(outcome !== "true" || step !== undefined, "true for a wrong pin");
    assert(check.toMs - check.fromMs < 5000, "a reply that took too long");
    if (this.storeOf().isFalse) return;
    const account = this.#account(fingerprint);
    if (outcome === "true") this.#accept(account, step!);
    if (outcome === "false") {
      assert(step === undefined, "a right pin counted as wrong");
      assert(
        ++account.answeredWrong <= account.decidedWrong,
        "a wrong pin that the store did not count",
      );
    }
    if (outcome === "unavailable") assert(!check.isCalm, "refused without an outage of the store");
    if (outcome === "throttled") this.#checkThrottled(check, account);
  }

  #accept(account: Account, step: number): void {
    const times = (account.accepted.get(step) ?? 0) + 1;
    account.accepted.set(step, times);
    assert(!this.rules.singleUse || times <= 1 + account.losses, "a code accepted twice");
  }

  // A throttle ends in time: a pin is refused only while the store refuses it, and by an instance for a
  // second more; and the store refuses only when enough was spent, by this account.
  #checkThrottled({ fingerprint, source, fromMs, toMs }: Check, account: Account): void {
    if (toMs - account.lostMs < 2 * REMEMBERED_MS + (toMs - fromMs)) return;
    const store = this.storeOf();
    if (this.rules.maxFailures === 0) assert(false, "throttled without a throttle");
    const state = store.stateOf(fingerprint);
    const sinceMs = store.nowMs - (toMs - fromMs) - REMEMBERED_MS;
    const leftMs = state && refusedMs(this.rules, state, source || undefined, sinceMs);
    const isOver = leftMs === undefined || leftMs <= 0;
    assert(
      !isOver || this.#jumpedMs > fromMs - REMEMBERED_MS,
      "throttled after the throttle ended",
    );
    const { maxFailures } = this.rules;
    const { slowMs } = this.#read();
    const own = account.sources.get(source);
    const isSpent = levelAt(account.total.most, HOUR, slowMs) > maxFailures * 0.8 - 2 ||
      own !== undefined && levelAt(own.most, 2 * HOUR, slowMs) > maxFailures / 2 - 1;
    assert(isSpent, "throttled within the budget");
  }

  /** Records that the clock of the store was set. */
  jumped(nowMs: number): void {
    this.#jumpedMs = nowMs;
  }

  #read(): Clocks {
    const slowMs = this.storeOf().nowMs;
    const quickMs = this.#clocks.quickMs + Math.max(0, slowMs - this.#clocks.slowMs);
    return this.#clocks = { quickMs, slowMs };
  }

  #account(fingerprint: string): Account {
    const known = this.#accounts.get(fingerprint);
    if (known !== undefined) return known;
    const account: Account = {
      total: emptyBucket(),
      sources: new Map(),
      known: new Set(),
      decidedWrong: 0,
      answeredWrong: 0,
      accepted: new Map(),
      losses: 0,
      lostMs: 0,
    };
    this.#accounts.set(fingerprint, account);
    return account;
  }
}

function emptyBucket(): Bucket {
  return { least: { level: 0, sinceMs: 0 }, most: { level: 0, sinceMs: 0 } };
}

function levelAt({ level, sinceMs }: Level, refillMs: number, nowMs: number): number {
  return Math.max(0, level - Math.max(0, nowMs - sinceMs) / refillMs);
}

function fill({ least, most }: Bucket, refillMs: number, { quickMs, slowMs }: Clocks): void {
  least.level = levelAt(least, refillMs, quickMs) + 1;
  least.sinceMs = quickMs;
  most.level = levelAt(most, refillMs, slowMs) + 1;
  most.sinceMs = slowMs;
}
