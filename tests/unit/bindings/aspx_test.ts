import { storeThat, type StoreWishes } from "../../support/guard_store.ts";
import { assertEquals } from "@std/assert/equals";
import { type HandlerChanges, handlerWith } from "../../support/handler.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

const NOW_MS = 1_111_111_109_000;
const SECRET = "12345678BXYT";
const PIN = referenceHotp(SECRET, Math.floor(NOW_MS / 30_000));

interface Reply {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
}

const SILENT = { error: (): void => {} };

async function ask(
  target: string,
  wishes: HandlerChanges = {},
  init: RequestInit = {},
): Promise<Reply> {
  const handler = handlerWith({ now: () => NOW_MS, log: SILENT, ...wishes });
  const reply = await handler(new Request(`http://localhost${target}`, init));
  const type = reply.headers.get("content-type");
  return { status: reply.status, type, body: await reply.text() };
}

function bare(body: string): Reply {
  return { status: 200, type: "text/html; charset=utf-8", body };
}

const RIGHT = `/Validate.aspx?Pin=${PIN}&SecretCode=${SECRET}`;

const broken = (): never => {
  throw new Error("The core is broken");
};

/** A service with a guard that accepts every right pin, but for what a test wants. */
function guarded(wishes: StoreWishes): HandlerChanges {
  return { guard: { fingerprint: () => "", source: () => "", store: storeThat(wishes) } };
}

// What is wrong, the address, and how the service is set up; what is wrong with the parameters stands in
// tests/exchanges/short_routes.md.
const REFUSED: readonly (readonly [string, string, HandlerChanges])[] = [
  ["a broken clock", RIGHT, { now: broken }],
  ["a clock without time", RIGHT, { now: () => NaN }],
  ["a broken core", RIGHT, { guard: { ...guarded({}).guard!, fingerprint: broken } }],
  ["a pin while its secret is throttled", RIGHT, guarded({ refusal: () => "throttled" })],
  ["a pin while the store is down", RIGHT, guarded({ refusal: () => "unavailable" })],
  ["a pin that was used before", RIGHT, guarded({ settle: () => Promise.resolve("replayed") })],
  ["a pin that came too late", RIGHT, guarded({ settle: () => Promise.resolve("throttled") })],
  ["a store that breaks before the pin is looked at", RIGHT, guarded({ refusal: broken })],
  ["a store that breaks after it", RIGHT, guarded({ settle: () => Promise.reject(new Error()) })],
  ["a secret that is not Base32, where it should be", RIGHT.replace(SECRET, "!"), {
    flags: { "secret-encoding": "base32" },
  }],
  ["no key, where callers need one", RIGHT, { apiKeys: ["correct-horse-battery-staple"] }],
];

for (const [what, target, options] of REFUSED) {
  for (const method of ["GET", "POST"]) {
    Deno.test(`${method} /Validate.aspx answers False, with 200, to ${what}`, async () => {
      assertEquals(await ask(target, options, { method }), bare("False"));
    });
  }
}

Deno.test("an error on /Validate.aspx is in the log, not in the reply", async () => {
  const causes: unknown[] = [];
  const log = { error: (_message: string, cause?: unknown) => void causes.push(cause) };
  assertEquals(await ask(RIGHT, { now: broken, log }), bare("False"));
  assertEquals(causes.map(String), ["Error: The core is broken"]);
});

// Nothing but the answer of the core counts, whatever the server is up to.
const ACCEPTED: readonly (readonly [string, HandlerChanges, RequestInit?])[] = [
  ["as it is", {}],
  ["with a guard that lets it through", guarded({})],
  ["while draining", { isReady: () => false }],
  ["with a body that nobody reads", {}, { method: "POST", body: "Pin=1&SecretCode=2" }],
  ["with the caller's key", { apiKeys: ["correct-horse-battery-staple"] }, {
    headers: { "X-Api-Key": "correct-horse-battery-staple" },
  }],
];

for (const [what, options, init] of ACCEPTED) {
  Deno.test(`/Validate.aspx answers True to the right pin ${what}`, async () => {
    assertEquals(await ask(RIGHT, options, init), bare("True"));
  });
}

Deno.test("/pair.aspx hands no secret out without the caller's key", async () => {
  const query = "AppName=a&AppInfo=b&SecretCode=s";
  const { status } = await ask(`/pair.aspx?${query}`, {
    apiKeys: ["correct-horse-battery-staple"],
  });
  assertEquals(status, 401);
});

Deno.test("/Validate.aspx answers although telemetry fails", async () => {
  const telemetry = { observe: broken, requestId: () => "id", monotonicMs: () => 0 };
  assertEquals(await ask(RIGHT, { telemetry }), bare("True"));
  assertEquals(await ask(`${RIGHT}&Pin=1`, { telemetry }), bare("False"));
});

Deno.test("/Validate.aspx answers False although the log is broken too", async () => {
  assertEquals(await ask(RIGHT, { now: broken, log: { error: broken } }), bare("False"));
});
