/**
 * Signals that stop a server.
 *
 * @module
 */

import process from "node:process";
import type { StopReason } from "./log_lines.ts";

/**
 * Time in which repeated signals count as one, in milliseconds. A terminal sends Ctrl-C to all of
 * its programs, and npx and deno task also forward it to the server.
 */
const REPEATED_SIGNAL_MS = 500;

/**
 * Waits for SIGINT or SIGTERM, or for the end of standard input. Half a second after a signal, the
 * next one has its default effect and ends the process. The end of standard input is not
 * counted as a signal, so the first signal after it has no effect.
 *
 * @param withParent Whether the end of standard input counts.
 */
export function stopSignal(withParent: boolean): Promise<StopReason> {
  return new Promise((resolve) => {
    const stop = (signal: "SIGINT" | "SIGTERM"): void => {
      resolve(signal);
      setTimeout(() => process.off("SIGINT", stop).off("SIGTERM", stop), REPEATED_SIGNAL_MS);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    if (!withParent) return;
    // The pipe closes at any end of the parent process.
    const onEnd = (): void => resolve("standard input ended");
    try {
      process.stdin.once("end", onEnd).once("error", onEnd).resume();
    } catch {
      onEnd(); // Bun throws for unreadable input such as a folder.
    }
  });
}
