/**
 * A look at what a shared store remembers of a secret, which changes nothing.
 *
 * @module
 */

import type { GuardState } from "../guard/guard.ts";
import type { RedisClient } from "../connection/redis_client.ts";
import { KEY_PREFIX, parseState } from "./redis_script.ts";
import { ProtocolError } from "../connection/store_failure.ts";

/** The key under which a store keeps what is remembered of a secret. */
export function keyOf(fingerprint: string): string {
  return `${KEY_PREFIX}${fingerprint}`;
}

/** What is remembered of a secret, and when that was read. */
export interface Remembered {
  /** What is remembered. */
  readonly state: GuardState;
  /** The time by the clock of the store. */
  readonly nowMs: number;
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
  const state = await client.ask(["GET", keyOf(fingerprint)], readState);
  if (state === undefined) return undefined;
  return { state, nowMs: await client.ask(["TIME"], readTimeMs) };
}

function readState(reply: unknown): GuardState | undefined {
  if (reply === null) return undefined;
  const state = typeof reply === "string" ? parseState(reply) : undefined;
  if (state === undefined) throw new ProtocolError("What is kept there is not ours");
  return state;
}

// Seconds and microseconds, as texts.
function readTimeMs(reply: unknown): number {
  const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
  const nowMs = seconds! * 1000 + Math.floor(microseconds! / 1000);
  if (!Number.isSafeInteger(nowMs)) throw new ProtocolError("This is no time");
  return nowMs;
}
