/**
 * Signals whose default in a runtime is unsafe: SIGUSR1 opens a debugger in Deno (since 2.9.2), and
 * SIGXFSZ ends it.
 *
 * @module
 */

import process from "node:process";

/** Exits on SIGUSR1, and ignores SIGXFSZ (a log at the limit of `ulimit -f`). */
export function exitOnDebuggerSignal(): void {
  if (process.platform === "win32") return;
  process.on("SIGUSR1", () => process.exit(1));
  process.on("SIGXFSZ", () => {});
}
