/**
 * Replies in batches.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import type { Handler } from "../../http/handler.ts";

/**
 * Wraps a handler so that the replies to requests that arrived together leave together, once the last
 * of them is computed.
 *
 * A reply that is sent alone wakes its caller, and its way through the system takes the handler out of
 * the processor's caches: a busy server needs up to half as much time again. An idle one sends at once.
 */
export function batchReplies(handler: Handler): Handler {
  let sending: Promise<void> | undefined;
  return async (request) => {
    const reply = await handler(request);
    // An immediate runs after all events that are ready, and waits for no others.
    sending ??= new Promise((resolve) => {
      setImmediate(() => {
        sending = undefined;
        resolve();
      });
    });
    await sending;
    return reply;
  };
}
