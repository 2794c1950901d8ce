/**
 * Operator's commands on a shared store: inspect a secret, unlock it, list the secrets.
 *
 * @module
 */

import type { GuardState } from "../guard.ts";
import { openStore, type StoreClient, type StoreFiles } from "./connect.ts";
import { UNREADABLE } from "./reasons.ts";
import {
  isReply,
  KEY_PREFIX,
  parseState,
  readTimeMs,
  redisKey,
  type Send,
  unlock,
} from "./script.ts";
import type { StoreUrl } from "./store_url.ts";

/** State of a secret, with the store's time at reading. */
export interface DatedState {
  /** The state. */
  readonly state: GuardState;
  /** The time in milliseconds. */
  readonly nowMs: number;
}

/** Least timeout of a reply, in milliseconds; the URL may give a longer one. */
const LEAST_TIMEOUT_MS = 2000;

/**
 * Connects to a store for one operator's command.
 *
 * @param files The texts of the option files.
 * @throws {Error} When the store times out or replies with an error.
 */
export async function withStore<T>(
  url: StoreUrl,
  files: StoreFiles,
  act: (store: StoreClient) => Promise<T>,
): Promise<T> {
  const timeoutMs = Math.max(LEAST_TIMEOUT_MS, url.timeoutMs);
  const client = await openStore(url, { readFiles: () => files, timeoutMs });
  try {
    await client.connect();
    return await act(client);
  } finally {
    client.destroy();
  }
}

/** Reads the state of a secret without a change; undefined when the store has no state of it. */
export function inspectSecret(
  store: StoreClient,
  fingerprint: string,
): Promise<DatedState | undefined> {
  const key = redisKey(fingerprint);
  return store.run(key, async (send) => {
    const text = await send(["GET", key]);
    if (text === null) return undefined;
    const state = typeof text === "string" ? parseState(text) : undefined;
    if (state === undefined) throw new Error(UNREADABLE);
    return { state, nowMs: readTimeMs(await send(["TIME"])) };
  });
}

/** Ends the throttle of a secret; resolves with false when the store has no state of it. */
export function unlockSecret(store: StoreClient, fingerprint: string): Promise<boolean> {
  const key = redisKey(fingerprint);
  return store.run(key, (send) => unlock(send, key));
}

/** Secrets of a store: all, or a sample of many. */
export interface SecretSample {
  /** The secrets by fingerprint. */
  readonly secrets: readonly (readonly [fingerprint: string, DatedState])[];
  /** Number of secrets in the store, an estimate unless all are in the sample; undefined if unknown. */
  readonly total: number | undefined;
  /** Errors of the servers that are not in the sample. */
  readonly errors: readonly unknown[];
}

/** Number of entries in a sample: reading more would delay other clients of the store. */
const SAMPLE_KEYS = 2000;

/**
 * Reads secrets in short steps, of a large store a sample: SCAN gives keys in no order.
 *
 * @param database The number of the database.
 * @throws {Error} When no server answers.
 */
export async function sampleSecrets(
  store: StoreClient,
  database: number,
): Promise<SecretSample> {
  const { results, errors } = await store.each((send, servers) =>
    sampleServer(send, database, SAMPLE_KEYS / servers)
  );
  if (results.length === 0) throw errors[0];
  const samples = results.map(([, sample]) => sample);
  const totals = samples.map(({ total }) => total);
  return {
    secrets: samples.flatMap(({ secrets }) => secrets),
    total: totals.includes(undefined) ? undefined : totals.reduce((sum, total) => sum! + total!, 0),
    errors,
  };
}

// Any other key is a probe or foreign, and its name could contain terminal escapes.
const FINGERPRINT = /^[\w-]{43}$/;

/** Approximate number of keys in one SCAN step. */
const STEP_KEYS = 500;

async function sampleServer(
  send: Send,
  database: number,
  most: number,
): Promise<Omit<SecretSample, "errors">> {
  const nowMs = readTimeMs(await send(["TIME"]));
  const secrets: (readonly [string, DatedState])[] = [];
  let cursor = "0";
  // SCAN repeats keys while a server resizes its table.
  const seen = new Set<string>();
  do {
    const step = readStep(await send(["SCAN", cursor, "COUNT", String(STEP_KEYS)]));
    cursor = step.cursor;
    const keys = step.keys.filter((key) => {
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew && key.startsWith(KEY_PREFIX) && FINGERPRINT.test(key.slice(KEY_PREFIX.length));
    });
    const texts = await Promise.all(keys.map((key) => send(["GET", key]).catch(noText)));
    for (const [i, key] of keys.entries()) {
      // The key may be gone since the SCAN; then the text is no state.
      const state = parseState(String(texts[i]));
      if (state !== undefined) secrets.push([key.slice(KEY_PREFIX.length), { state, nowMs }]);
    }
  } while (cursor !== "0" && seen.size < most);
  if (cursor === "0") return { secrets, total: secrets.length };
  const keyspace = String(await send(["INFO", "keyspace"]).catch(() => ""));
  const [, keys] = new RegExp(`^db${database}:keys=(\\d+)`, "m").exec(keyspace) ?? [];
  const total = keys && Math.round(Number(keys) * secrets.length / seen.size);
  return { secrets, total: total === undefined ? undefined : Number(total) };
}

// A key of the wrong type makes only that one secret unreadable.
function noText(error: unknown): string {
  if (isReply(error, "WRONGTYPE")) return "";
  throw error;
}

function readStep(reply: unknown): { readonly cursor: string; readonly keys: readonly string[] } {
  const [cursor, keys] = Array.isArray(reply) ? reply : [];
  if (!/^[0-9]{1,20}$/.test(String(cursor)) || !Array.isArray(keys)) {
    throw new Error(UNREADABLE);
  }
  return { cursor: String(cursor), keys: keys.map(String) };
}
