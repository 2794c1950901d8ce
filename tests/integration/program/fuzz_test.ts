/**
 * The requests of `tests/unit/hostile/` over TCP, against the program that TEST_PROGRAM names. What a runtime
 * refuses by itself, or closes at, never reaches the service.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { expectReply } from "../../support/fuzz/expectation.ts";
import { type FuzzCase, fuzzCases } from "../../support/fuzz/fuzz_case.ts";
import { HOUSES } from "../../support/fuzz/house.ts";
import { problemsOf } from "../../support/fuzz/invariants.ts";
import { isReadDifferently, routeOf } from "../../support/fuzz/reader.ts";
import { rawOf, textOf } from "../../support/fuzz/request.ts";
import { exchangeRaw, type RawReply } from "../../support/http.ts";
import { PROGRAM, startProgram } from "../../support/program.ts";
import { runOptions } from "../../support/property.ts";

const HOUSE = HOUSES[0]!;

type Address = Parameters<typeof exchangeRaw>[0];

async function send(
  address: Address,
  { request, isLegal }: FuzzCase,
): Promise<RawReply | undefined> {
  let reply: RawReply;
  try {
    reply = await exchangeRaw(address, rawOf(request));
  } catch (error) {
    // A reset, or a reply that breaks off.
    if (isLegal) throw error;
    return undefined;
  }
  // Only the service sends this field.
  if (reply.headers.has("x-content-type-options")) return reply;
  const isRefusal = [400, 405, 413, 414, 431, 501, 505].includes(reply.status);
  assert(!isLegal && isRefusal, `${reply.status} of the runtime`);
  return undefined;
}

/** What is wrong with the reply to a case; undefined when it was none of the service. */
async function problemsIn(
  address: Address,
  made: FuzzCase,
): Promise<readonly string[] | undefined> {
  const startMs = Date.now();
  const { request, fromRightPin, call: { canary } } = made;
  // Bun writes U+FFFD for bytes that are none of UTF-8, so that there it is refused.
  const isPlain = !isReadDifferently(request) &&
    (PROGRAM === "deno" || !/%EF%BF%BD/i.test(request.target));
  // A length of its own leaves the server waiting for a body, or with one too much.
  if (!made.isLegal && request.fields.some(([name]) => /^content-length$/i.test(name))) return;
  const reply = await send(address, made);
  if (reply === undefined) return undefined;
  if (!isPlain) {
    const isRepeated = reply.status >= 400 && textOf(reply.body).toLowerCase().includes(canary);
    return isRepeated ? ["it repeats a part of its request"] : [];
  }
  const [before, after] = [startMs, Date.now()].map((time) => expectReply(request, HOUSE, time));
  const expectation = before === after ? before : undefined;
  const method = request.method.toUpperCase();
  return problemsOf({ method, route: routeOf(request), expectation, fromRightPin, canary, reply });
}

Deno.test("no changed request breaks what holds for every reply over TCP", async () => {
  const program = await startProgram(["--port", "0", ...HOUSE.args]);
  const { hostname, port } = new URL(program.url);
  const address = { hostname, port: Number(port) };
  let [sent, answered] = [0, 0];
  try {
    await fc.assert(
      fc.asyncProperty(fuzzCases([HOUSE], Date.now), async (made) => {
        sent++;
        const problems = await problemsIn(address, made);
        if (problems !== undefined) answered++;
        assertEquals(problems ?? [], []);
      }),
      // One server for all: a second right pin of a secret would not be taken.
      { ...runOptions(1_000), endOnFailure: true },
    );
    assertEquals(await (await fetch(`${program.url}/healthz`)).text(), "ok");
  } finally {
    program.signal("SIGTERM");
  }
  const { code, stderr } = await program.outcome;
  assertEquals(code, 0);
  assert(!/^\S+ error /m.test(stderr) && !/hush/i.test(stderr), stderr.slice(0, 4_000));
  assert(answered > sent / 2, `${answered} of ${sent} requests reached the service`);
});
