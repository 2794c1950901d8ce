/**
 * Output of commands to standard error.
 *
 * @module
 */

import process from "node:process";

/** Writes to standard error; a failed write is ignored, since it cannot be reported. */
export function writeStderr(text: string): void {
  try {
    // A pipe without a reader emits an error, which would end the process without a listener.
    process.stderr.off("error", ignore).on("error", ignore).write(text);
  } catch {
    // A file on a full disk throws at once.
  }
}

function ignore(): void {}
