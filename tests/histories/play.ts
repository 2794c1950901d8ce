// Plays histories, and says what came of each:
//
//     deno task histories --seed 1 --count 50
//     deno task histories --seed 16 --lies

import process from "node:process";
import { parseArgs } from "node:util";
import { EVENTS, playHistory } from "./history.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1" },
    events: { type: "string", default: String(EVENTS) },
    lies: { type: "boolean", default: false },
  },
});
const first = Number(values.seed);
const all = { events: 0, acceptedAgain: 0, outcomes: new Map<string, number>() };
const startMs = performance.now();
for (let seed = first; seed < first + Number(values.count); seed++) {
  try {
    const report = await playHistory({ seed, events: Number(values.events), lies: values.lies });
    all.events += report.events;
    all.acceptedAgain += report.acceptedAgain;
    for (const [outcome, count] of report.outcomes) {
      all.outcomes.set(outcome, (all.outcomes.get(outcome) ?? 0) + count);
    }
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`${error instanceof Error ? error.message : error}\n`);
  }
}
const seconds = (performance.now() - startMs) / 1000;
const outcomes = [...all.outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
process.stdout.write(
  `${all.events} events in ${seconds.toFixed(1)} s: ${outcomes}; ` +
    `${all.acceptedAgain} codes accepted again after their use was lost\n`,
);
