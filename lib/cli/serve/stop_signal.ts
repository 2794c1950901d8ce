/**
 * What tells a server to stop.
 *
 * @module
 */

import process from "node:process";
import type { StopReason } from "./log_lines.ts";

/**
 * How long the same signal may come again, in milliseconds. A terminal sends Ctrl-C to all programs
 * that it started, and npx and deno task pass theirs on to the server as well.
 */
const PASSED_ON_MS = 500;

/**
 * Waits for SIGINT or SIGTERM, or for the end of standard input. Half a second after a signal, the
 * next one is left to the system, which ends the process. The end of standard input is no signal: the
 * first one after it changes nothing.
 *
 * @param withParent Whether the end of standard input counts.
 */
export function stopSignal(withParent: boolean): Promise<StopReason> {
  return new Promise((resolve) => {
    const onInterrupt = (): void => stop("SIGINT");
    const onTerminate = (): void => stop("SIGTERM");
    const stop = (reason: StopReason): void => {
      resolve(reason);
      setTimeout(() => {
        process.off("SIGINT", onInterrupt);
        process.off("SIGTERM", onTerminate);
      }, PASSED_ON_MS);
    };
    process.on("SIGINT", onInterrupt);
    process.on("SIGTERM", onTerminate);
    if (!withParent) return;
    // A parent that is gone closes the pipe, whatever became of it.
    const onEnd = (): void => resolve("standard input ended");
    try {
      process.stdin.once("end", onEnd).once("error", onEnd).resume();
    } catch {
      onEnd(); // On Bun, what cannot be read, as a folder.
    }
  });
}
