/**
 * What an operator does with a shared store: lift the wait of a secret, and see who waits.
 *
 * @module
 */

import type { GuardState } from "../guard/guard.ts";
import type { RedisClient } from "../connection/redis_client.ts";
import { KEY_PREFIX, parseState, READ_TEXT } from "./redis_script.ts";
import { ErrorReply, ProtocolError } from "../connection/store_failure.ts";

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

/**
 * Lifts the wait of a secret.
 *
 * @param key The key under which the store keeps what is remembered of it.
 * @returns Whether anything was remembered of it.
 * @throws {Error} When the store does not answer, or with an error.
 */
export async function unlockKey(client: Pick<RedisClient, "ask">, key: string): Promise<boolean> {
  return await client.ask(["EVAL", UNLOCK_SCRIPT, "1", key], (reply) => {
    if (reply !== 0 && reply !== 1) throw new ProtocolError("This says not what was done");
    return reply === 1;
  });
}

/** A secret of which a store remembers something. */
export interface KeptSecret {
  /** Its name in the store. */
  readonly fingerprint: string;
  /** What is remembered. */
  readonly state: GuardState;
}

// Any other is none of ours, or a probe; and what stands in it may be meant for a terminal.
const FINGERPRINT = /^[\w-]{43}$/;

/** How many keys are looked at in one step, about. */
const STEP_KEYS = 500;

/**
 * Reads all that one server remembers, which holds nobody else up for long.
 *
 * @throws {Error} When the store does not answer, or with an error.
 */
export async function* keptSecrets(
  client: Pick<RedisClient, "ask">,
): AsyncGenerator<KeptSecret> {
  let cursor = "0";
  // While a server makes its table larger or smaller, SCAN gives some keys again.
  const seen = new Set<string>();
  do {
    const words = ["SCAN", cursor, "MATCH", `${KEY_PREFIX}*`, "COUNT", String(STEP_KEYS)];
    const step = await client.ask(words, readStep);
    cursor = step.cursor;
    const keys = step.keys.filter((key) =>
      FINGERPRINT.test(key.slice(KEY_PREFIX.length)) && !seen.has(key) && seen.add(key)
    );
    // What is gone by then is no text of ours either.
    const texts = await Promise.all(
      keys.map((key) => client.ask(["GET", key], String).catch(noText)),
    );
    for (const [i, key] of keys.entries()) {
      const state = parseState(texts[i]!);
      if (state !== undefined) yield { fingerprint: key.slice(KEY_PREFIX.length), state };
    }
  } while (cursor !== "0");
}

// A key of another type is the trouble of its secret alone, as it is to READ_TEXT.
function noText(error: unknown): string {
  if (error instanceof ErrorReply && error.message.startsWith("WRONGTYPE")) return "";
  throw error;
}

function readStep(reply: unknown): { readonly cursor: string; readonly keys: readonly string[] } {
  const [cursor, keys] = Array.isArray(reply) ? reply : [];
  if (!/^[0-9]{1,20}$/.test(String(cursor)) || !Array.isArray(keys)) {
    throw new ProtocolError("These are no keys");
  }
  return { cursor: String(cursor), keys: keys.map(String) };
}

/**
 * The time by the clock of a server, in milliseconds.
 *
 * @throws {Error} When it does not say.
 */
export async function storeTimeMs(client: Pick<RedisClient, "ask">): Promise<number> {
  return await client.ask(["TIME"], (reply) => {
    const [seconds] = Array.isArray(reply) ? reply.map(Number) : [];
    if (!Number.isSafeInteger(seconds)) throw new ProtocolError("This is no time");
    return seconds! * 1000;
  });
}
