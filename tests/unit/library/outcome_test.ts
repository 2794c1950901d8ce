/** Outcomes of checkPin(), and the events of calls by method. */

import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { assertThrows } from "@std/assert/throws";
import { randomBytes } from "node:crypto";
import { createAuthenticator, Fault, type RequestEvent } from "../../../lib/mod.ts";
import { freePort } from "../../support/free_port.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

// The self-check of a service may outlive a test that calls nothing.
Deno.test.sanitizer({ ops: false });

const secretCode = "correct horse battery";
const STEP = 50_000_000;
const now = (): number => STEP * 30_000;
const [pin, later] = [0, 1].map((distance) => referenceHotp(secretCode, STEP + distance)) as [
  string,
  string,
];
const log = { error: () => {} };

Deno.test("checkPin() has the distance of an accepted pin, and the reason of a wrong one", async () => {
  const { checkPin } = createAuthenticator({}, { now });
  assertEquals(await checkPin({ pin: later, secretCode }), {
    isRight: true,
    outcome: "accepted",
    distance: 1,
  });
  assertEquals(await checkPin({ pin: "000000", secretCode }), {
    isRight: false,
    outcome: "wrong",
  });
  assertEquals(await checkPin({ pin: "12345", secretCode }), {
    isRight: false,
    outcome: "wrong",
    reason: "The pin has 5 digits, not 6. A number loses its leading zeros: send text.",
  });
  const empty = await checkPin({ pin: " ", secretCode });
  assertEquals(empty, { isRight: false, outcome: "empty" });
  assertThrows(() => Object.assign(empty, { isRight: true }), TypeError);
});

Deno.test("checkPin() distinguishes a replayed pin from a wrong one", async () => {
  const { checkPin } = createAuthenticator({ singleUse: true }, { now });
  const outcomes = [];
  for (let i = 0; i < 2; i++) outcomes.push((await checkPin({ pin, secretCode })).outcome);
  assertEquals(outcomes, ["accepted", "replayed"]);
});

Deno.test("checkPin() returns the time to retry for a throttled secret, and nothing about the pin", async () => {
  const { checkPin } = createAuthenticator({ maxFailures: 1 }, { now });
  assertEquals((await checkPin({ pin: "000000", secretCode })).outcome, "wrong");
  for (const given of [pin, "000000", "12345", "letters"]) {
    const check = await checkPin({ pin: given, secretCode });
    assertEquals(Object.keys(check), ["isRight", "outcome", "retryAfterMs"]);
    assertEquals([check.isRight, check.outcome], [false, "throttled"]);
    const { retryAfterMs } = check as { readonly retryAfterMs: number };
    assertEquals(retryAfterMs > 0 && retryAfterMs <= 30_000, true, `${retryAfterMs}`);
  }
});

Deno.test("checkPin() returns unavailable without a decision of the store, for a right pin as for a wrong one", async () => {
  const { checkPin, validatePin, close } = createAuthenticator(
    { guard: `redis://127.0.0.1:${freePort()}`, guardKey: randomBytes(32) },
    { now, log },
  );
  for (const given of [pin, "000000", "12345"]) {
    assertEquals(await checkPin({ pin: given, secretCode }), {
      isRight: false,
      outcome: "unavailable",
    });
  }
  assertEquals(await validatePin({ pin, secretCode }), false);
  await close();
});

Deno.test("the observer has one event for each call, by method as by fetch", async () => {
  const events: RequestEvent[] = [];
  const ids = new Set<string>();
  const durationsMs = new Set<number>();
  const peers: unknown[] = [];
  let ms = 0;
  const observe = (event: RequestEvent): void => {
    events.push(event);
    ids.add(event.requestId);
    durationsMs.add(event.durationMs);
    peers.push(event.peer);
  };
  const { validatePin, checkPin, pair, seal, fetch, close } = createAuthenticator(
    { maxFailures: 1 },
    {
      now,
      telemetry: { observe, monotonicMs: () => ms += 5, peer: ({ method }) => `by ${method}` },
    },
  );
  const seen = (): readonly unknown[] =>
    events.splice(0).map(({ method, route, operation, status, outcome, facts }) => [
      ...[method, route, operation, status, outcome],
      Object.keys(facts ?? {}).join(),
    ]);
  const call = ["", "library", "ValidatePin", 0];
  await validatePin({ pin, secretCode });
  await validatePin({ pin: "1", secretCode });
  await checkPin({ pin, secretCode });
  assertEquals(seen(), [
    [...call, "true", "distance,form"],
    [...call, "false", "secret,reason,form"],
    [...call, "throttled", "secret,outcome,retryAfterMs,form"],
  ]);
  pair({ appName: "a", appInfo: "b", secretCode });
  await assertRejects(() => validatePin({ pin, secretCode: "" }), Fault);
  assertThrows(() => seal({ secretCode }), TypeError);
  // A mistake in the arguments is no call.
  await assertRejects(() => validatePin({ pni: pin } as never), TypeError);
  assertEquals(seen(), [
    ["", "library", "Pair", 0, "ok", ""],
    [...call, "invalid", "reason"],
    ["", "library", "Seal", 0, "internal", ""],
  ]);
  const query = new URLSearchParams({ pin, secretCode });
  await fetch(new Request(`http://localhost/api.asmx/ValidatePin?${query}`));
  await close();
  await assertRejects(() => checkPin({ pin, secretCode }), Fault);
  assertEquals(seen(), [
    ["GET", "service", "ValidatePin", 200, "throttled", "secret,outcome,retryAfterMs,form"],
    [...call, "closed", "reason"],
  ]);
  assertEquals([ids.size, ids.has(""), [...durationsMs]], [8, false, [5]]);
  assertEquals(peers.filter((peer) => peer !== undefined), ["by GET"]);
});

Deno.test("an observer or a clock of it that fails changes no result", async () => {
  const fail = (): never => {
    throw new Error("Thrown by a test");
  };
  // A rejection that nobody handles fails the test.
  for (const observe of [fail, () => Promise.reject(new Error("Rejected by a test"))]) {
    const { validatePin, fetch } = createAuthenticator({}, { now, telemetry: { observe } });
    assertEquals(await validatePin({ pin, secretCode }), true);
    assertEquals((await fetch(new Request("http://localhost/healthz"))).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const telemetry = { observe: () => {}, monotonicMs: fail };
  assertEquals(await createAuthenticator({}, { now, telemetry }).checkPin({ pin, secretCode }), {
    outcome: "accepted",
    isRight: true,
    distance: 0,
  });
});
