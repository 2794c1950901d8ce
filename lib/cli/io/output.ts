/**
 * Output of commands to standard output and standard error, in one queue, so that each text keeps its
 * place among the others at a terminal.
 *
 * @module
 */

import { currentRuntime } from "../../server/runtime/current.ts";

let last: Promise<unknown> = Promise.resolve();

/**
 * Writes to standard output after all texts before it.
 *
 * @throws {Error} When the write fails.
 */
export function writeStdout(text: string): Promise<void> {
  const written = last.then(() => currentRuntime().writeOut(text));
  last = written.catch(() => {});
  return written;
}

/** Writes to standard error after all texts before it; a failure cannot be reported. */
export function writeStderr(text: string): void {
  last = last.then(() => currentRuntime().writeError(text)).catch(() => {});
}

/** Resolves once all texts are written. */
export async function flushOutput(): Promise<void> {
  await last;
}
