/**
 * A look at what a shared store remembers of a secret, which changes nothing.
 *
 * @module
 */

import { LONGEST_WAIT_MS } from "./guard.ts";
import type { RedisClient } from "./redis_connection.ts";
import { KEY_PREFIX } from "./redis_script.ts";

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
  client: RedisClient,
  fingerprint: string,
): Promise<Remembered | undefined> {
  const text = await client.sendCommand(["GET", `${KEY_PREFIX}${fingerprint}`]);
  if (text === null) return undefined;
  const [, failures, untilMs, usedStep] = /^(\d+):(\d+):(-?\d+)$/.exec(String(text)) ?? [];
  const time = await client.sendCommand(["TIME"]);
  if (failures === undefined || !Array.isArray(time)) throw new TypeError("The store is not ours");
  const nowMs = Number(time[0]) * 1000 + Math.floor(Number(time[1]) / 1000);
  const leftMs = Math.min(Number(untilMs) - nowMs, LONGEST_WAIT_MS);
  return {
    failures: Number(failures),
    refusedMs: Math.max(0, leftMs),
    usedStep: Number(usedStep),
  };
}
