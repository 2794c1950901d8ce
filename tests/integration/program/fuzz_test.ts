/**
 * The requests of `tests/unit/hostile/` over TCP, against the program that TEST_PROGRAM names; a
 * request that the runtime refuses by itself never reaches the service.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { type FuzzCase, fuzzCases } from "../../support/fuzz/cases.ts";
import { problemsOf } from "../../support/fuzz/invariants.ts";
import { isReadDifferently, readCall, routeOf } from "../../support/fuzz/reader.ts";
import { rawOf, textOf } from "../../support/fuzz/request.ts";
import { expectationOf, SERVERS } from "../../support/fuzz/server.ts";
import { exchangeRaw, type RawReply } from "../../support/http.ts";
import { PROGRAM, withProgram } from "../../support/program.ts";
import { runOptions } from "../../support/property.ts";

const SERVER = SERVERS[0]!;

async function send(url: string, { request, isLegal }: FuzzCase): Promise<RawReply | undefined> {
  let reply: RawReply;
  try {
    reply = await exchangeRaw(url, rawOf(request));
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

/** Returns the problems of the reply to a case; undefined when the runtime answered. */
async function problemsIn(url: string, made: FuzzCase): Promise<readonly string[] | undefined> {
  const startMs = Date.now();
  const { request, fromRightPin, call: { canary } } = made;
  // Bun replaces bytes that are no UTF-8 by U+FFFD, which is refused there.
  const isPlain = !isReadDifferently(request) &&
    (PROGRAM === "deno" || !/%EF%BF%BD/i.test(request.target));
  // With another length, the server would wait for the body, or read the rest as a request.
  if (!made.isLegal && request.fields.some(([name]) => /^content-length$/i.test(name))) return;
  const reply = await send(url, made);
  if (reply === undefined) return undefined;
  if (!isPlain) {
    const isRepeated = reply.status >= 400 && textOf(reply.body).toLowerCase().includes(canary);
    return isRepeated ? ["it repeats a part of its request"] : [];
  }
  const [before, after] = [startMs, Date.now()].map((time) =>
    expectationOf(() => readCall(request, SERVER), SERVER, time)
  );
  const expectation = before === after ? before : undefined;
  const method = request.method.toUpperCase();
  return problemsOf({ method, route: routeOf(request), expectation, fromRightPin, canary, reply });
}

Deno.test("every reply over TCP is the one that an independent reader of the request expects", async () => {
  let [sent, answered] = [0, 0];
  const { stderr } = await withProgram(["--port", "0", ...SERVER.args], async ({ url }) => {
    await fc.assert(
      fc.asyncProperty(fuzzCases([SERVER], Date.now), async (made) => {
        sent++;
        const problems = await problemsIn(url, made);
        if (problems !== undefined) answered++;
        assertEquals(problems ?? [], []);
      }),
      // One server for all: it would not accept a right pin of a secret twice.
      { ...runOptions(1_000), endOnFailure: true },
    );
    assertEquals(await (await fetch(`${url}/healthz`)).text(), "ok");
  });
  assert(!/^\S+ error /m.test(stderr) && !/hush/i.test(stderr), stderr.slice(0, 4_000));
  assert(answered > sent / 2, `${answered} of ${sent} requests reached the service`);
});
