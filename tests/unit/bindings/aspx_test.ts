import { assert } from "@std/assert/assert";
import type { GuardStore } from "../../../lib/guard/guard.ts";
import { storeThat } from "../../support/guard_store.ts";
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

async function call(
  target: string,
  changes: HandlerChanges = {},
  init: RequestInit = {},
): Promise<Reply> {
  const handler = handlerWith({ now: () => NOW_MS, log: SILENT, ...changes });
  const reply = await handler(new Request(`http://localhost${target}`, init));
  const type = reply.headers.get("content-type");
  return { status: reply.status, type, body: await reply.text() };
}

function bare(body: string): Reply {
  return { status: 200, type: "text/html; charset=utf-8", body };
}

const RIGHT = `/Validate.aspx?Pin=${PIN}&SecretCode=${SECRET}`;

const fail = (): never => {
  throw new Error("The core is broken");
};

/** A service with a guard that accepts every right pin, except as a test changes it. */
function guarded(changes: Partial<GuardStore>): HandlerChanges {
  return { pinGuard: { fingerprint: () => "", source: () => "", store: storeThat(changes) } };
}

// The failure, the URL, and the parts of the service. Wrong parameters are in tests/exchanges/short_routes.md,
// the refusals of a guard in operations/guard_bindings_test.ts.
const REFUSED: readonly (readonly [string, string, HandlerChanges])[] = [
  ["a broken clock", RIGHT, { now: fail }],
  ["a clock without time", RIGHT, { now: () => NaN }],
  ["a broken finder", RIGHT, { find: fail }],
  ["a broken core", RIGHT, { pinGuard: { ...guarded({}).pinGuard!, fingerprint: fail } }],
  ["a store that fails before the pin is checked", RIGHT, guarded({ throttledMs: fail })],
  ["a store that fails after it", RIGHT, guarded({ decide: () => Promise.reject(new Error()) })],
  ["a secret that is not Base32, with --secret-encoding base32", RIGHT.replace(SECRET, "!"), {
    flags: { "secret-encoding": "base32" },
  }],
  ["no API key, where one is required", RIGHT, { apiKeys: ["correct-horse-battery-staple"] }],
];

for (const [what, target, options] of REFUSED) {
  for (const method of ["GET", "POST"]) {
    Deno.test(`${method} /Validate.aspx replies 200 False to ${what}`, async () => {
      assertEquals(await call(target, options, { method }), bare("False"));
    });
  }
}

Deno.test("an error on /Validate.aspx is in the log, not in the reply", async () => {
  const causes: unknown[] = [];
  const log = { error: (_message: string, cause?: unknown) => void causes.push(cause) };
  assertEquals(await call(RIGHT, { now: fail, log }), bare("False"));
  assertEquals(causes.map(String), ["Error: The core is broken"]);
});

// The state of the server, the parts of the service, and the rest of the request.
const ACCEPTED: readonly (readonly [string, HandlerChanges, RequestInit?])[] = [
  ["as it is", {}],
  ["with a guard that accepts it", guarded({})],
  ["while draining", { isReady: () => false }],
  ["with a body, which is ignored", {}, { method: "POST", body: "Pin=1&SecretCode=2" }],
  ["with an API key", { apiKeys: ["correct-horse-battery-staple"] }, {
    headers: { "X-Api-Key": "correct-horse-battery-staple" },
  }],
];

for (const [what, options, init] of ACCEPTED) {
  Deno.test(`/Validate.aspx replies True to the right pin ${what}`, async () => {
    assertEquals(await call(RIGHT, options, init), bare("True"));
  });
}

Deno.test("/Validate.aspx replies even if telemetry fails", async () => {
  const telemetry = { observe: fail, requestId: () => "id", monotonicMs: () => 0 };
  assertEquals(await call(RIGHT, { telemetry }), bare("True"));
  assertEquals(await call(`${RIGHT}&Pin=1`, { telemetry }), bare("False"));
});

Deno.test("/Validate.aspx replies False even if the log fails too", async () => {
  assertEquals(await call(RIGHT, { now: fail, log: { error: fail } }), bare("False"));
});

Deno.test("the log warns once that /Validate.aspx did not answer False to a missing parameter", async () => {
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (message: string): void => void warnings.push(message) };
  const handler = handlerWith({ log });
  const ask = async (target: string): Promise<string> =>
    await (await handler(new Request(`http://localhost${target}`, { method: "POST" }))).text();
  assertEquals(await ask("/pair.aspx"), "Pass 'AppName' in QueryString");
  assertEquals(await ask("/Validate.aspx?Pin=1&SecretCode="), "False");
  assertEquals(warnings, []);
  for (const missing of ["/Validate.aspx", "/Validate.aspx?Pin=1"]) {
    assert((await ask(missing)).startsWith("Pass '"));
  }
  assertEquals(warnings, [
    "a call of /Validate.aspx lacked a parameter in its query and was not answered False: a caller " +
    "that takes any other text for a success lets everyone in by it",
  ]);
  assertEquals(
    await call("/Validate.aspx", { log: { ...SILENT, warn: fail } }),
    bare("Pass 'Pin' in QueryString"),
  );
});
