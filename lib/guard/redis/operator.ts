/**
 * Operator's commands on a shared store: inspect a secret, unlock it, list the secrets, probe.
 *
 * @module
 */

import type { GuardState } from "../guard.ts";
import { openStore, type Send, type StoreClient, type StoreFiles } from "./connect.ts";
import { Deadlines } from "../deadlines.ts";
import { ProtocolError, timeoutError } from "./reasons.ts";
import { KEY_PREFIX, parseState } from "./script.ts";
import { probe, PROBE_PREFIX, unlockAt } from "./store.ts";
import type { StoreUrl } from "./store_url.ts";

/** State of a secret, with the store's time at reading. */
export interface DatedState {
  /** The state. */
  readonly state: GuardState;
  /** The time in milliseconds. */
  readonly nowMs: number;
}

/** State of a secret, with its fingerprint. */
export interface DatedSecret extends DatedState {
  /** The fingerprint. */
  readonly fingerprint: string;
}

/** Operator's view of a store; each call rejects on a timeout or an error reply. */
export interface StoreOperator {
  /** Reads the state of a secret without a change; undefined when the store has no state of it. */
  readonly inspect: (fingerprint: string) => Promise<DatedState | undefined>;
  /** Ends the throttle of a secret; resolves with false when the store has no state of it. */
  readonly unlock: (fingerprint: string) => Promise<boolean>;
  /** Lists all secrets, in short steps that do not delay other clients. */
  readonly secrets: () => AsyncIterable<DatedSecret>;
  /** Probes all servers, as a service does before it uses them. */
  readonly probe: () => Promise<void>;
}

/** Options of an operator's command. */
export interface OperatorOptions {
  /** The texts of the option files. */
  readonly files: StoreFiles;
  /** Least timeout of a reply, in milliseconds; the URL may give a longer one. */
  readonly timeoutMs: number;
}

/**
 * Connects to a store for one operator's command.
 *
 * @throws {Error} When the store times out or replies with an error.
 */
export async function askStore<T>(
  url: StoreUrl,
  options: OperatorOptions,
  act: (store: StoreOperator) => Promise<T>,
): Promise<T> {
  const timeoutMs = Math.max(options.timeoutMs, url.timeoutMs);
  const client = await openStore(url, { ...options, timeoutMs, probePrefix: PROBE_PREFIX });
  const deadlines = new Deadlines(timeoutMs, timeoutError);
  try {
    await deadlines.within(() => client.connect());
    return await act(operated(client, deadlines));
  } finally {
    client.destroy();
    deadlines.close();
  }
}

function operated(client: StoreClient, deadlines: Deadlines): StoreOperator {
  const sendTo = (key: string): Send => async (words) => {
    try {
      return await deadlines.within(() => client.send(key, words));
    } catch (error) {
      throw client.located(error, key);
    }
  };
  return {
    inspect: async (fingerprint) => {
      const key = redisKey(fingerprint);
      const send = sendTo(key);
      const text = await send(["GET", key]);
      if (text === null) return undefined;
      const state = typeof text === "string" ? parseState(text) : undefined;
      if (state === undefined) throw new ProtocolError("This is no state of a secret");
      return { state, nowMs: readTimeMs(await send(["TIME"])) };
    },
    unlock: async (fingerprint) => {
      const key = redisKey(fingerprint);
      return await unlockAt(sendTo(key), key);
    },
    secrets: async function* (): AsyncGenerator<DatedSecret> {
      for (const server of await deadlines.within(() => client.servers())) {
        yield* keptSecrets((words) => deadlines.within(() => server(words)));
      }
    },
    probe: async () => {
      const keys = client.probeNumbers().flat().map((number) => `${PROBE_PREFIX}${number}`);
      await Promise.all(keys.map((key) => probe(sendTo(key), key)));
    },
  };
}

/** Returns the store's key for the state of a secret. */
export function redisKey(fingerprint: string): string {
  return `${KEY_PREFIX}${fingerprint}`;
}

// Any other key is a probe or foreign, and its name could contain terminal escapes.
const FINGERPRINT = /^[\w-]{43}$/;

/** Approximate number of keys in one SCAN step. */
const STEP_KEYS = 500;

async function* keptSecrets(send: Send): AsyncGenerator<DatedSecret> {
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
      if (state !== undefined) yield { fingerprint: key.slice(KEY_PREFIX.length), state, nowMs };
    }
  } while (cursor !== "0");
}

// A key of the wrong type makes only that one secret unreadable, as in READ_TEXT.
function noText(error: unknown): string {
  if (error instanceof Error && error.message.startsWith("WRONGTYPE")) return "";
  throw error;
}

function readStep(reply: unknown): { readonly cursor: string; readonly keys: readonly string[] } {
  const [cursor, keys] = Array.isArray(reply) ? reply : [];
  if (!/^[0-9]{1,20}$/.test(String(cursor)) || !Array.isArray(keys)) {
    throw new ProtocolError("These are no keys");
  }
  return { cursor: String(cursor), keys: keys.map(String) };
}

// TIME replies with seconds and microseconds, as texts.
function readTimeMs(reply: unknown): number {
  const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
  const nowMs = seconds! * 1000 + Math.floor(microseconds! / 1000);
  if (!Number.isSafeInteger(nowMs)) throw new ProtocolError("This is no time");
  return nowMs;
}
