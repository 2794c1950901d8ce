/**
 * The command that serves until it is told to stop.
 *
 * @module
 */

import process from "node:process";
import { type Config, UsageError } from "../config.ts";
import type { Log } from "../log.ts";
import { currentRuntime } from "../runtime/current.ts";
import { listen, type Listener, type ListenOptions } from "../runtime/listener.ts";
import { createService } from "./service.ts";
import { readTls } from "./tls_files.ts";

/** How long running requests may take to finish once the server is told to stop. */
const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Serves until SIGINT or SIGTERM, or until standard input ends where the options say so; a second
 * signal ends the process at once.
 *
 * @param version The version of the program.
 * @param print Writes a line for the program that started this one.
 * @returns The exit code.
 * @throws {ListenError} When the address cannot be listened on.
 * @throws {UsageError} When a file that the options name cannot be used.
 */
export async function serve(
  config: Config,
  version: string,
  print: (line: string) => void,
): Promise<number> {
  let ready = true;
  const { handler, log } = createService(config, version, () => ready);
  const listener = await listen(currentRuntime(), listenOptions(config), handler);
  const stopped = stopSignal(config.exitWithParent);
  if (config.tlsCert !== undefined) onHangUp(() => renewTls(config, listener, log));
  print(
    config.logFormat === "json"
      ? JSON.stringify({ listening: listener.url })
      : `Listening on ${listener.url}`,
  );
  await stopped;
  ready = false;
  await withTimeout(listener.stop(), DRAIN_TIMEOUT_MS);
  return 0;
}

function listenOptions(config: Config): ListenOptions {
  const { host, port, socket, socketMode } = config;
  return {
    address: socket === undefined ? { hostname: host, port } : { path: socket, mode: socketMode },
    tls: readTls(config),
  };
}

// What cannot be used leaves the old certificate in place: the server goes on.
async function renewTls(config: Config, listener: Listener, log: Log): Promise<void> {
  try {
    const tls = readTls(config);
    if (tls !== undefined) await listener.renew(tls);
  } catch (error) {
    if (error instanceof UsageError) log.warn(`the old certificate is kept: ${error.message}`);
    else log.error("the old certificate is kept", error);
  }
}

async function withTimeout(promise: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}

// One at a time: a signal that comes while the files are read makes them be read once more.
function onHangUp(act: () => Promise<void>): void {
  let last = Promise.resolve();
  process.on("SIGHUP", () => {
    last = last.then(act);
  });
}

// Listening once each leaves the second signal to the system, which ends the process.
function stopSignal(withParent: boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    if (!withParent) return;
    // A parent that is gone closes the pipe, whatever became of it.
    process.stdin.once("end", stop).once("error", stop).resume();
  });
}
