/**
 * The signals that no command is told anything by, and that a runtime does not leave alone.
 *
 * @module
 */

import process from "node:process";
import { waitAtMost } from "../runtime/patience.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** How long the line of a program that ends at once may take. */
const LAST_WORDS_TIMEOUT_MS = 100;

/** Has the program end on SIGUSR1, and go on beside a file that may not grow. */
export function settleStraySignals({ writeError }: Pick<Runtime, "writeError">): void {
  if (process.platform === "win32") return;
  // A runtime may open a debugger then (Deno does since 2.9.2), through which everybody on this machine
  // reads what is in memory, secrets too. A listener does not prevent it, and so the program ends, as
  // any other does that knows nothing of the signal.
  const line = "authenticator: error: ended by SIGUSR1, which opens a debugger.\n";
  process.on("SIGUSR1", () => {
    // Not by process.stderr, which waits for the reader of a full pipe: the debugger would stay open.
    const written = writeError(line).catch(() => {});
    void waitAtMost(written, LAST_WORDS_TIMEOUT_MS).then(() => process.exit(1));
  });
  // By `ulimit -f` a log may be as full as by its disk. On Deno the signal would end the program; with a
  // listener the line alone is lost.
  process.on("SIGXFSZ", () => {});
}
