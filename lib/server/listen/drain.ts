/**
 * The requests that a server is answering, and how they come to an end.
 *
 * @module
 */

import type { Handler } from "../../http/handler.ts";
import { sleep } from "../runtime/timeout.ts";

// A server that ends must not close a connection on which a request is under way, and cannot know.
// So it first tells callers to close, and ends when none has come for this long, ...
const QUIET_MS = 250;
// ... or, where callers go on coming, as soon as none is being answered after so many times as long ...
const STEADY_WAITS = 8;
// ... or, where one of them does not come to its end, after so many: to stop accepting breaks off the
// bodies that are still being sent (denoland/deno#36809), and not to stop would at the end of the
// process cut off every request that came last. Those are then answered before the process ends.
const MAX_WAITS = 36;

/** How long it takes at most, in milliseconds, until a server that drains stops accepting. */
export const MAX_DRAIN_MS = MAX_WAITS * QUIET_MS;

/** Counts the requests that are being answered. */
export class InFlightRequests {
  readonly #quietMs: number;
  #running = 0;
  #draining = false;
  #cameSince = false;
  #whenNone: () => void = () => {};

  /**
   * Counts from none.
   *
   * @param quietMs How long no request must come for callers to have gone.
   */
  constructor(quietMs: number = QUIET_MS) {
    this.#quietMs = quietMs;
  }

  /** Answers a request; while draining, the reply tells the caller to close the connection. */
  async answer(handler: Handler, request: Request): Promise<Response> {
    this.#running++;
    this.#cameSince = true;
    try {
      const reply = await handler(request);
      if (this.#draining) reply.headers.set("connection", "close");
      return reply;
    } finally {
      this.#running--;
      if (this.#running === 0) this.#whenNone();
    }
  }

  /**
   * Sends callers away, and resolves as soon as none comes any more and none is being answered; while
   * callers go on coming, as soon as none is being answered, and in the end whatever is.
   */
  async drain(): Promise<void> {
    this.#draining = true;
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      this.#cameSince = false;
      await (waits < STEADY_WAITS
        ? sleep(this.#quietMs)
        : Promise.race([sleep(this.#quietMs), this.#none()]));
      if (this.#running === 0 && (waits >= STEADY_WAITS || !this.#cameSince)) return;
    }
    // Nobody is there to be cut off but those who are late themselves.
    if (!this.#cameSince) await this.#none();
  }

  #none(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenNone = resolve;
      if (this.#running === 0) resolve();
    });
  }
}
