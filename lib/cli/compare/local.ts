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
import { KEY_BYTES } from "../../sealing/jwe.ts";
import { SealKeys } from "../../sealing/seal_keys.ts";
import type { Call, Reply } from "./calls.ts";

// Keys of this process, in place of those of `--api-keys-file` and `--seal-keys-file`, which
// need not be read for it.
const KEY = newSecret("base32", crypto);
const SEAL_KEYS = new SealKeys([{ name: "drawn", key: randomBytes(KEY_BYTES) }], randomBytes);

/** Moment and address of calls. */
export interface Circumstances {
  /** The time, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Scheme and authority of the address that is called. */
  readonly origin: string;
  /** Whether the calls have no API key even where one is required. */
  readonly isAnonymous: boolean;
}

/**
 * Answers calls as a server with these options does that has just been started. It opens no store,
 * port, log or file: the guard is in memory.
 */
export async function answerHere(
  config: Config,
  calls: readonly Call[],
  { nowMs, origin, isAnonymous }: Circumstances,
): Promise<readonly Reply[]> {
  const clock = { randomBytes, now: () => performance.now() };
  const { handler } = createService(config, {
    now: () => nowMs,
    guard: openGuard({ ...config, ...clock, guard: "memory" }),
    apiKeys: config.apiKeysFile === undefined
      ? undefined
      : new KeyRing([{ name: undefined, key: KEY }]),
    sealKeys: config.sealKeysFile === undefined ? undefined : SEAL_KEYS,
    log: { error: () => {} },
    isReady: () => true,
  });
  const replies: Reply[] = [];
  for (const { method, path, headers, body = null } of calls) {
    const request = new Request(origin + path, {
      method,
      body,
      headers: {
        ...headers,
        host: new URL(origin).host,
        ...(!isAnonymous && { "x-api-key": KEY }),
      },
    });
    const reply = await handler(request);
    const type = mediaTypeOf(reply.headers.get("content-type"));
    replies.push({ status: reply.status, type, text: await reply.text() });
  }
  return replies;
}

/** Returns the media type of a field value, in lower case and without parameters. */
export function mediaTypeOf(contentType: string | null | undefined): string {
  return (contentType ?? "").replace(/;.*$/, "").trim().toLowerCase();
}
