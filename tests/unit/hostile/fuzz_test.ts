/**
 * The handler beside an independent reader: legal requests in every binding, most of them changed in
 * a few places.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { IS_REPLAY, runOptions } from "../../support/property.ts";
import { createGuard } from "../../../lib/server/keyed_guard.ts";
import { createLog } from "../../../lib/telemetry/log.ts";
import { type FuzzCase, fuzzCases } from "../../support/fuzz/cases.ts";
import { type Answered, problemsOf } from "../../support/fuzz/invariants.ts";
import { readCall, routeOf } from "../../support/fuzz/reader.ts";
import { type FuzzRequest, rawOf, textOf } from "../../support/fuzz/request.ts";
import { expectationOf, type FuzzServer, SERVERS } from "../../support/fuzz/server.ts";
import type { RawReply } from "../../support/http.ts";
import { serviceHandler } from "../../support/handler.ts";
import { configOf } from "../../support/command.ts";

const NOW_MS = 1_800_000_015_000;

/** A reply, and the log of the server. */
interface Outcome {
  readonly reply: Omit<RawReply, "continued">;
  readonly logged: string;
}

/**
 * Answers a request by a server of its own, so that no request depends on those before it.
 *
 * @returns Undefined for a method or a header field that the platform's `Request` cannot have.
 */
async function answer(
  { args, keys }: FuzzServer,
  request: FuzzRequest,
): Promise<Outcome | undefined> {
  const made = platformRequest(request);
  if (made === undefined) return undefined;
  const config = configOf(args);
  let logged = "";
  const write = (line: string): void => void (logged += line);
  const log = createLog({ format: "text", color: false, write, now: () => NOW_MS });
  const handler = serviceHandler(config, {
    now: () => NOW_MS,
    pinGuard: createGuard(config, {
      log,
      monotonicMs: () => performance.now(),
      randomBytes,
    }),
    apiKeys: keys,
    log,
    isReady: () => true,
    metricsPage: () => "",
    telemetry: {
      observe: log.request,
      requestId: () => "id",
      monotonicMs: () => performance.now(),
    },
  });
  const reply = await handler(made);
  const body = await reply.bytes();
  return { reply: { status: reply.status, headers: new Map(reply.headers), body }, logged };
}

// URL and method as a runtime hands them over; the constructor would normalize them.
function platformRequest(request: FuzzRequest): Request | undefined {
  const { method, target } = request;
  const { head, body } = rawOf(request);
  try {
    const headers = new Headers();
    for (const line of head.slice(1)) {
      const colon = line.indexOf(":");
      headers.append(line.slice(0, colon), line.slice(colon + 1));
    }
    const hasBody = body.length > 0 && !/^(GET|HEAD)$/i.test(method);
    const made = new Request("http://x/", { method, headers, body: hasBody ? body : null });
    return Object.defineProperties(made, {
      url: { value: `http://${headers.get("host") ?? ""}${target}` },
      method: { value: method },
    });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** With more distinct errors than these, one must repeat its request. */
const MAX_DISTINCT_ERRORS = 300;

class Tally {
  readonly expected = new Map<string, number>();
  readonly routes = new Set<string>();
  readonly errors = new Set<string>();

  add({ route, expectation = "more than one", reply }: Answered): void {
    const result = /^[A-Z2-7]+$/.test(expectation) ? "a pairing" : expectation;
    this.expected.set(result, (this.expected.get(result) ?? 0) + 1);
    this.routes.add(route);
    if (reply.status < 400) return;
    const text = textOf(reply.body).replace(/<soap:NotUnderstood [^>]*>/g, "");
    this.errors.add(text.replace(/\d+/g, "#"));
  }
}

function problemsIn(made: FuzzCase, { reply, logged }: Outcome, tally: Tally): readonly string[] {
  const { server, call, request, isLegal, fromRightPin } = made;
  const { operation, canary } = call;
  const read = expectationOf(() => readCall(request, server), server, NOW_MS);
  const written = { operation, args: new Map(Object.entries(call.args)) };
  const expectation = isLegal ? expectationOf(() => written, server, NOW_MS) : read;
  const method = request.method.toUpperCase();
  const answered = { method, route: routeOf(request), expectation, fromRightPin, canary, reply };
  tally.add(answered);
  const problems = [
    ...problemsOf(answered),
    logged.toLowerCase().includes(canary) && "the log repeats a part of the request",
    / error /.test(logged) && "the log has an error",
    isLegal && read !== undefined && read !== expectation && "the reader misreads a legal call",
    tally.errors.size > MAX_DISTINCT_ERRORS && "too many distinct errors",
  ];
  return problems.filter((problem) => typeof problem === "string");
}

Deno.test("every reply is the one that an independent reader of the request expects", async () => {
  const tally = new Tally();
  const cases = fuzzCases(SERVERS, () => NOW_MS);
  await fc.assert(
    fc.asyncProperty(cases, async (made) => {
      const outcome = await answer(made.server, made.request);
      if (outcome === undefined) return;
      const { reply: { status, body }, logged } = outcome;
      const message = `${status}\n${textOf(body).slice(0, 4_000)}\n${logged}`;
      assertEquals(problemsIn(made, outcome, tally), [], message);
    }),
    runOptions(800),
  );
  if (IS_REPLAY) return;
  // Otherwise the cases test one side alone.
  const requests = tally.expected.values().reduce((sum, count) => sum + count, 0);
  const message = JSON.stringify([...tally.expected]);
  for (const result of ["true", "false", "a pairing", "refused"]) {
    assert(tally.expected.get(result)! > requests / 50, message);
  }
  assert((tally.expected.get("more than one") ?? 0) < requests / 4, message);
  assertEquals(tally.routes.size, 10);
});
