/**
 * Simulated histories, in the manner of FoundationDB: what was promised of guessing and reuse holds
 * whatever befalls the instances, their clocks, the store and the way to it.
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

Deno.test("whatever befalls, pins are checked, accepted and refused as was promised", async () => {
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(HISTORIES, async (wishes) => {
      const report = await playHistory(wishes);
      for (const [outcome, count] of report.outcomes) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
      }
    }),
    runOptions(6),
  );
  for (
    const outcome of IS_REPLAY ? [] : ["true", "false", "throttled", "replayed", "unavailable"]
  ) {
    assert(outcomes.has(outcome), `${outcome} did not happen`);
  }
});

Deno.test("a store that lies makes no wrong pin right, and leaves no check without an answer", async () => {
  const play = async (wishes: { seed: number; events: number }): Promise<void> =>
    void await playHistory({ ...wishes, lies: true });
  await fc.assert(fc.asyncProperty(HISTORIES, play), runOptions(3));
});

Deno.test("one seed gives one history, and another seed another", async () => {
  const [one, again, other] = [
    await playHistory({ seed: 7, events: 3000 }),
    await playHistory({ seed: 7, events: 3000 }),
    await playHistory({ seed: 8, events: 3000 }),
  ];
  assertEquals(one, again);
  assert(one!.digest !== other!.digest);
});
