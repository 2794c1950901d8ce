/** Runs cases where the thread that started it can see whether it goes on. */

import { Fuzzer, FuzzFailure } from "./fuzzer.ts";
import type { FuzzOptions, FuzzResult } from "./fuzz.ts";

/** What the thread is told at its start: the run, and where to write the number of the case. */
export type Start = FuzzOptions & { readonly current: Int32Array };

/** A worker's own scope, of which the platform's types know nothing here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<Start>) => void) | null;
  readonly postMessage: (result: FuzzResult) => void;
}

const scope = self as unknown as WorkerScope;

scope.onmessage = async ({ data }) => scope.postMessage(await run(data));

async function run({ seed, from, requests, seconds, current }: Start): Promise<FuzzResult> {
  const fuzzer = new Fuzzer(seed);
  const end = performance.now() + seconds * 1000;
  try {
    for (let number = from; number < from + requests && performance.now() < end; number++) {
      Atomics.store(current, 0, number);
      await fuzzer.send(number);
    }
  } catch (error) {
    if (!(error instanceof FuzzFailure)) throw error;
    return { tally: fuzzer.tally, failure: error.message };
  }
  return { tally: fuzzer.tally, failure: undefined };
}
