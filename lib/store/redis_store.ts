/**
 * What the guard remembers, in a Redis or Valkey that several servers share.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type GuardRules, type GuardStore, LONGEST_WAIT_MS, type Verdict } from "../guard/guard.ts";
import type { RedisClient } from "./redis_client.ts";
import { isUnknownScript, type RedisConnection } from "./redis_connection.ts";
import { DECIDE_SCRIPT, KEY_PREFIX, SCRIPT_VERDICTS, scriptArguments } from "./redis_script.ts";
import { ProtocolError } from "./store_failure.ts";

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

const SCRIPT_SHA1 = createHash("sha1").update(DECIDE_SCRIPT).digest("hex");

/** Rules by which what the probe writes is gone at once. */
const PROBE_RULES: GuardRules = {
  maxFailures: 1,
  singleUse: false,
  forgetFailuresMs: 1,
  forgetUseMs: 1,
};

/**
 * Asks for a decision, to see whether decisions can be had. The store knows the script by its name
 * from then on.
 *
 * @throws {Error} When none can be had.
 */
export async function probe({ ask }: Pick<RedisClient, "ask">): Promise<void> {
  const args = scriptArguments(PROBE_RULES, undefined, undefined, 0);
  const command = ["EVAL", DECIDE_SCRIPT, "1", `${KEY_PREFIX}probe`, ...args];
  await ask(command, (reply) => readDecision(reply, undefined, 0));
}

/**
 * Makes a store.
 *
 * A refusal is remembered here as well until it ends: none is lifted earlier, so pins that are
 * refused cost no round trip and are not looked at.
 */
export function createRedisStore(options: RedisStoreOptions): GuardStore {
  const { rules, connection, now, onError, storeNow } = options;
  const refusals = new Refusals();
  let questions = 0;
  const ask = async (fingerprint: string, matchedStep: number | undefined): Promise<Decided> => {
    const question = ++questions;
    const key = `${KEY_PREFIX}${fingerprint}`;
    const args = ["1", key, ...scriptArguments(rules, matchedStep, storeNow?.(), question)];
    const read = (reply: unknown): Decided => readDecision(reply, matchedStep, question);
    try {
      return await connection.ask(["EVALSHA", SCRIPT_SHA1, ...args], read);
    } catch (error) {
      // A store does not know the name of a script that it has not seen since it started.
      if (!isUnknownScript(error)) throw error;
      return await connection.ask(["EVAL", DECIDE_SCRIPT, ...args], read);
    }
  };
  return {
    refusal: (fingerprint) => {
      if (refusals.has(fingerprint, now())) return "throttled";
      if (connection.isHealthy()) return undefined;
      onError?.();
      return "unavailable";
    },
    decide: async (fingerprint, matchedStep) => {
      try {
        const { verdict, refusedMs } = await ask(fingerprint, matchedStep);
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

interface Decided {
  readonly verdict: Verdict;
  readonly refusedMs: number;
}

// A decision fits its question: it has its number, only a pin that matched can be accepted or
// replayed, and only one that did not can be wrong.
function readDecision(
  reply: unknown,
  matchedStep: number | undefined,
  question: number,
): Decided {
  const [code, refusedMs, answered] = Array.isArray(reply) && reply.length === 3 ? reply : [];
  const verdict = typeof code === "number" ? SCRIPT_VERDICTS[code] : undefined;
  const isWait = typeof refusedMs === "number" && refusedMs >= 0 && refusedMs <= LONGEST_WAIT_MS;
  if (verdict === undefined || !isWait || answered !== question || !fits(verdict, matchedStep)) {
    throw new ProtocolError("This is no decision about the pin");
  }
  return { verdict, refusedMs };
}

function fits(verdict: Verdict, matchedStep: number | undefined): boolean {
  if (verdict === "wrong") return matchedStep === undefined;
  return matchedStep !== undefined || (verdict !== "accepted" && verdict !== "replayed");
}
