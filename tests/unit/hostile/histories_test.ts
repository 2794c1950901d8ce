/**
 * Simulated histories, in the manner of FoundationDB: the guarantees against guessing and reuse hold
 * through outages of instances, clocks, the store and its links.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { IS_REPLAY, runOptions } from "../../support/property.ts";
import { EVENTS, playHistory } from "../../support/histories/history.ts";

// A failure shrinks to the shortest history.
const HISTORIES = fc.record({
  seed: fc.nat(),
  events: fc.noBias(fc.integer({ min: 1_000, max: EVENTS })),
});

Deno.test("the guard's guarantees hold through outages, restarts, failovers and clock changes", async () => {
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(HISTORIES, async (options) => {
      const report = await playHistory(options);
      for (const [outcome, count] of report.outcomes) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
      }
    }),
    runOptions(4),
  );
  for (
    const outcome of IS_REPLAY ? [] : ["true", "false", "throttled", "replayed", "unavailable"]
  ) {
    assert(outcomes.has(outcome), `${outcome} did not happen`);
  }
});

Deno.test("with a store that sends false replies, no wrong pin is right and every check is answered", async () => {
  const play = async (options: { seed: number; events: number }): Promise<void> =>
    void await playHistory({ ...options, falseReplies: true });
  await fc.assert(fc.asyncProperty(HISTORIES, play), runOptions(2));
});

Deno.test("the same seed repeats a history, and another seed makes another", async () => {
  const [one, again, other] = [
    await playHistory({ seed: 7, events: 3000 }),
    await playHistory({ seed: 7, events: 3000 }),
    await playHistory({ seed: 8, events: 3000 }),
  ];
  assertEquals(one, again);
  assert(one!.digest !== other!.digest);
});
