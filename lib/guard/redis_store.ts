/**
 * What the guard remembers, in a Redis or Valkey that several servers share.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { GuardRules, GuardStore, Verdict } from "./guard.ts";
import { isUnknownScript, type RedisConnection } from "./redis_connection.ts";
import { DECIDE_SCRIPT, KEY_PREFIX, SCRIPT_VERDICTS, scriptArguments } from "./redis_script.ts";

/** Secrets whose refusal is remembered in this process, at most. */
const MAX_REFUSALS = 10_000;

/** What a store in Redis needs. */
export interface RedisStoreOptions {
  /** The rules, the same for all that share the store. */
  readonly rules: GuardRules;
  /** The way to Redis. */
  readonly connection: RedisConnection;
  /** A clock in milliseconds that only goes forward. */
  readonly now: () => number;
  /** Told whenever a decision could not be had. */
  readonly onError?: () => void;
  /** A clock for the decisions instead of the store's own, for tests. */
  readonly storeNow?: () => number;
}

/**
 * A command that shows that decisions can be had: a decision, with the rules such that what it
 * writes is gone at once. It also makes the script known by its name.
 */
export const PROBE: readonly string[] = [
  "EVAL",
  DECIDE_SCRIPT,
  "1",
  `${KEY_PREFIX}probe`,
  ...scriptArguments(
    { maxFailures: 1, singleUse: false, forgetFailuresMs: 1, forgetUseMs: 1 },
    undefined,
    undefined,
  ),
];

const SCRIPT_SHA1 = createHash("sha1").update(DECIDE_SCRIPT).digest("hex");

/**
 * Makes a store.
 *
 * A refusal is remembered here as well until it ends: none is lifted earlier, so pins that are
 * refused cost no round trip and are not looked at.
 */
export function createRedisStore(options: RedisStoreOptions): GuardStore {
  const { rules, connection, now, onError, storeNow } = options;
  const refusals = new Refusals();
  return {
    refusal: (fingerprint) => {
      if (refusals.has(fingerprint, now())) return "throttled";
      if (connection.isHealthy()) return undefined;
      onError?.();
      return "unavailable";
    },
    decide: async (fingerprint, matchedStep) => {
      const args = scriptArguments(rules, matchedStep, storeNow?.());
      try {
        const reply = await runScript(connection, `${KEY_PREFIX}${fingerprint}`, args);
        const [verdict, refusedMs] = readReply(reply);
        if (refusedMs > 0) refusals.add(fingerprint, now() + refusedMs);
        return verdict;
      } catch {
        // The connection has told why; whatever it was, nothing is known of the secret.
        onError?.();
        return "unavailable";
      }
    },
    isHealthy: connection.isHealthy,
    close: connection.close,
  };
}

/** Secrets whose pins are refused, each until a time; the one added first goes for want of room. */
class Refusals {
  readonly #untilMs = new Map<string, number>();

  add(fingerprint: string, untilMs: number): void {
    this.#untilMs.delete(fingerprint);
    if (this.#untilMs.size >= MAX_REFUSALS) {
      this.#untilMs.delete(this.#untilMs.keys().next().value!);
    }
    this.#untilMs.set(fingerprint, untilMs);
  }

  has(fingerprint: string, nowMs: number): boolean {
    const untilMs = this.#untilMs.get(fingerprint);
    if (untilMs === undefined) return false;
    if (nowMs < untilMs) return true;
    this.#untilMs.delete(fingerprint);
    return false;
  }
}

// The name of the script is enough, but for a store that has not seen it since it started.
async function runScript(
  { send }: RedisConnection,
  key: string,
  args: readonly string[],
): Promise<unknown> {
  try {
    return await send(["EVALSHA", SCRIPT_SHA1, "1", key, ...args]);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return await send(["EVAL", DECIDE_SCRIPT, "1", key, ...args]);
  }
}

function readReply(reply: unknown): readonly [verdict: Verdict, refusedMs: number] {
  if (!Array.isArray(reply)) throw new TypeError("The store answers something else");
  const verdict = SCRIPT_VERDICTS[Number(reply[0])];
  const refusedMs = Number(reply[1]);
  if (verdict === undefined || !Number.isSafeInteger(refusedMs)) {
    throw new TypeError("The store answers something else");
  }
  return [verdict, refusedMs];
}
