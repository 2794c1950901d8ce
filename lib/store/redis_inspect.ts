/**
 * A look at what a shared store remembers of a secret, which changes nothing.
 *
 * @module
 */

import { type GuardState, LONGEST_WAIT_MS } from "../guard/guard.ts";
import type { RedisClient } from "./redis_client.ts";
import { KEY_PREFIX } from "./redis_script.ts";
import { ProtocolError } from "./store_failure.ts";

/** What is remembered of a secret. */
export interface Remembered {
  /** Failures since the last success. */
  readonly failures: number;
  /** For how long pins are still refused, in milliseconds; 0 when they are not. */
  readonly refusedMs: number;
  /** The latest time step whose code was accepted; -1 when there is none. */
  readonly usedStep: number;
}

/**
 * Reads what is remembered of a secret.
 *
 * @returns undefined when that is nothing.
 * @throws {Error} When the store does not answer, or cannot be read.
 */
export async function inspect(
  client: Pick<RedisClient, "ask">,
  fingerprint: string,
): Promise<Remembered | undefined> {
  const kept = await client.ask(["GET", `${KEY_PREFIX}${fingerprint}`], readState);
  if (kept === undefined) return undefined;
  const nowMs = await client.ask(["TIME"], readTimeMs);
  const { refusedUntilMs, ...rest } = kept;
  return { ...rest, refusedMs: Math.max(0, Math.min(refusedUntilMs - nowMs, LONGEST_WAIT_MS)) };
}

function readState(reply: unknown): GuardState | undefined {
  if (reply === null) return undefined;
  const [, failures, untilMs, usedStep] = /^(\d+):(\d+):(-?\d+)$/.exec(String(reply)) ?? [];
  if (failures === undefined) throw new ProtocolError("What is kept there is not ours");
  return {
    failures: Number(failures),
    refusedUntilMs: Number(untilMs),
    usedStep: Number(usedStep),
  };
}

// Seconds and microseconds, as texts.
function readTimeMs(reply: unknown): number {
  const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
  const nowMs = seconds! * 1000 + Math.floor(microseconds! / 1000);
  if (!Number.isSafeInteger(nowMs)) throw new ProtocolError("This is no time");
  return nowMs;
}
