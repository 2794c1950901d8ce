/**
 * Commands of operators at a shared store: look at a secret, lift its wait, list the secrets, try it.
 *
 * @module
 */

import type { GuardState } from "../guard.ts";
import { openStore, type Send, type StoreClient, type StoreTls } from "./connect.ts";
import { Deadlines } from "../deadlines.ts";
import { ProtocolError, silence } from "./reasons.ts";
import { KEY_PREFIX, parseState, READ_TEXT } from "./script.ts";
import { probe, PROBE_PREFIX } from "./store.ts";
import type { StoreUrl } from "./store_url.ts";

/**
 * Gives a secret its whole budget back, and those who asked theirs: what `unlocked` in `guard.ts`
 * does. Which code was used last stays, and so does who is known; where neither is, nothing does.
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

/** State of a secret, and the time by the clock of the store when it was read. */
export interface Remembered {
  /** The state. */
  readonly state: GuardState;
  /** The time in milliseconds. */
  readonly nowMs: number;
}

/** State of a secret, with its name in the store. */
export interface KeptSecret extends Remembered {
  /** The name. */
  readonly fingerprint: string;
}

/** A store as operators see it; each call rejects when the store does not answer, or with an error. */
export interface OperatedStore {
  /** Reads the state of a secret and changes nothing; undefined when nothing is remembered of it. */
  readonly inspect: (fingerprint: string) => Promise<Remembered | undefined>;
  /** Lifts the wait of a secret, and says whether anything was remembered of it. */
  readonly unlock: (fingerprint: string) => Promise<boolean>;
  /** Lists all secrets, in steps that hold no other client up for long. */
  readonly secrets: () => AsyncIterable<KeptSecret>;
  /** Asks all servers what they must answer before a service uses them. */
  readonly probe: () => Promise<void>;
}

/** How a store is asked. */
export interface OperatorOptions {
  /** What TLS needs. */
  readonly tls: StoreTls;
  /** How long an answer may take, in milliseconds; longer where the URL says so. */
  readonly timeoutMs: number;
}

/**
 * Connects to a store for one command of an operator.
 *
 * @throws {Error} When the store does not answer, or with an error.
 */
export async function askStore<T>(
  url: StoreUrl,
  options: OperatorOptions,
  act: (store: OperatedStore) => Promise<T>,
): Promise<T> {
  const timeoutMs = Math.max(options.timeoutMs, url.timeoutMs);
  const client = await openStore(url, { ...options, timeoutMs, probePrefix: PROBE_PREFIX });
  const deadlines = new Deadlines(timeoutMs, silence);
  try {
    await deadlines.within(() => client.connect());
    return await act(operated(client, deadlines));
  } finally {
    client.destroy();
    deadlines.close();
  }
}

function operated(client: StoreClient, deadlines: Deadlines): OperatedStore {
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
      const done = await sendTo(key)(["EVAL", UNLOCK_SCRIPT, "1", key]);
      if (done !== 0 && done !== 1) throw new ProtocolError("This is no reply to the script");
      return done === 1;
    },
    secrets: async function* (): AsyncGenerator<KeptSecret> {
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

/** The key under which a store keeps the state of a secret. */
export function redisKey(fingerprint: string): string {
  return `${KEY_PREFIX}${fingerprint}`;
}

// Any other key is not the service's own, or a probe; and its name may be meant for a terminal.
const FINGERPRINT = /^[\w-]{43}$/;

/** Keys looked at in one step, about. */
const STEP_KEYS = 500;

async function* keptSecrets(send: Send): AsyncGenerator<KeptSecret> {
  const nowMs = readTimeMs(await send(["TIME"]));
  let cursor = "0";
  // While a server makes its table larger or smaller, SCAN gives some keys again.
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
      // A key that is gone by then is no state either.
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

// Seconds and microseconds, as texts.
function readTimeMs(reply: unknown): number {
  const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
  const nowMs = seconds! * 1000 + Math.floor(microseconds! / 1000);
  if (!Number.isSafeInteger(nowMs)) throw new ProtocolError("This is no time");
  return nowMs;
}
