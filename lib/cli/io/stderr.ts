/**
 * What commands say on standard error.
 *
 * @module
 */

import process from "node:process";

/** Writes to standard error. Where nobody can read it, nobody can be told, and the command goes on. */
export function writeStderr(text: string): void {
  try {
    // Of a pipe, an event tells that its reader has gone, and ends the process where nobody listens.
    process.stderr.off("error", ignore).on("error", ignore).write(text);
  } catch {
    // A file on a full disk fails at once.
  }
}

function ignore(): void {}
