/**
 * A simulated Redis: it decides by the model of the guard, with which tests of its own compare the
 * script, and can restart empty, fail over and send false replies.
 *
 * @module
 */

import { type GuardRules, type GuardState } from "../../../lib/guard/guard.ts";
import { decideByRules } from "../guard_model.ts";
import { KEY_PREFIX, PROBE_PREFIX, SCRIPT_VERDICTS } from "../../../lib/guard/redis/script.ts";
import type { World } from "./world.ts";

interface Kept {
  readonly state: GuardState;
  readonly expiresAtMs: number;
}

interface Write {
  readonly atMs: number;
  readonly key: string;
  readonly before: Kept | undefined;
}

/** Observer of the store. */
export interface StoreObserver {
  /** Called for each decision, before its reply arrives. */
  readonly onDecision: (fingerprint: string, source: string, code: number) => void;
  /** Called when the state of a secret is lost; of all secrets when undefined. */
  readonly onLoss: (fingerprint: string | undefined) => void;
}

/** Age up to which a failover can lose a write. */
const REPLICATION_MS = 2000;

/** The store. */
export class SimulatedStore {
  /** Whether some of its replies are false. */
  isFalse = false;
  /** Error of its clock. */
  clockOffsetMs = 0;
  readonly #kept = new Map<string, Kept>();
  readonly #writes: Write[] = [];
  #knowsScript = false;

  /** Makes an empty store. */
  constructor(
    private readonly world: World,
    private readonly rules: GuardRules,
    private readonly observer: StoreObserver,
  ) {}

  /** The time by its clock. */
  get nowMs(): number {
    return Math.floor(this.world.nowMs + this.clockOffsetMs);
  }

  /** State of a secret. */
  stateOf(fingerprint: string): GuardState | undefined {
    return this.#find(`${KEY_PREFIX}${fingerprint}`)?.state;
  }

  /** Restarts it without data. */
  restartEmpty(): void {
    this.#kept.clear();
    this.#writes.length = 0;
    this.#knowsScript = false;
    this.observer.onLoss(undefined);
  }

  /** Fails over to a replica without the last writes, which has another clock. */
  failOver(lostMs: number, clockOffsetMs: number): void {
    const sinceMs = this.world.nowMs - lostMs;
    for (let last = this.#writes.pop(); last && last.atMs >= sinceMs; last = this.#writes.pop()) {
      if (last.before === undefined) this.#kept.delete(last.key);
      else this.#kept.set(last.key, last.before);
      this.observer.onLoss(last.key.slice(KEY_PREFIX.length));
    }
    this.#writes.length = 0;
    this.#knowsScript = false;
    this.clockOffsetMs = clockOffsetMs;
  }

  /** Answers a command. */
  answer(words: readonly string[]): unknown {
    const [command, , , key = "", ...args] = words;
    if (command === "EVAL") this.#knowsScript = true;
    if (!this.#knowsScript) return new Error("NOSCRIPT No matching script.");
    const reply = this.#decide(key, args);
    return this.isFalse && this.world.random(3) === 0 ? this.#falseReply(reply) : reply;
  }

  #decide(key: string, args: readonly string[]): readonly number[] {
    const [, , , singleUse, forgetUseMs, source = "", step] = args;
    const isProbe = key.startsWith(PROBE_PREFIX);
    const rules = isProbe
      ? { maxFailures: 0, singleUse: singleUse === "1", forgetUseMs: Number(forgetUseMs) }
      : this.rules;
    const before = this.#find(key);
    const asked = {
      matchedStep: step === "" ? undefined : Number(step),
      source: source === "" ? undefined : source,
    };
    const { nowMs } = this;
    const { verdict, state, keepMs, refusedMs } = decideByRules(rules, before?.state, asked, nowMs);
    if (state !== before?.state) {
      this.#writes.push({ atMs: this.world.nowMs, key, before });
      if (this.#writes.length > 10_000) this.#forgetOldWrites();
      if (state === undefined) this.#kept.delete(key);
      else this.#kept.set(key, { state, expiresAtMs: nowMs + keepMs });
    }
    const code = SCRIPT_VERDICTS.indexOf(verdict);
    if (!isProbe) this.observer.onDecision(key.slice(KEY_PREFIX.length), source, code);
    return [code, refusedMs];
  }

  #falseReply([code, refusedMs]: readonly number[]): unknown {
    const { random } = this.world;
    const replies: readonly unknown[] = [
      [0, 0],
      [1, 0],
      [random(6), random(3) * 1000],
      [code, refusedMs, 0],
      [2, 3_600_000],
      "OK",
      null,
    ];
    return replies[random(replies.length)];
  }

  #find(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    return kept && kept.expiresAtMs > this.nowMs ? kept : undefined;
  }

  #forgetOldWrites(): void {
    const sinceMs = this.world.nowMs - REPLICATION_MS;
    const first = this.#writes.findIndex(({ atMs }) => atMs >= sinceMs);
    this.#writes.splice(0, first < 0 ? this.#writes.length : first);
  }
}
