/**
 * In-flight requests of a server, and their drain.
 *
 * @module
 */

import type { Handler } from "../../http/handler.ts";
import { sleep } from "../runtime/timeout.ts";

// Time without a new request after which a drain ends. A stopping server must not close a
// connection with a request on its way, and cannot know of it: so it asks callers to close, and
// waits.
const QUIET_MS = 250;
// Number of such waits after which, if requests continue, a drain ends at the first idle moment.
const STEADY_WAITS = 8;
// Number of such waits after which a drain ends even with requests in flight. Stopping cuts off
// bodies that still arrive (denoland/deno#36809); not stopping would cut off all late requests at
// the end of the process. After the stop, the late requests are answered first.
const MAX_WAITS = 36;

/** Longest time of a drain before the server stops accepting, in milliseconds. */
export const MAX_DRAIN_MS = MAX_WAITS * QUIET_MS;

/** Counter of in-flight requests. */
export class InFlightRequests {
  readonly #quietMs: number;
  #running = 0;
  #draining = false;
  #refusing = false;
  #cameSince = false;
  #whenNone: () => void = () => {};

  /**
   * Makes a counter at zero.
   *
   * @param quietMs Time without a new request after which callers count as gone.
   */
  constructor(quietMs: number = QUIET_MS) {
    this.#quietMs = quietMs;
  }

  /** Answers a request; while draining, the reply tells the caller to close the connection. */
  async answer(handler: Handler, request: Request): Promise<Response> {
    if (this.#refusing) return new Response(null, { status: 503 });
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
   * Answers each further request with an empty 503: their connections are closed, and nothing must be
   * counted for a reply that cannot arrive. Deno calls the handler even after an abort
   * (tests/integration/upstream/deno_abort.md).
   */
  refuse(): void {
    this.#refusing = true;
  }

  /**
   * Asks callers to close, and resolves once no request is in flight and no new one has arrived for
   * `quietMs`; if requests continue, at the first idle moment; in the end unconditionally.
   */
  async drain(): Promise<void> {
    this.#draining = true;
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      this.#cameSince = false;
      await (waits < STEADY_WAITS
        ? sleep(this.#quietMs)
        : Promise.race([sleep(this.#quietMs), this.#none()]));
      if (this.#running === 0 && !this.#cameSince) return;
    }
    // No new requests: a stop would cut off only the ones in flight, so wait for them.
    if (!this.#cameSince) await this.#none();
  }

  #none(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenNone = resolve;
      if (this.#running === 0) resolve();
    });
  }
}
