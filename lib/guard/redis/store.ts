/**
 * Store of the guard in a Redis or Valkey shared by several instances.
 *
 * @module
 */

import type { CheckedPin, GuardRules, GuardStore, Verdict } from "../guard.ts";
import { ExpiringMap } from "../expiring_map.ts";
import type { StoreLink } from "./link.ts";
import { NO_REPLY } from "./reasons.ts";
import { isReply, redisKey, runScript, unlock } from "./script.ts";

/** Maximum number of refusals remembered in this process. */
const MAX_REFUSALS = 10_000;

/** Longest time for which a refusal is remembered in this process, in milliseconds. */
const MAX_REFUSAL_MS = 1000;

/** Options of a store in Redis. */
export interface RedisStoreOptions {
  /** The rules, the same for all instances that share the store. */
  readonly rules: GuardRules;
  /** The link to Redis. */
  readonly link: Pick<StoreLink, "run" | "isHealthy">;
  /** A monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called for each pin without a decision. */
  readonly onError?: () => void;
  /** Clock of the decisions instead of the store's, for tests. */
  readonly storeNow?: () => number;
}

/**
 * Store in Redis.
 *
 * This process remembers a refusal for a second at most, so that most throttled pins cost no round
 * trip; no longer, because an operator may unlock the secret.
 */
export class RedisStore implements GuardStore {
  readonly #options: RedisStoreOptions;
  /** Ends of throttles by secret and source; a full table drops the one that ends first. */
  readonly #refusals = new ExpiringMap<number>();

  /** Makes a store. */
  constructor(options: RedisStoreOptions) {
    this.#options = options;
  }

  /** Decides about a pin by the script, unless the store is known to be away. */
  async decide(fingerprint: string, pin: CheckedPin): Promise<Verdict> {
    const { rules, link, monotonicMs, storeNow, onError } = this.#options;
    if (!link.isHealthy) {
      onError?.();
      return "unavailable";
    }
    const key = redisKey(fingerprint);
    const call = { rules, pin, nowMs: storeNow?.() };
    try {
      const { verdict, refusedMs } = await link.run(key, (send) => runScript(send, key, call));
      if (refusedMs > 0) {
        const nowMs = monotonicMs();
        const untilMs = nowMs + Math.min(refusedMs, MAX_REFUSAL_MS);
        if (this.#refusals.size >= MAX_REFUSALS) this.#refusals.deleteFirst();
        this.#refusals.set(refusalName(fingerprint, pin.source), nowMs + refusedMs, untilMs);
      }
      if (verdict === "unavailable") onError?.();
      return verdict;
    } catch {
      // The link logs the reason.
      onError?.();
      return "unavailable";
    }
  }

  /** Returns the rest of a remembered refusal, in milliseconds; 0 without one. */
  throttledMs(fingerprint: string, source: string | undefined): number {
    const nowMs = this.#options.monotonicMs();
    return (this.#refusals.get(refusalName(fingerprint, source), nowMs) ?? nowMs) - nowMs;
  }

  /** Ends the throttle of a secret, of which this process forgets the refusals within a second. */
  async unlock(fingerprint: string): Promise<boolean> {
    const key = redisKey(fingerprint);
    // A refused command, for want of a permission, is no failure of the link; no reply is one.
    const refusal = (error: unknown): { readonly error: unknown } => {
      if (isReply(error, NO_REPLY)) throw error;
      return { error };
    };
    const { link, storeNow } = this.#options;
    const done = await link.run(key, (send) => unlock(send, key, storeNow?.()).catch(refusal));
    if (typeof done === "object") throw done.error;
    return done;
  }
}

function refusalName(fingerprint: string, source = ""): string {
  return `${fingerprint} ${source}`;
}
