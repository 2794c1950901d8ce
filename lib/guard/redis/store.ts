/**
 * Store of the guard in a Redis or Valkey shared by several instances.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type {
  Admission,
  CheckedPin,
  GuardRules,
  GuardStore,
  Refusal,
  SharedStoreAdmin,
  Verdict,
} from "../guard.ts";
import { ExpiringMap } from "../expiring_map.ts";
import type { Send } from "./connect.ts";
import type { StoreLink } from "./link.ts";
import { ProtocolError } from "./reasons.ts";
import {
  DECIDE_SCRIPT,
  KEY_PREFIX,
  READ_TEXT,
  SCRIPT_VERDICTS,
  scriptArguments,
} from "./script.ts";

/** Maximum number of refusals remembered in this process. */
const MAX_REFUSALS = 10_000;

/** Longest time for which a refusal is remembered in this process, in milliseconds. */
const MAX_REFUSAL_MS = 1000;

/** Options of a store in Redis. */
export interface RedisStoreOptions {
  /** The rules, the same for all instances that share the store. */
  readonly rules: GuardRules;
  /** The link to Redis. */
  readonly link: Pick<StoreLink, "ask" | "isHealthy" | "close">;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Called for each pin without a decision. */
  readonly onError?: () => void;
  /** Clock of the decisions instead of the store's, for tests. */
  readonly storeNow?: () => number;
}

const SCRIPT_SHA1 = createHash("sha1").update(DECIDE_SCRIPT).digest("hex");

/** Rules of a probe: its used code expires at once. */
const PROBE_RULES: GuardRules = { maxFailures: 0, singleUse: true, forgetUseMs: 1 };

/** Prefix of the probe keys; no fingerprint begins like this. */
export const PROBE_PREFIX = `${KEY_PREFIX}probe-`;

/**
 * Probes a server with EVAL and EVALSHA of the script. The server has the script in its cache from
 * then on.
 *
 * @param key A probe key, with the prefix `PROBE_PREFIX`.
 * @throws {Error} When the server gives no decision.
 */
export async function probe(send: Send, key: string): Promise<void> {
  const asked: CheckedPin = { matchedStep: 0 };
  const args = scriptArguments({ rules: PROBE_RULES, asked, nowMs: undefined });
  readDecision(await send(["EVAL", DECIDE_SCRIPT, "1", key, ...args]), asked);
  try {
    readDecision(await send(["EVALSHA", SCRIPT_SHA1, "1", key, ...args]), asked);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
  }
}

/**
 * Script that refills the budgets of a secret and its sources. The used code and the known sources
 * stay; without either, the key is deleted.
 */
const UNLOCK_SCRIPT = `
${READ_TEXT}
if type(text) ~= 'string' then return 0 end
local used, rest = string.match(text, '^%d+:%d+:(-?%d+)(.*)$')
if not used then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
rest = string.gsub(rest, ' ([%w_-]+):%d+:%d+:(%d+)', function (id, known)
  return tonumber(known) > now and ' ' .. id .. ':0:0:' .. known or ''
end)
if used == '-1' and rest == '' then
  redis.call('DEL', KEYS[1])
  return 1
end
redis.call('SET', KEYS[1], '0:0:' .. used .. rest, 'PX', math.max(1, redis.call('PTTL', KEYS[1])))
return 1
`;

/**
 * Ends the throttle of a secret by its key.
 *
 * @returns Whether the store had a state of the secret.
 * @throws {Error} When the store does not do it.
 */
export async function unlockAt(send: Send, key: string): Promise<boolean> {
  const done = await send(["EVAL", UNLOCK_SCRIPT, "1", key]);
  if (done !== 0 && done !== 1) throw new ProtocolError("This is no reply to the script");
  return done === 1;
}

/**
 * Store in Redis.
 *
 * This process remembers a refusal for a second at most, so that most throttled pins cost no round
 * trip; no longer, because an operator may unlock the secret.
 */
