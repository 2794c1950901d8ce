/**
 * This program's own side of a comparison: the service in this process, made of the options.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { createService } from "../../config/create_service.ts";
import type { Config } from "../../config/options.ts";
import { openGuard } from "../../guard/open_guard.ts";
import { KeyRing } from "../../http/api_keys.ts";
import { newSecret } from "../../otp/secret.ts";
import type { SealKeys } from "../../sealing/seal_keys.ts";
import type { ServerReply } from "../http_client.ts";
import type { Call } from "./calls.ts";

// Key of this process, in place of those of `--api-keys-file`, which need not be read for it.
const KEY = newSecret("base32", crypto);

/**
 * Answers calls as a server with these options does that has just been started. It opens no store,
 * port, log or file: the guard is in memory.
 *
 * @param origin Scheme and authority of the address that is called.
 * @param nowMs The time, in milliseconds since 1970.
 * @param isAnonymous Whether the calls have no API key.
 */
export async function answerHere(
  config: Config,
  sealKeys: SealKeys | undefined,
  origin: string,
  calls: readonly Call[],
  nowMs: number,
  isAnonymous: boolean,
): Promise<readonly ServerReply[]> {
  const clock = { randomBytes, now: () => performance.now() };
  const { handler } = createService(config, {
    now: () => nowMs,
    guard: openGuard({ ...config, ...clock, guard: "memory" }),
    apiKeys: config.apiKeysFile === undefined
      ? undefined
      : new KeyRing([{ name: undefined, key: KEY }]),
    sealKeys,
    log: { error: () => {} },
    isReady: () => true,
  });
  const replies: ServerReply[] = [];
  for (const { method, path, headers, body = null } of calls) {
    const key = isAnonymous ? {} : { "x-api-key": KEY };
    const all = { ...headers, ...key, host: new URL(origin).host };
    const reply = await handler(new Request(origin + path, { method, body, headers: all }));
    const fields = Object.fromEntries(reply.headers);
    replies.push({ status: reply.status, headers: fields, text: await reply.text() });
  }
  return replies;
}
