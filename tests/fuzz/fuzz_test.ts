import { assert } from "@std/assert/assert";
import { fuzz } from "./fuzz.ts";
import { readNumbers } from "./numbers.ts";

// As long as FUZZ says, for instance FUZZ="--seconds 30"; without it, a few, so that a mistake in the
// fuzzing itself is found at once.
const OPTIONS = readNumbers((Deno.env.get("FUZZ") ?? "--requests 1500").split(" "), {
  seed: 1,
  from: 0,
  requests: 1_000_000,
  seconds: 600,
});

Deno.test("no request, legal or not, breaks what holds for every reply", async () => {
  const { requests, expected, answered } = await fuzz(OPTIONS);
  const shown = JSON.stringify([requests, [...expected], [...answered]]);
  // Or else the cases have come to test one side alone.
  for (const result of ["true", "false", "a pairing", "refused"]) {
    assert(expected.get(result)! > requests / 50, shown);
  }
  assert((expected.get("not to be told") ?? 0) < requests / 4, shown);
  assert(new Set([...answered.keys()].map((name) => name.replace(/ \d+$/, ""))).size === 10, shown);
});
