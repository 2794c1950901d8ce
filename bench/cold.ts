/**
 * What the parts of a check take where the processor had to wait and its caches hold something else, as
 * behind each signature of WebCrypto, beside a loop that does nothing else. A server works in the first
 * way: a loop alone says that a part is cheap when it is not. Where other programs keep the processor
 * busy, the two come closer, so run it on an idle machine.
 *
 *     deno run -A bench/cold.ts [ROUNDS]
 *
 * @module
 */

import { decide } from "../tests/support/guard_store.ts";
import { randomBytes } from "node:crypto";
import process from "node:process";
import { serviceHandler } from "../tests/support/service_handler.ts";
import { readParameters, readQuery } from "../lib/bindings/form_urlencoded.ts";
import { parseConfig } from "../lib/config/options.ts";
import { fingerprintBy } from "../lib/guard/fingerprint.ts";
import { guardRules } from "../lib/guard/guard.ts";
import { MemoryStore } from "../lib/guard/memory_store.ts";
import { respond } from "../lib/http/response.ts";
import { targetOf } from "../lib/http/request_target.ts";
import { DEFAULT_TOTP, importOtpKey } from "../lib/otp/totp.ts";
import { factKinds } from "../lib/operations/facts.ts";
import { VALIDATE_PIN } from "../lib/operations/operations.ts";
import { createLog } from "../lib/telemetry/log.ts";
import { createMetrics } from "../lib/telemetry/metrics.ts";
import type { RequestEvent } from "../lib/telemetry/request_event.ts";
import { numbersFrom } from "./command_line.ts";
import { median } from "./load.ts";
import { row } from "./peers.ts";

const [ROUNDS] = numbersFrom(process.argv.slice(2), [["rounds", 5]]);
const WARM_UP = 30_000;
const IN_A_LOOP = 5_000;
const BEHIND_A_SIGNATURE = 2_000;

const encoder = new TextEncoder();
const HOST = "127.0.0.1:8080";
const SECRETS = Array.from({ length: 256 }, (_, i) => `YJO8LCQT${String(i).padStart(4, "0")}`);
const QUERIES = SECRETS.map((secret) => `pin=000000&secretCode=${secret}`);
const KEYS = SECRETS.map((secret) => encoder.encode(secret));
const REQUESTS = QUERIES.map((query) =>
  new Request(`http://${HOST}/api.asmx/ValidatePin?${query}`, { headers: { host: HOST } })
);
const REPLY = {
  status: 200,
  contentType: "text/xml; charset=utf-8",
  body: "<boolean>true</boolean>",
};
const EVENT: RequestEvent = {
  requestId: "0123456789-0123456789abcdef0123",
  method: "GET",
  route: "service",
  operation: "ValidatePin",
  binding: "HTTP GET",
  status: 200,
  outcome: "true",
  facts: { distance: 0 },
  durationMs: 0.3,
  replyBytes: 100,
};

const name = fingerprintBy(randomBytes(32), DEFAULT_TOTP.algorithm);
const names = KEYS.map((key) => name(key));
const rules = guardRules({ maxFailures: 100, singleUse: false, window: 1, period: 30 });
const store = new MemoryStore({ rules, now: () => performance.now() });
const log = createLog({ format: "text", color: false, write: () => {}, now: Date.now });
const metrics = createMetrics("bench", factKinds(1));
const config = parseConfig({ flags: new Map(), env: () => undefined });
const parts = { now: Date.now, log, isReady: () => true };
const guard = { fingerprint: name, source: () => "", store };
const handlers = [
  serviceHandler(config, parts),
  serviceHandler(config, { ...parts, guard }),
] as const;

/** What is measured; the number says which secret. */
const PARTS: Readonly<Record<string, (i: number) => unknown>> = {
  "the name of a secret": (i) => name(KEYS[i]!),
  "the guard: admission and settlement": (i) => void decide(store, names[i]!, 1),
  "the key for WebCrypto": (i) => importOtpKey(KEYS[i]!, DEFAULT_TOTP.algorithm),
  "the target of a request": (i) => targetOf(REQUESTS[i]!, HOST),
  "the parameters of a query": (i) => readParameters(VALIDATE_PIN, readQuery(QUERIES[i]!)),
  "a reply with one field": () =>
    new Response(REPLY.body, { headers: { "content-type": REPLY.contentType } }),
  "a reply with five fields": (i) => respond(REQUESTS[i]!.method, REPLY, EVENT.requestId),
  "a line of the log": () => log.request(EVENT),
  "the metrics of a request": () => metrics.observe(EVENT),
};

// What is to be signed, and with what, while the caches are emptied.
const message = new Uint8Array(8);
const { subtle } = crypto;
const signingKey = await importOtpKey(KEYS[0]!, DEFAULT_TOTP.algorithm);
const sign = subtle.sign.bind(subtle);

/** Takes WebCrypto away from the handler, so that what is left is all its own. */
const WITHOUT_WEB_CRYPTO = {
  importKey: () => Promise.resolve(signingKey),
  sign: () => Promise.resolve(new ArrayBuffer(20)),
};

async function inLoop(part: (i: number) => unknown): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < IN_A_LOOP; i++) await part(i % SECRETS.length);
  return (performance.now() - start) * 1000 / IN_A_LOOP;
}

async function behindSignatures(part: (i: number) => unknown): Promise<number> {
  let spent = 0;
  for (let i = 0; i < BEHIND_A_SIGNATURE; i++) {
    await sign("HMAC", signingKey, message);
    const start = performance.now();
    await part(i % SECRETS.length);
    spent += performance.now() - start;
  }
  return spent * 1000 / BEHIND_A_SIGNATURE;
}

async function measure(part: (i: number) => unknown): Promise<readonly [number, number]> {
  for (let i = 0; i < WARM_UP; i++) await part(i % SECRETS.length);
  const loops: number[] = [];
  const behind: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    loops.push(await inLoop(part));
    behind.push(await behindSignatures(part));
  }
  return [median(loops), median(behind)];
}

const nothing = await measure(() => undefined);
row(["µs", "in a loop", "behind a signature"], true);
const show = async (title: string, part: (i: number) => unknown): Promise<void> => {
  const cells = (await measure(part)).map((us, i) => (us - nothing[i]!).toFixed(1));
  row([title, ...cells]);
};
for (const [title, part] of Object.entries(PARTS)) await show(title, part);
Object.assign(subtle, WITHOUT_WEB_CRYPTO);
await show("a check, without WebCrypto, guard, log and metrics", (i) => handlers[0](REQUESTS[i]!));
await show("a check, without WebCrypto, log and metrics", (i) => handlers[1](REQUESTS[i]!));
