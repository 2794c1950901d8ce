/**
 * The server under the handler, on Deno. No other file names this runtime.
 *
 * @module
 */

import type { Handler } from "../http/handler.ts";
import { type Listener, ListenError, type ListenOptions } from "./listener.ts";

/**
 * Listens for HTTP requests.
 *
 * @throws {ListenError} When the address cannot be listened on.
 */
export function listen(options: ListenOptions, handler: Handler): Listener {
  const { hostname, port } = options;
  const running = new RunningCount();
  try {
    const server = Deno.serve(
      { hostname, port, onListen: () => {} },
      (request) => running.during(handler(request)),
    );
    const { hostname: host, port: chosen } = server.addr;
    return {
      url: `http://${host.includes(":") ? `[${host}]` : host}:${chosen}`,
      // Deno 2.9 makes the bodies of running requests unreadable as soon as it shuts down
      // (denoland/deno#36809), so it is told to only when none is running.
      stop: async () => {
        await running.none();
        await server.shutdown();
      },
    };
  } catch (error) {
    throw new ListenError(options, error instanceof Error ? error.name : "");
  }
}

/** Counts the requests that are being answered. */
class RunningCount {
  private count = 0;
  private whenNone: () => void = () => {};

  async during<T>(answer: Promise<T>): Promise<T> {
    this.count++;
    try {
      return await answer;
    } finally {
      this.count--;
      if (this.count === 0) this.whenNone();
    }
  }

  /** Resolves as soon as no request is being answered. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      this.whenNone = resolve;
      if (this.count === 0) resolve();
    });
  }
}
