/**
 * What holds in every history, whatever happens. Kept by a simple account of its own of what was
 * spent and used, beside the one of the rules.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { type GuardRules, refusedMs } from "../../../lib/guard/guard.ts";
import { MAX_SOURCES } from "../../../lib/guard/sources.ts";
import { SCRIPT_VERDICTS } from "../../../lib/guard/redis/script.ts";
import type { SimulatedStore } from "./store.ts";

const HOUR = 3_600_000;

/** Looks beyond the budget while waits grow, of a secret. */
const EXTRA_ATTEMPTS = 7;

/** And of a source, which come back half as fast: one doubling more. */
const EXTRA_LOOKS_OF_SOURCE = 8;

/** For how long an instance may remember a refusal that was lifted, and a little for the way. */
const REMEMBERED_MS = 1100;

/** One pin that was checked. */
export interface Check {
  /** The name of the secret in the store. */
  readonly fingerprint: string;
  /** The name of who asked, in the store; empty for nobody. */
  readonly source: string;
  /** The time step whose code the pin is, by the clock of the instance; undefined when it is none. */
  readonly step: number | undefined;
  /** When it was sent, and answered. */
  readonly fromMs: number;
  /** When it was answered. */
  readonly toMs: number;
  /** Whether the store could not be blamed for anything meanwhile, nor shortly before. */
  readonly isCalm: boolean;
  /** The body of the answer. */
  readonly body: string;
  /** The outcome, as the log has it. */
  readonly outcome: string;
}

/** A bucket that leaks: what it holds at least and at most, whatever the clock of the store does. */
interface Bucket {
  readonly least: Level;
  readonly most: Level;
}

interface Level {
  level: number;
  sinceMs: number;
}

/** The clock of the store as if it never went back, and as it is. */
interface Clocks {
  readonly quickMs: number;
  readonly slowMs: number;
}

/** What is known of a secret. */
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

/** What was seen. */
export interface Tally {
  /** Pins by their outcome. */
  readonly outcomes: Map<string, number>;
  /** Codes that were accepted again, after the store had lost that they were used. */
  acceptedAgain: number;
}

/** Holds a history to what was promised. */
export class Promises {
  /** What was seen. */
  readonly tally: Tally = { outcomes: new Map(), acceptedAgain: 0 };
  readonly #accounts = new Map<string, Account>();
  #jumpedMs = 0;
  #clocks: Clocks = { quickMs: 0, slowMs: 0 };

  /** Begins with a store that remembers nothing. */
  constructor(private readonly rules: GuardRules, private readonly storeOf: () => SimulatedStore) {}

  /** Takes note of a decision of the store. */
  decided(fingerprint: string, source: string, code: number): void {
    const account = this.#account(fingerprint);
    const { maxFailures } = this.rules;
    // Whatever is decided: a clock that was set back moves what the store remembers, once it is asked.
    const clocks = this.#read();
    if (SCRIPT_VERDICTS[code] === "accepted" && source !== "") account.known.add(source);
    if (SCRIPT_VERDICTS[code] !== "wrong") return;
    account.decidedWrong++;
    if (maxFailures === 0) return;
    fill(account.total, HOUR, clocks);
    const isStranger = account.known.size > 0 && !account.known.has(source);
    const kept = isStranger && maxFailures > 1 ? Math.ceil(maxFailures / 5) : 0;
    const attempts = maxFailures - kept + EXTRA_ATTEMPTS;
    assert(account.total.least.level <= attempts, "more attempts than the budget of a secret");
    if (source === "") return;
    const own = account.sources.get(source) ?? emptyBucket();
    account.sources.set(source, own);
    fill(own, 2 * HOUR, clocks);
    // One of more may have been forgotten in between.
    if (account.sources.size + account.known.size > MAX_SOURCES) return;
    const ownAttempts = Math.ceil(maxFailures / 2) + EXTRA_LOOKS_OF_SOURCE;
    assert(own.least.level <= ownAttempts, "more attempts than the budget of a source");
  }

  /** Takes note that the store lost the last writes about a secret, or all about all. */
  lost(fingerprint: string | undefined, nowMs: number): void {
    const accounts = fingerprint === undefined
      ? this.#accounts.values()
      : [this.#account(fingerprint)];
    for (const account of accounts) {
      account.losses++;
      account.lostMs = nowMs;
      // How many of the attempts were among them, nobody knows: at least none is left.
      for (const bucket of [account.total, ...account.sources.values()]) bucket.least.level = 0;
      if (fingerprint !== undefined) continue;
      account.total = emptyBucket();
      account.sources.clear();
      account.known.clear();
    }
  }

  /** Holds what was answered to a check against what was promised. */
  answered(check: Check): void {
    const { fingerprint, outcome, body, step } = check;
    const { outcomes } = this.tally;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    assert(body === (outcome === "true" ? "True" : "False"), "an answer that is not its outcome");
    assert(outcome !== "true" || step !== undefined, "true for a wrong pin");
    assert(check.toMs - check.fromMs < 5000, "an answer that took too long");
    if (this.storeOf().isLying) return;
    const account = this.#account(fingerprint);
    if (outcome === "true") this.#accept(account, step!);
    if (outcome === "false") {
      assert(step === undefined, "a right pin taken for a wrong one");
      assert(
        ++account.answeredWrong <= account.decidedWrong,
        "an attempt that the store knows not of",
      );
    }
    if (outcome === "unavailable") assert(!check.isCalm, "refused for a store that was well");
    if (outcome === "throttled") this.#checkThrottled(check, account);
  }

  #accept(account: Account, step: number): void {
    const times = (account.accepted.get(step) ?? 0) + 1;
    account.accepted.set(step, times);
    if (!this.rules.singleUse || times === 1) return;
    assert(times <= 1 + account.losses, "a code accepted twice");
    this.tally.acceptedAgain++;
  }

  // A wait ends when it should: a pin is refused only while the store refuses, and an instance for a
  // second more; and the store refuses only who spent enough, by our own account.
  #checkThrottled({ fingerprint, source, fromMs, toMs }: Check, account: Account): void {
    if (toMs - account.lostMs < 2 * REMEMBERED_MS + (toMs - fromMs)) return;
    const store = this.storeOf();
    if (this.rules.maxFailures === 0) assert(false, "throttled without a throttle");
    const state = store.stateOf(fingerprint);
    const sinceMs = store.nowMs - (toMs - fromMs) - REMEMBERED_MS;
    const leftMs = state && refusedMs(this.rules, state, source || undefined, sinceMs);
    const isOver = leftMs === undefined || leftMs <= 0;
    assert(!isOver || this.#jumpedMs > fromMs - REMEMBERED_MS, "a wait that is over");
    const { maxFailures } = this.rules;
    const { slowMs } = this.#read();
    const own = account.sources.get(source);
    const isSpent = levelAt(account.total.most, HOUR, slowMs) > maxFailures * 0.8 - 2 ||
      own !== undefined && levelAt(own.most, 2 * HOUR, slowMs) > maxFailures / 2 - 1;
    assert(isSpent, "throttled although the budget holds");
  }

  /** Takes note that the clock of the store was set. */
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
