// Chance to guess a pin, and how long a user is kept out: guessers against one secret, with the rules
// that run in production and a clock of its own, beside the closed formula (1 − (1 − 3 × 10⁻⁶)ⁿ for n
// attempts) and beside a service without a limit. docs/security.md has some of these figures.
//
//     deno run bench/guard_simulation.ts

import { refusal } from "../tests/support/guard_store.ts";
import process from "node:process";
import { serviceHandler } from "../tests/support/service_handler.ts";
import { parseConfig } from "../lib/config/options.ts";
import { extraAttempts } from "../lib/guard/budget.ts";
import { fingerprintBy, sourceNamesBy } from "../lib/guard/fingerprint.ts";
import { type GuardRules, guardRules, type GuardState, totalBudget } from "../lib/guard/guard.ts";
import { decide } from "../tests/support/guard_model.ts";
import { MemoryStore } from "../lib/guard/memory_store.ts";
import type { Handler } from "../lib/http/handler.ts";
import { hotp, importOtpKey } from "../lib/otp/totp.ts";
import { printLockOut } from "./guard_lockout.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CODES = 1_000_000;
const config = parseConfig({ flags: new Map(), env: () => undefined });
const OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 1 } as const;
const RIGHT_CODES = 2 * OTP.window + 1;

/** The code of a time step in one run: SplitMix32 of both, which spreads as well as an HMAC here. */
function codeOf(run: number, step: number): number {
  let x = Math.imul(run, 0x9e3779b9) + Math.imul(step, 0x85ebca6b) | 0;
  x = Math.imul(x ^ x >>> 16, 0x21f0aaad);
  x = Math.imul(x ^ x >>> 15, 0x735a2d97);
  return ((x ^ x >>> 15) >>> 0) % CODES;
}

/** A step that never comes: where the guesser begins has nothing to do with any code. */
const FIRST_GUESS = 1e9;

/**
 * Plays one secret, whose guesser takes every attempt there is, from as many sources as there are, and
 * whose user logs in now and then; gives the attempts that were had, and whether one of them hit.
 */
function play(
  rules: GuardRules,
  { sources, logins }: { readonly sources: number; readonly logins: number },
  lengthMs: number,
  run: number,
): { readonly attempts: number; readonly hit: boolean } {
  let state: GuardState | undefined;
  let attempts = 0;
  let nextLoginMs = 0;
  let guess = codeOf(run, FIRST_GUESS);
  for (let nowMs = 0; nowMs < lengthMs;) {
    if (logins > 0 && nowMs >= nextLoginMs) {
      const source = sources === 0 ? undefined : "user";
      ({ state } = decide(rules, state, { matchedStep: 0, source }, nowMs));
      nextLoginMs = nowMs + DAY / logins;
    }
    const step = Math.floor(nowMs / 30_000);
    guess = (guess + 1) % CODES; // never the same code twice within a window
    const matchedStep = [step, step - 1, step + 1].find((right) => codeOf(run, right) === guess);
    const source = sources === 0 ? undefined : `guesser ${attempts % sources}`;
    const decision = decide(rules, state, { matchedStep, source }, nowMs);
    ({ state } = decision);
    if (decision.verdict !== "throttled") attempts++;
    if (decision.verdict === "accepted") return { attempts, hit: true };
    nowMs += decision.refusedMs;
  }
  return { attempts, hit: false };
}

/** The most attempts that the throttle allows in a time: the closed formula. */
function attemptsIn(rules: GuardRules, lengthMs: number): number {
  const budget = totalBudget(rules);
  return budget.attempts + extraAttempts(budget) + lengthMs / budget.refillMs;
}

function chanceOf(attempts: number, rightCodes: number): number {
  return 1 - (1 - rightCodes / CODES) ** attempts;
}

const SECRET = "correct horse battery staple";
const START_MS = 1_800_000_000_000;

/** How often the guesser of the service reads the clock: all waits are a multiple of it. */
const TICK_MS = 15_000;

/**
 * The same against the whole service: ten instances on one store, every binding, many guesses at once
 * through as many ways whenever one may be checked, and some again and again in between; each from
 * another source where there are sources.
 */
