// The handler beside an independent reader: legal requests in every binding, most of them changed in
// a few places, and what holds for every reply.

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { IS_REPLAY, runOptions } from "../../support/property.ts";
import { expectReply, expectResult } from "../../support/fuzz/expectation.ts";
import { type FuzzCase, fuzzCases } from "../../support/fuzz/fuzz_case.ts";
import { answer, NOW_MS, type Outcome } from "../../support/fuzz/handler_server.ts";
import { HOUSES } from "../../support/fuzz/house.ts";
import { type Answered, problemsOf } from "../../support/fuzz/invariants.ts";
import { routeOf } from "../../support/fuzz/reader.ts";
import { textOf } from "../../support/fuzz/request.ts";

/** More errors than these are not distinct by what is wrong: one must repeat its request. */
const MAX_DISTINCT_ERRORS = 300;

class Tally {
  readonly expected = new Map<string, number>();
  readonly routes = new Set<string>();
  readonly errors = new Set<string>();

  add({ route, expectation = "not to be told", reply }: Answered): void {
    const result = /^[A-Z2-7]+$/.test(expectation) ? "a pairing" : expectation;
    this.expected.set(result, (this.expected.get(result) ?? 0) + 1);
    this.routes.add(route);
    if (reply.status < 400) return;
    const text = textOf(reply.body).replace(/<soap:NotUnderstood [^>]*>/g, "");
    this.errors.add(text.replace(/\d+/g, "#"));
  }
}

function problemsIn(made: FuzzCase, { reply, logged }: Outcome, tally: Tally): readonly string[] {
  const { house, call, request, isLegal, fromRightPin } = made;
  const { operation, canary } = call;
  const read = expectReply(request, house, NOW_MS);
  const args = new Map(Object.entries(call.args));
  const expectation = isLegal ? expectResult({ operation, args }, house, NOW_MS) : read;
  const method = request.method.toUpperCase();
  const answered = { method, route: routeOf(request), expectation, fromRightPin, canary, reply };
  tally.add(answered);
  const problems = [
    ...problemsOf(answered),
    logged.toLowerCase().includes(canary) && "the log repeats a part of the request",
    / error /.test(logged) && "the log has an error",
    isLegal && read !== undefined && read !== expectation && "the reader misreads a legal call",
    tally.errors.size > MAX_DISTINCT_ERRORS && "errors are too many to be ours",
  ];
  return problems.filter((problem) => typeof problem === "string");
}

Deno.test("no request, legal or not, breaks what holds for every reply", async () => {
  const tally = new Tally();
  const cases = fuzzCases(HOUSES, () => NOW_MS);
  await fc.assert(
    fc.asyncProperty(cases, async (made) => {
      const outcome = await answer(made.house, made.request);
      if (outcome === undefined) return;
      const { reply: { status, body }, logged } = outcome;
      const message = `${status}\n${textOf(body).slice(0, 4_000)}\n${logged}`;
      assertEquals(problemsIn(made, outcome, tally), [], message);
    }),
    runOptions(1_500),
  );
  if (IS_REPLAY) return;
  // Or else the cases have come to test one side alone.
  const requests = tally.expected.values().reduce((sum, count) => sum + count, 0);
  const message = JSON.stringify([...tally.expected]);
  for (const result of ["true", "false", "a pairing", "refused"]) {
    assert(tally.expected.get(result)! > requests / 50, message);
  }
  assert((tally.expected.get("not to be told") ?? 0) < requests / 4, message);
  assertEquals(tally.routes.size, 10);
});
