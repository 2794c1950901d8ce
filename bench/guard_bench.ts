// What the guard adds to a check of a pin in the handler, without the runtime's socket; what each
// part of it takes; and, printed first, the memory of full stores of 100,000 and of a million
// secrets, and what a decision takes in them. bench/guard_load.ts measures the
// same over TCP, and with Redis.
//
//     deno bench -A --v8-flags=--expose-gc bench/guard_bench.ts

import { decide, refusal } from "../tests/support/guard_store.ts";
import process from "node:process";
import { serviceHandler } from "../tests/support/service_handler.ts";
import { parseConfig } from "../lib/config/options.ts";
import { fingerprintBy, sourceNamesBy } from "../lib/guard/fingerprint.ts";
import { type Guard, guardRules } from "../lib/guard/guard.ts";
import { DEFAULT_ENTRIES, MemoryStore } from "../lib/guard/memory_store.ts";
import type { Handler } from "../lib/http/handler.ts";
import { referenceHotp } from "../tests/support/reference_totp.ts";

const NOW = 1_800_000_000_000;
const encoder = new TextEncoder();
const config = parseConfig({ flags: new Map(), env: () => undefined });
const KEY = new Uint8Array(32).fill(7);
const fingerprint = fingerprintBy(KEY, "SHA1");
const source = sourceNamesBy(fingerprint);

function storeWith(singleUse: boolean, maxEntries = DEFAULT_ENTRIES): MemoryStore {
  const rules = guardRules({ ...config, singleUse });
  return new MemoryStore({ rules, now: () => performance.now(), maxEntries });
}

function fill(store: MemoryStore, entries = DEFAULT_ENTRIES, asker?: string): void {
  for (let i = 0; i < entries; i++) {
    const name = fingerprint(encoder.encode(`secret ${i}`));
    decide(store, name, 60_000_000);
    decide(store, name, undefined, asker);
  }
}

// Typed by hand: the function is there with --expose-gc only.
const { gc } = globalThis as { readonly gc?: () => void };
for (const entries of gc === undefined ? [] : [DEFAULT_ENTRIES, 1_000_000]) {
  for (const asker of [undefined, "a source"]) measure(entries, asker);
}

function measure(entries: number, asker: string | undefined): void {
  gc!();
  const before = process.memoryUsage();
  const store = storeWith(true, entries);
  fill(store, entries, asker);
  gc!();
  const after = process.memoryUsage();
  const bytes = after.heapUsed + after.external - before.heapUsed - before.external;
  const decisions = 200_000;
  const names = Array.from(
    { length: decisions },
    (_, i) => fingerprint(encoder.encode(`secret ${i * 7919 % (2 * entries)}`)),
  );
  const startMs = performance.now();
  for (const name of names) decide(store, name, undefined, asker);
  const each = (performance.now() - startMs) * 1000 / decisions;
  process.stdout.write(
    `${store.size()} secrets, ${asker ?? "no source"}: ${
      (bytes / entries).toFixed(0)
    } bytes each, ` +
      `${each.toFixed(2)} µs a decision, half of them about secrets that are new\n`,
  );
}

function handlerWith(guard: Guard | undefined): Handler {
  return serviceHandler(config, {
    now: () => NOW,
    guard,
    log: { error: () => {} },
    isReady: () => true,
  });
}

function requestOf(secret: string, pin: string): Request {
  return new Request("http://localhost:8080/api.asmx/ValidatePin", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `pin=${pin}&secretCode=${secret}`,
  });
}

const full = storeWith(false);
fill(full);
const GUARDS: readonly (readonly [string, Guard | undefined])[] = [
  ["off", undefined],
  ["in memory", { fingerprint, source, store: storeWith(false) }],
  ["in memory, single use", { fingerprint, source, store: storeWith(true) }],
  ["in memory, full", { fingerprint, source, store: full }],
];
const PINS = Array.from({ length: 1000 }, (_, i) => {
  const secret = `correct-horse-${i}`;
  return [secret, referenceHotp(secret, NOW / 30_000)] as const;
});

for (const [name, guard] of GUARDS) {
  const handler = handlerWith(guard);
  let i = 0;
  Deno.bench(`guard ${name}`, { group: "right pin", baseline: guard === undefined }, async () => {
    const [secret, pin] = PINS[i++ % PINS.length]!;
    await (await handler(requestOf(secret, pin))).text();
  });
}

const secret = encoder.encode("correct horse battery");
const name = fingerprint(secret);
const store = storeWith(true);
Deno.bench("fingerprint", { group: "parts" }, () => {
  fingerprint(secret);
});
Deno.bench("refusal and decision", { group: "parts" }, () => {
  refusal(store, name);
  decide(store, name, 60_000_000);
});
