/**
 * The way of the log's lines to standard error, whatever becomes of who reads them.
 *
 * @module
 */

import { sleep } from "./runtime/timeout.ts";

/** How many lines may wait for a slow reader; those after them are lost. */
const MAX_WAITING = 10_000;

// How long lines wait for others to be written with. To write costs as much as many lines, most of all
// on Deno, where it takes another thread; whoever follows a log does not see so short a delay.
const TOGETHER_MS = 10;

/** The way of the log's lines. */
export interface LogWriter {
  /** Takes a line with its line end. It never throws. */
  readonly write: (line: string) => void;
  /** Resolves once what was taken is written or lost: never, while nobody reads. */
  readonly flush: () => Promise<void>;
}

/**
 * Makes what takes lines. While some are being written, the next ones wait to be written together.
 * Lines that cannot be written are lost, and the next are tried all the same: a disk is full for a
 * moment only.
 *
 * @param write Writes text; rejects when it cannot.
 * @param onLost Told how many lines were lost, once some could be written again.
 */
export function createLogWriter(
  write: (text: string) => Promise<void>,
  onLost: (count: number) => void,
): LogWriter {
  let waiting: string[] = [];
  let writing: readonly string[] = [];
  let written: Promise<void> | undefined;
  let lost = 0;
  const writeOnce = async (): Promise<void> => {
    [writing, waiting] = [waiting, []];
    try {
      await write(writing.join(""));
    } catch {
      lost += writing.length;
      return;
    } finally {
      writing = [];
    }
    if (lost === 0) return;
    const count = lost;
    lost = 0;
    onLost(count);
  };
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      await sleep(TOGETHER_MS);
      await writeOnce();
    }
    written = undefined;
  };
  return {
    write: (line) => {
      if (waiting.length + writing.length >= MAX_WAITING) {
        lost++;
        return;
      }
      waiting.push(line);
      written ??= writeAll();
    },
    flush: async () => await written,
  };
}
