/**
 * The requests that a server is answering, and how they come to an end.
 *
 * @module
 */

import type { Handler } from "../http/handler.ts";

// A server that ends must not close a connection on which a request is under way, and cannot know.
// So it first tells callers to close, and ends when none has come for this long, ...
const QUIET_MS = 250;
// ... or, where callers go on coming, after so many times as long.
const MAX_WAITS = 8;

// What comes behind a body that was not taken to its end is no request: 408, 413.
const BROKEN_OFF: ReadonlySet<number> = new Set([408, 413]);

/** Counts the requests that are being answered. */
export class Traffic {
  private running = 0;
  private draining = false;
  private cameSince = false;
  private whenNone: () => void = () => {};

  /** Answers a request; while draining, the reply tells the caller to close the connection. */
  async answer(handler: Handler, request: Request): Promise<Response> {
    this.running++;
    this.cameSince = true;
    try {
      const reply = await handler(request);
      if (this.draining || BROKEN_OFF.has(reply.status)) reply.headers.set("connection", "close");
      return reply;
    } finally {
      this.running--;
      if (this.running === 0) this.whenNone();
    }
  }

  /** Sends callers away, and resolves as soon as none comes any more and none is being answered. */
  async drain(): Promise<void> {
    this.draining = true;
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      this.cameSince = false;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      if (!this.cameSince && this.running === 0) return;
    }
    await new Promise<void>((resolve) => {
      this.whenNone = resolve;
      if (this.running === 0) resolve();
    });
  }
}
