/**
 * A store as the program sees Redis: it decides by the rules, which the script is held to by a test
 * of its own, and forgets, fails over and lies as it is told.
 *
 * @module
 */

import { type GuardRules, type GuardState } from "../../../lib/guard/guard.ts";
import { decide } from "../guard_model.ts";
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

/** Told of what the store does. */
export interface StoreWatcher {
  /** It decided, and its decision is on its way. */
  readonly onDecision: (fingerprint: string, source: string, code: number) => void;
  /** What it remembered of a secret is lost; undefined for all secrets. */
  readonly onLoss: (fingerprint: string | undefined) => void;
}

/** For how long a write may be lost when another server takes over. */
const REPLICATION_MS = 2000;

/** The store. */
export class SimulatedStore {
  /** Whether some of its answers are lies. */
  isLying = false;
  /** How far its clock is off. */
  clockOffsetMs = 0;
  readonly #kept = new Map<string, Kept>();
  readonly #writes: Write[] = [];
  #knowsScript = false;

  /** Makes an empty store. */
  constructor(
    private readonly world: World,
    private readonly rules: GuardRules,
    private readonly watcher: StoreWatcher,
  ) {}

  /** The time by its clock. */
  get nowMs(): number {
    return Math.floor(this.world.nowMs + this.clockOffsetMs);
  }

  /** What it remembers of a secret. */
  stateOf(fingerprint: string): GuardState | undefined {
    return this.#find(`${KEY_PREFIX}${fingerprint}`)?.state;
  }

  /** Ends and starts without anything. */
  restartEmpty(): void {
    this.#kept.clear();
    this.#writes.length = 0;
    this.#knowsScript = false;
    this.watcher.onLoss(undefined);
  }

  /** Another server takes its place, which had not heard of the last writes, and has its own clock. */
  failOver(lostMs: number, clockOffsetMs: number): void {
    const sinceMs = this.world.nowMs - lostMs;
    for (let last = this.#writes.pop(); last && last.atMs >= sinceMs; last = this.#writes.pop()) {
      if (last.before === undefined) this.#kept.delete(last.key);
      else this.#kept.set(last.key, last.before);
      this.watcher.onLoss(last.key.slice(KEY_PREFIX.length));
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
    return this.isLying && this.world.random(3) === 0 ? this.#lie(reply) : reply;
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
    const { verdict, state, keepMs, refusedMs } = decide(rules, before?.state, asked, nowMs);
    if (state !== before?.state) {
      this.#writes.push({ atMs: this.world.nowMs, key, before });
      if (this.#writes.length > 10_000) this.#forgetOldWrites();
      if (state === undefined) this.#kept.delete(key);
      else this.#kept.set(key, { state, expiresAtMs: nowMs + keepMs });
    }
    const code = SCRIPT_VERDICTS.indexOf(verdict);
    if (!isProbe) this.watcher.onDecision(key.slice(KEY_PREFIX.length), source, code);
    return [code, refusedMs];
  }

  #lie([code, refusedMs]: readonly number[]): unknown {
    const { random } = this.world;
    const lies: readonly unknown[] = [
      [0, 0],
      [1, 0],
      [random(6), random(3) * 1000],
      [code, refusedMs, 0],
      [2, 3_600_000],
      "OK",
      null,
    ];
    return lies[random(lies.length)];
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
