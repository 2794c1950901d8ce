// What the guard in memory costs a check of a pin, in the handler and without the runtime's socket:
// the same requests with and without it, block by block in turns, and the median of the ratios. On
// a shared machine that is steadier than any two figures one after the other.
//
//     deno run -A bench/guard_pairs.ts

import process from "node:process";
import { serviceHandler } from "../tests/support/service_handler.ts";
import { parseConfig } from "../lib/config/options.ts";
import { fingerprintBy, sourceNamesBy } from "../lib/guard/fingerprint.ts";
import { type Guard, guardRules } from "../lib/guard/guard.ts";
import { MemoryStore } from "../lib/guard/memory_store.ts";
import type { Handler } from "../lib/http/handler.ts";
import { referenceHotp } from "../tests/support/reference_totp.ts";

const BLOCKS = 120;
const BLOCK_REQUESTS = 800;
const AT_ONCE = 16;
const NOW = 1_800_000_000_000;
const config = parseConfig({ flags: new Map(), env: () => undefined });

function handlerWith(guard: Guard | undefined): Handler {
  return serviceHandler(config, {
    now: () => NOW,
    guard,
    log: { error: () => process.exit(1) },
    isReady: () => true,
  });
}

const BODIES = Array.from({ length: 1000 }, (_, i) => {
  const secret = `correct-horse-battery-${i}`;
  return `pin=${referenceHotp(secret, NOW / 30_000)}&secretCode=${secret}`;
});

async function check(handler: Handler, i: number): Promise<void> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const request = new Request("http://localhost/api.asmx/ValidatePin", {
    method: "POST",
    headers,
    body: BODIES[i % BODIES.length]!,
  });
  if (!(await (await handler(request)).text()).includes("true")) process.exit(1);
}

/** Milliseconds that a block of requests takes. */
async function block(handler: Handler): Promise<number> {
  const startMs = performance.now();
  for (let first = 0; first < BLOCK_REQUESTS; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => check(handler, first + i)));
  }
  return performance.now() - startMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const store = new MemoryStore({ rules: guardRules(config), now: () => performance.now() });
const off = handlerWith(undefined);
const KEY = new Uint8Array(32).fill(7);
const on = handlerWith({
  fingerprint: fingerprintBy(KEY, "SHA1"),
  source: sourceNamesBy(fingerprintBy(KEY, "SHA1")),
  store,
});
const ratios: number[] = [];
for (let i = 0; i < BLOCKS; i++) {
  const first = await block(i % 2 === 0 ? off : on);
  const second = await block(i % 2 === 0 ? on : off);
  if (i >= 10) ratios.push(i % 2 === 0 ? first / second : second / first); // 10 warm up
}
process.stdout.write(`throughput with the guard, of that without: ${median(ratios).toFixed(3)}\n`);
