// deno-lint-ignore-file no-console -- what it prints is its result
/**
 * Fuzzing of the handler: legal requests in every binding, most of them changed in a few places, and
 * what holds for every reply. As a program: `deno task fuzz --requests 1000000 --seed 1`.
 *
 * @module
 */

import { replay, type Tally } from "./fuzzer.ts";
import { readNumbers } from "./numbers.ts";
import type { Start } from "./worker.ts";

/** What a run is. */
export interface FuzzOptions {
  /** Decides about everything that is random in it. */
  readonly seed: number;
  /** The number of the first case. */
  readonly from: number;
  /** How many cases it has at most. */
  readonly requests: number;
  /** How long it goes on at most, in seconds. */
  readonly seconds: number;
}

/** What came of a run. */
export interface FuzzResult {
  /** What was seen. */
  readonly tally: Tally;
  /** What went wrong; undefined when nothing did. */
  readonly failure: string | undefined;
}

// Far above what any request takes; a case that is still the same then does not come to an end.
const PATIENCE_MS = 60_000;

/**
 * Runs cases in a thread of their own, so that one that never ends can be told from a slow machine.
 *
 * @throws {Error} When a case goes wrong or does not end; the message says how it is sent again.
 */
export async function fuzz(options: FuzzOptions): Promise<Tally> {
  const current = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("worker.ts", import.meta.url), { type: "module" });
  let seen = -1;
  let watch: ReturnType<typeof setInterval> | undefined;
  try {
    const { tally, failure } = await new Promise<FuzzResult>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FuzzResult>) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
      watch = setInterval(() => {
        const number = Atomics.load(current, 0);
        if (number === seen) reject(new Error(`No end.\n\n${replay(options.seed, number)}`));
        seen = number;
      }, PATIENCE_MS);
      worker.postMessage({ ...options, current } satisfies Start);
    });
    if (failure !== undefined) throw new Error(failure);
    return tally;
  } finally {
    clearInterval(watch);
    worker.terminate();
  }
}

if (import.meta.main) {
  const defaults = { requests: 100_000, seed: 1, from: 0, seconds: 86_400 };
  const { requests, unsent, expected, answered, errors } = await fuzz(
    readNumbers(Deno.args, defaults),
  );
  console.log(`${requests} requests answered, ${unsent} that the platform cannot hold`);
  console.log("\nReplies that had to be:");
  for (const [name, count] of [...expected].sort()) console.log(`  ${count} ${name}`);
  console.log("\nReplies by route and status:");
  for (const [name, count] of [...answered].sort()) console.log(`  ${count} ${name}`);
  console.log(`\n${errors.size} distinct errors, numbers aside`);
}