async function playService(
  maxFailures: number,
  lengthMs: number,
  sources: number,
): Promise<number> {
  const clock = { ms: START_MS };
  let attempts = 0;
  const rules = guardRules({ ...OTP, maxFailures, singleUse: false });
  const store = new MemoryStore({ rules, now: () => clock.ms });
  const guardKey = new Uint8Array(32);
  const guard = {
    fingerprint: fingerprintBy(guardKey, "SHA1"),
    source: sourceNamesBy(fingerprintBy(guardKey, "SHA1")),
    store,
  };
  const handlers = Array.from({ length: 10 }, () =>
    serviceHandler(config, {
      now: () => clock.ms,
      guard,
      log: { error: () => process.exit(1) },
      isReady: () => true,
      telemetry: {
        observe: ({ outcome }) => void (outcome === "false" && attempts++),
        requestId: () => "",
        monotonicMs: () => 0,
      },
    }));
  const bytes = new TextEncoder().encode(SECRET);
  const key = await importOtpKey(bytes, "SHA1");
  const fingerprint = guard.fingerprint(bytes);
  for (let tick = 0; clock.ms < START_MS + lengthMs; tick++, clock.ms += TICK_MS) {
    const sourceOf = (i: number): string | undefined =>
      sources === 0 ? undefined : `guesser ${i % sources}`;
    const next = sourceOf(tick);
    const name = next === undefined ? undefined : guard.source(fingerprint, next);
    const isOpen = refusal(store, fingerprint, name) === undefined;
    if (!isOpen && tick % 40 !== 0) continue;
    const step = Math.floor(clock.ms / 30_000);
    const right = await Promise.all([-1, 0, 1].map((distance) => hotp(key, step + distance, 6)));
    const wrong = ["111111", "222222", "333333", "444444"].find((pin) => !right.includes(pin))!;
    const count = isOpen ? Math.max(maxFailures, 20) : 10;
    await Promise.all(Array.from(
      { length: count },
      (_, i) => ask(handlers[i % 10]!, i, wrong, sourceOf(tick + i)),
    ));
  }
  return attempts;
}

const SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12 = "http://www.w3.org/2003/05/soap-envelope";

/** Asks by one of six ways, in turn. */
async function ask(handler: Handler, way: number, pin: string, source?: string): Promise<void> {
  const query = new URLSearchParams({ pin, secretCode: SECRET });
  const requests = [
    () => post("/api.asmx", "text/xml", envelope(SOAP_11, pin)),
    () => post("/api.asmx", "application/soap+xml", envelope(SOAP_12, pin)),
    () => new Request(`http://localhost/api.asmx/ValidatePin?${query}`),
    () => post("/api.asmx/ValidatePin", "application/x-www-form-urlencoded", String(query)),
    () => post("/api.asmx/ValidatePin", "application/json", json(pin)),
    () => new Request(`http://localhost/Validate.aspx?${query}`),
  ];
  const request = requests[way % requests.length]!();
  if (source !== undefined) request.headers.set("x-authenticator-source", source);
  await (await handler(request)).text();
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

/** Who guesses, and whether the user is there. */
const GUESSERS = [
  { name: "alone", sources: 0, logins: 0 },
  { name: "beside a user who logs in 20 times a day", sources: 0, logins: 20 },
  { name: "from 1 source", sources: 1, logins: 20 },
  { name: "from 100 sources", sources: 100, logins: 20 },
];

/** How often one of the guesses hits, and whether the attempts make that likely. */
function simulate(
  rules: GuardRules,
  guesser: Parameters<typeof play>[1],
  lengthMs: number,
  runs: number,
): { readonly text: string; readonly isLikely: boolean } {
  const { attempts } = play(rules, guesser, lengthMs, 0);
  let hits = 0;
  for (let run = 1; run <= runs; run++) if (play(rules, guesser, lengthMs, run).hit) hits++;
  // Three standard deviations of a count.
  const leeway = 3 * Math.sqrt(hits) / runs;
  return {
    text: `${scientific(hits / runs)} ± ${scientific(leeway)}`,
    isLikely: Math.abs(hits / runs - chanceOf(attempts, RIGHT_CODES)) <= leeway,
  };
}

/** Rows of one setting: the attempts by formula, by the rules and by the service; the chance by both. */
async function guardedRows(maxFailures: number, days: number, runs: number): Promise<boolean> {
  const lengthMs = days * DAY;
  const rules = guardRules({ ...OTP, maxFailures, singleUse: false });
  const closed = attemptsIn(rules, lengthMs);
  let agree = true;
  for (const guesser of GUESSERS) {
    const { attempts } = play(rules, guesser, lengthMs, 0);
    const served = await playService(maxFailures, lengthMs, guesser.sources);
    agree &&= attempts <= closed && served <= closed;
    // How many attempts there are decides the chance, whoever has them: one row is enough.
    const hits = guesser === GUESSERS[0] ? simulate(rules, guesser, lengthMs, runs) : undefined;
    agree &&= hits === undefined || hits.isLikely;
    print(
      `--max-failures ${maxFailures}`,
      days === 1 ? "24 hours" : `${days} days`,
      guesser.name,
      `${closed} · ${attempts} · ${served}`,
      scientific(chanceOf(closed, RIGHT_CODES)),
      hits?.text ?? "",
    );
  }
  return agree;
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

print("Rule", "Time", "Who guesses", "Looks: at most · rules · service", "At most", "Simulated");
print("---", "---", "---", "---", "---", "---");
const rows = [
  await guardedRows(100, 1, 300_000),
  await guardedRows(100, 30, 50_000),
  await guardedRows(5, 1, 1_000_000),
  await guardedRows(5, 30, 50_000),
];
unguardedRow(600, 10, 20_000);
unguardedRow(3600, 10, 5_000);
unguardedRow(6 * 3600, 10, 2_000);
print();
printLockOut(print);
if (rows.includes(false)) {
  process.stderr.write("formula, rules, service and simulation do not agree\n");
  process.exit(1);
}
