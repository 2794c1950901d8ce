/**
 * The command that serves until it is told to stop.
 *
 * @module
 */

import process from "node:process";
import type { Config } from "../config.ts";
import { createHandler } from "../http/handler.ts";
import { createLog } from "../log.ts";
import { listen } from "../runtime/deno.ts";

/** How long running requests may take to finish once the server is told to stop. */
const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Serves until SIGINT or SIGTERM; a second signal ends the process at once.
 *
 * @param print Writes a line for the program that started this one.
 * @returns The exit code.
 * @throws {ListenError} When the address cannot be listened on.
 */
export async function serve(config: Config, print: (line: string) => void): Promise<number> {
  let ready = true;
  const handler = createHandler({
    ...config,
    service: { otp: config, secretEncoding: config.secretEncoding, now: Date.now },
    log: createLog({
      format: config.logFormat,
      color: false,
      write: (line) => void process.stderr.write(line),
      now: Date.now,
    }),
    isReady: () => ready,
  });
  const listener = listen({ hostname: config.host, port: config.port }, handler);
  const stopped = stopSignal();
  print(`Listening on ${listener.url}`);
  await stopped;
  ready = false;
  await withTimeout(listener.stop(), DRAIN_TIMEOUT_MS);
  return 0;
}

async function withTimeout(promise: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}

// Listening once each leaves the second signal to the system, which ends the process.
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
}
