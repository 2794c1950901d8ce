/**
 * Simulated histories, in the manner of FoundationDB: what was promised of guessing and reuse holds
 * whatever befalls the instances, their clocks, the store and the way to it.
 *
 * HISTORIES is how much is to happen in all; `deno task histories --seed N` plays one again.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import process from "node:process";
import { EVENTS, playHistory } from "./history.ts";

const ALL_EVENTS = Number(process.env["HISTORIES"] ?? 3 * EVENTS);

Deno.test("whatever befalls, pins are looked at, accepted and refused as was promised", async () => {
  const outcomes = new Map<string, number>();
  for (let seed = 1; seed <= ALL_EVENTS / EVENTS; seed++) {
    const report = await playHistory({ seed });
    for (const [outcome, count] of report.outcomes) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
    }
  }
  for (const outcome of ["true", "false", "throttled", "replayed", "unavailable"]) {
    assert(outcomes.has(outcome), `${outcome} did not happen`);
  }
});

Deno.test("a store that lies makes no wrong pin right, and leaves no check without an answer", async () => {
  const count = Math.ceil(ALL_EVENTS / EVENTS / 5);
  for (let seed = 1; seed <= count; seed++) await playHistory({ seed, lies: true });
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