export class RedisStore implements GuardStore, SharedStoreAdmin {
  readonly #options: RedisStoreOptions;
  /** Throttled pins by secret and source; a full table drops its oldest entry. */
  readonly #refusals = new ExpiringMap<true>();

  /** Makes a store. */
  constructor(options: RedisStoreOptions) {
    this.#options = options;
  }

  /** Whether the store answers; undefined until its first answer. */
  isHealthy(): boolean | undefined {
    return this.#options.link.isHealthy;
  }

  /** Closes the link. */
  close(): void {
    this.#options.link.close();
  }

  /** Admits a pin, or refuses it by the refusals of this process. */
  admit(fingerprint: string, source?: string): Admission | Refusal {
    if (this.#refusals.get(refusalName(fingerprint, source), this.#options.now())) {
      return "throttled";
    }
    if (!this.isHealthy()) {
      this.#options.onError?.();
      return "unavailable";
    }
    return {
      isCharged: false,
      settle: (matchedStep) => this.#settle(fingerprint, { matchedStep, source }),
      cancel: () => {},
    };
  }

  /** Ends the throttle of a secret, of which this process forgets the refusals within a second. */
  async unlock(fingerprint: string): Promise<boolean> {
    const key = `${KEY_PREFIX}${fingerprint}`;
    // A refused command, for want of a permission, is no failure of the link.
    const done = await this.#options.link.ask(
      key,
      (send) => unlockAt(send, key).catch((error: unknown) => ({ error })),
    );
    if (typeof done === "object") throw done.error;
    return done;
  }

  async #settle(fingerprint: string, pin: CheckedPin): Promise<Verdict> {
    const { now, onError } = this.#options;
    try {
      const { verdict, refusedMs } = await this.#decide(fingerprint, pin);
      if (refusedMs > 0) {
        const untilMs = now() + Math.min(refusedMs, MAX_REFUSAL_MS);
        this.#refusals.set(refusalName(fingerprint, pin.source), true, untilMs);
        if (this.#refusals.size > MAX_REFUSALS) this.#refusals.deleteOldest();
      }
      if (verdict === "unavailable") onError?.();
      return verdict;
    } catch {
      // The link logs the reason.
      onError?.();
      return "unavailable";
    }
  }

  #decide(fingerprint: string, asked: CheckedPin): Promise<Decided> {
    const { rules, link, storeNow } = this.#options;
    const key = `${KEY_PREFIX}${fingerprint}`;
    const args = ["1", key, ...scriptArguments({ rules, asked, nowMs: storeNow?.() })];
    return link.ask(key, async (send, isOver) => {
      try {
        return readDecision(await send(["EVALSHA", SCRIPT_SHA1, ...args]), asked);
      } catch (error) {
        // A server loses its script cache at a restart.
        if (!isUnknownScript(error) || isOver()) throw error;
        return readDecision(await send(["EVAL", DECIDE_SCRIPT, ...args]), asked);
      }
    });
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

function refusalName(fingerprint: string, source = ""): string {
  return `${fingerprint} ${source}`;
}

interface Decided {
  readonly verdict: Verdict;
  readonly refusedMs: number;
}

// Accept a verdict only if it fits the question: accepted and replayed need a pin that matched
// here, so no reply of a store makes a wrong pin right.
function readDecision(reply: unknown, { matchedStep }: CheckedPin): Decided {
  const [code, refusedMs] = Array.isArray(reply) && reply.length === 2 ? reply : [];
  const verdict = typeof code === "number" ? SCRIPT_VERDICTS[code] : undefined;
  const isWait = Number.isSafeInteger(refusedMs) && refusedMs >= 0;
  if (verdict === undefined || !isWait || !fits(verdict, matchedStep)) {
    throw new ProtocolError("This is no decision about the pin");
  }
  return { verdict, refusedMs };
}

function fits(verdict: Verdict, matchedStep: number | undefined): boolean {
  if (verdict === "wrong") return matchedStep === undefined;
  return matchedStep !== undefined || (verdict !== "accepted" && verdict !== "replayed");
}
