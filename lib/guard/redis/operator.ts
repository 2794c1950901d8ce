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

/** Lists all secrets by fingerprint, in short steps that do not delay other clients. */
export async function* listSecrets(
  store: StoreClient,
): AsyncGenerator<readonly [fingerprint: string, DatedState]> {
  for (const send of await store.servers()) yield* secretsOf(send);
}

// Any other key is a probe or foreign, and its name could contain terminal escapes.
const FINGERPRINT = /^[\w-]{43}$/;

/** Approximate number of keys in one SCAN step. */
const STEP_KEYS = 500;

async function* secretsOf(
  send: Send,
): AsyncGenerator<readonly [fingerprint: string, DatedState]> {
  const nowMs = readTimeMs(await send(["TIME"]));
  let cursor = "0";
  // SCAN repeats keys while a server resizes its table.
  const seen = new Set<string>();
  do {
    const words = ["SCAN", cursor, "MATCH", `${KEY_PREFIX}*`, "COUNT", String(STEP_KEYS)];
    const step = readStep(await send(words));
    cursor = step.cursor;
    const keys = step.keys.filter((key) =>
      FINGERPRINT.test(key.slice(KEY_PREFIX.length)) && !seen.has(key) && seen.add(key)
    );
    const texts = await Promise.all(keys.map((key) => send(["GET", key]).catch(noText)));
    for (const [i, key] of keys.entries()) {
      // The key may be gone since the SCAN; then the text is no state.
      const state = parseState(String(texts[i]));
      if (state !== undefined) yield [key.slice(KEY_PREFIX.length), { state, nowMs }];
    }
  } while (cursor !== "0");
}

// A key of the wrong type makes only that one secret unreadable, as in READ_TEXT.
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
