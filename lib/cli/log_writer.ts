/**
 * The way of the log's lines to standard error, whatever becomes of who reads them.
 *
 * @module
 */

import { writeSync } from "node:fs";
import process from "node:process";

/** How many lines may wait for a slow reader; those after them are lost. */
const MAX_WAITING = 10_000;

/** Writes a line, and says whether it could. */
export type LineSink = (line: string, done: (error?: Error | null) => void) => void;

/**
 * Makes what takes lines and never throws. A line that cannot be written is lost, and the next is
 * tried all the same: a disk is full for a moment only.
 *
 * @param sink Writes a line.
 * @param onLost Told how many lines were lost, once one could be written again.
 */
export function createLogWriter(
  sink: LineSink,
  onLost: (count: number) => void,
): (line: string) => void {
  let waiting = 0;
  let lost = 0;
  const done = (error?: Error | null): void => {
    waiting--;
    if (error) lost++;
    else if (lost > 0) {
      const count = lost;
      lost = 0;
      onLost(count);
    }
  };
  return (line) => {
    if (waiting >= MAX_WAITING) {
      lost++;
      return;
    }
    waiting++;
    sink(line, done);
  };
}

/**
 * Standard error.
 *
 * Bun writes into a pipe without waiting for its reader. Deno waits, and its stream throws at the
 * first error and keeps all further lines in memory; so there the file descriptor is written to.
 */
export function stderrSink(): LineSink {
  if (process.versions["bun"] === undefined) return writeAtOnce;
  // A stream without a listener for errors would end the process, whose callers may take that for a
  // right pin. The callback of the line tells of the error.
  process.stderr.on("error", () => {});
  return (line, done) => void process.stderr.write(line, done);
}

function writeAtOnce(line: string, done: (error?: Error) => void): void {
  let error: Error | undefined;
  try {
    const bytes = new TextEncoder().encode(line);
    for (let start = 0; start < bytes.length;) start += writeSync(2, bytes, start);
  } catch (thrown) {
    error = thrown as Error;
  }
  done(error);
}
