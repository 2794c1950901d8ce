// How likely it is to guess a way in: an unlimited guesser against one secret, with the rules that
// run in production and a clock of its own, beside the closed formula and beside a service without
// a limit. Prints the table of docs/security.md.
//
//     deno run bench/guard_simulation.ts

import process from "node:process";
import { serviceHandler } from "../lib/app/handler.ts";
import { parseConfig } from "../lib/config.ts";
import { fingerprintBy } from "../lib/guard/fingerprint.ts";
import {
  decide,
  FIRST_WAIT_MS,
  type GuardRules,
  guardRules,
  type GuardState,
  LONGEST_WAIT_MS,
} from "../lib/guard/guard.ts";
import { createMemoryStore } from "../lib/guard/memory_store.ts";
import type { Handler } from "../lib/http/handler.ts";
import { hotp, importOtpKey } from "../lib/otp/totp.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CODES = 1_000_000;
const config = parseConfig({ flags: new Map(), env: () => undefined });
const OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 1 } as const;
const RIGHT_CODES = 2 * OTP.window + 1;

/** When the guesser acts: takes every look, or holds still after some until all is forgotten. */
interface Strategy {
  readonly holdAfter: number;
}

const EVERY_LOOK: Strategy = { holdAfter: Infinity };

/** The code of a time step in one run: SplitMix32 of both, which spreads as well as an HMAC here. */
function codeOf(run: number, step: number): number {
  let x = Math.imul(run, 0x9e3779b9) + Math.imul(step, 0x85ebca6b) | 0;
  x = Math.imul(x ^ x >>> 16, 0x21f0aaad);
  x = Math.imul(x ^ x >>> 15, 0x735a2d97);
  return ((x ^ x >>> 15) >>> 0) % CODES;
}

/** A step that never comes: where the guesser begins has nothing to do with any code. */
const FIRST_GUESS = 1e9;

/** Plays one secret; gives the looks that were had, and whether one of them hit. */
function play(
  rules: GuardRules,
  { holdAfter }: Strategy,
  lengthMs: number,
  run: number,
): { readonly looks: number; readonly hit: boolean } {
  let state: GuardState | undefined;
  let looks = 0;
  let streak = 0;
  let nowMs = 0;
  let guess = codeOf(run, FIRST_GUESS);
  while (nowMs < lengthMs) {
    const step = Math.floor(nowMs / 30_000);
    guess = (guess + 1) % CODES; // never the same code twice within a window
    const matched = [step, step - 1, step + 1].find((right) => codeOf(run, right) === guess);
    const decision = decide(rules, state, matched, nowMs);
    ({ state } = decision);
    if (decision.verdict !== "throttled") looks++;
    if (decision.verdict === "accepted") return { looks, hit: true };
    if (++streak >= holdAfter) {
      [state, streak] = [undefined, 0];
      nowMs += decision.keepMs;
    } else nowMs += decision.refusedMs;
  }
  return { looks, hit: false };
}

/** The looks of the throttle alone: the closed formula. */
function looksIn(maxFailures: number, lengthMs: number): number {
  const doublings = Math.ceil(Math.log2(LONGEST_WAIT_MS / FIRST_WAIT_MS));
  const ladderMs = FIRST_WAIT_MS * (2 ** doublings - 1);
  return maxFailures + doublings + Math.ceil((lengthMs - ladderMs) / LONGEST_WAIT_MS) - 1;
}

function chanceOf(looks: number, rightCodes: number): number {
  return 1 - (1 - rightCodes / CODES) ** looks;
}

/** The strategy with the most looks; hits are left out of it. */
function bestStrategy(rules: GuardRules, lengthMs: number): { strategy: Strategy; looks: number } {
  const strategies = [
    EVERY_LOOK,
    ...Array.from({ length: rules.maxFailures + 20 }, (_, i) => ({
      holdAfter: i + 1,
    })),
  ];
  const played = strategies.map((strategy) => ({
    strategy,
    looks: play(rules, strategy, lengthMs, 0).looks,
  }));
  return played.reduce((best, other) => other.looks > best.looks ? other : best);
}

const SECRET = "correct horse battery staple";
const START_MS = 1_800_000_000_000;

/**
 * The same against the whole service: ten instances on one store, every binding, twenty guesses at
 * once through as many ways whenever one may be looked at, and as many in the middle of each wait.
 */
async function playService(maxFailures: number, lengthMs: number): Promise<number> {
  const clock = { ms: START_MS };
  let looks = 0;
  const rules = guardRules({ ...OTP, maxFailures, singleUse: false });
  const store = createMemoryStore({ rules, now: () => clock.ms });
  const guard = { fingerprint: fingerprintBy(new Uint8Array(32), "SHA1"), store };
  const handlers = Array.from({ length: 10 }, () =>
    serviceHandler(config, {
      now: () => clock.ms,
      guard,
      log: { error: () => process.exit(1) },
      isReady: () => true,
      telemetry: {
        observe: ({ outcome }) => void (outcome === "false" && looks++),
        requestId: () => "",
        monotonicMs: () => 0,
      },
    }));
  const bytes = new TextEncoder().encode(SECRET);
  const key = await importOtpKey(bytes, "SHA1");
  const fingerprint = guard.fingerprint(bytes);
  let waitMs = FIRST_WAIT_MS;
  const end = START_MS + lengthMs;
  while (clock.ms < end) {
    const step = Math.floor(clock.ms / 30_000);
    const right = await Promise.all([-1, 0, 1].map((distance) => hotp(key, step + distance, 6)));
    const wrong = ["111111", "222222", "333333", "444444"].find((pin) => !right.includes(pin))!;
    const count = store.refusal(fingerprint) === undefined ? Math.max(maxFailures, 20) : 20;
    await Promise.all(Array.from({ length: count }, (_, i) => ask(handlers[i % 10]!, i, wrong)));
    clock.ms += waitMs / 2;
    if (clock.ms < end) await Promise.all(handlers.map((handler, i) => ask(handler, i, wrong)));
    clock.ms += waitMs / 2;
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  }
  return looks;
}

const SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12 = "http://www.w3.org/2003/05/soap-envelope";

/** Asks by one of six ways, in turn. */
async function ask(handler: Handler, way: number, pin: string): Promise<void> {
  const query = new URLSearchParams({ pin, secretCode: SECRET });
  const requests = [
    () => post("/api.asmx", "text/xml", envelope(SOAP_11, pin)),
    () => post("/api.asmx", "application/soap+xml", envelope(SOAP_12, pin)),
    () => new Request(`http://localhost/api.asmx/ValidatePin?${query}`),
    () => post("/api.asmx/ValidatePin", "application/x-www-form-urlencoded", String(query)),
    () => post("/api.asmx/ValidatePin", "application/json", json(pin)),
    () => new Request(`http://localhost/Validate.aspx?${query}`),
  ];
  await (await handler(requests[way % requests.length]!())).text();
}

function json(pin: string): string {
  return JSON.stringify({ pin, secretCode: SECRET });
}

function envelope(namespace: string, pin: string): string {
  return `<s:Envelope xmlns:s="${namespace}"><s:Body>` +
    `<ValidatePin xmlns="http://authenticatorapi.com/"><pin>${pin}</pin>` +
    `<secretCode>${SECRET}</secretCode></ValidatePin></s:Body></s:Envelope>`;
}

function post(path: string, contentType: string, body: string): Request {
  const headers = { "content-type": contentType };
  return new Request(`http://localhost${path}`, { method: "POST", headers, body });
}

function print(...cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

function scientific(value: number): string {
  return value < 0.01 ? value.toExponential(2) : value.toFixed(3);
}

/** One row: the looks by formula, by the rules and by the service; the chance by both. */
async function guardedRow(maxFailures: number, days: number, runs: number): Promise<boolean> {
  const lengthMs = days * DAY;
  const rules = guardRules({ ...OTP, maxFailures, singleUse: false });
  const { strategy, looks } = bestStrategy(rules, lengthMs);
  const closed = looksIn(maxFailures, lengthMs);
  const served = await playService(maxFailures, lengthMs);
  let hits = 0;
  for (let run = 1; run <= runs; run++) if (play(rules, strategy, lengthMs, run).hit) hits++;
  const chance = chanceOf(closed, RIGHT_CODES);
  // Three standard deviations of a count.
  const leeway = 3 * Math.sqrt(hits) / runs;
  print(
    `--max-failures ${maxFailures}`,
    days === 1 ? "24 hours" : `${days} days`,
    strategy === EVERY_LOOK ? "takes every look" : `holds still after ${strategy.holdAfter}`,
    `${closed} · ${looks} · ${served}`,
    scientific(chance),
    `${scientific(hits / runs)} ± ${scientific(leeway)}`,
  );
  const agree = closed === looks && closed === served;
  return agree && Math.abs(hits / runs - chance) <= leeway;
}

/** The hosted service: 21 codes are right at any moment, and nothing is counted. */
function unguardedRow(seconds: number, perSecond: number, runs: number): void {
  const guesses = seconds * perSecond;
  let hits = 0;
  for (let run = 1; run <= runs; run++) {
    const first = codeOf(run, FIRST_GUESS);
    for (let i = 0; i < guesses; i++) {
      const guess = (first + i) % CODES;
      const step = 100 + Math.floor(i / perSecond / 30);
      let hit = false;
      for (let d = -10; d <= 10 && !hit; d++) hit = codeOf(run, step + d) === guess;
      if (hit) {
        hits++;
        break;
      }
    }
  }
  print(
    "the hosted service's rule",
    `${seconds / 60} minutes`,
    `${perSecond} guesses a second`,
    String(guesses),
    scientific(chanceOf(guesses, 21)),
    `${scientific(hits / runs)} ± ${scientific(3 * Math.sqrt(hits) / runs)}`,
  );
}

print("Rule", "Time", "Best strategy", "Looks: formula · rules · service", "Formula", "Simulated");
print("---", "---", "---", "---", "---", "---");
const rows = [
  await guardedRow(100, 1, 2_000_000),
  await guardedRow(100, 30, 400_000),
  await guardedRow(5, 1, 4_000_000),
  await guardedRow(5, 30, 400_000),
];
unguardedRow(600, 10, 20_000);
unguardedRow(3600, 10, 5_000);
unguardedRow(6 * 3600, 10, 2_000);
if (rows.includes(false)) {
  process.stderr.write("formula, rules, service and simulation do not agree\n");
  process.exit(1);
}
