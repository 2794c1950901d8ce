/**
 * Commands to Redis or Valkey. The rules of `guard.ts` are a script there, which makes a decision
 * atomic for all instances that share the store; a test plays the same events against both.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type Budget, extraAttempts, FIRST_WAIT_MS } from "../budget.ts";
import {
  type CheckedPin,
  type GuardRules,
  type GuardState,
  sourceBudget,
  totalBudget,
  unknownSourcesBudget,
  type Verdict,
} from "../guard.ts";
import { KNOWN_MS, MAX_KNOWN_SOURCES, MAX_SOURCES } from "../sources.ts";
import { isRefusedInScript, UNREADABLE } from "./reasons.ts";

import decideScript from "./decide.lua" with { type: "text" };
import unlockScript from "./unlock.lua" with { type: "text" };

/** Prefix of a fingerprint in a key; the number is the version of the state's format. */
export const KEY_PREFIX = "authenticator:guard:2:";

/** Returns the key of the state of a secret. */
export function redisKey(fingerprint: string): string {
  return `${KEY_PREFIX}${fingerprint}`;
}

/** Prefix of the probe keys; no fingerprint begins like this. */
export const PROBE_PREFIX = `${KEY_PREFIX}probe-`;

/** Sends a command; resolves with its reply, rejects with an error reply. */
export type Send = (words: readonly string[]) => Promise<unknown>;

/**
 * Verdicts by the first number of the script's reply; the last is for a state that cannot be read.
 */
export const SCRIPT_VERDICTS: readonly Verdict[] = [
  "accepted",
  "wrong",
  "throttled",
  "replayed",
  "unavailable",
];

/** Input of the script beside its key. */
export interface ScriptCall {
  /** The rules. */
  readonly rules: GuardRules;
  /** The pin to decide about. */
  readonly pin: CheckedPin;
  /** The time in milliseconds; undefined for the store's clock. */
  readonly nowMs: number | undefined;
}

/** Returns the arguments of the script after its key. */
export function scriptArguments({ rules, pin, nowMs }: ScriptCall): readonly string[] {
  return [
    ...[totalBudget(rules), unknownSourcesBudget(rules), sourceBudget(rules)].map(budgetText),
    rules.singleUse ? "1" : "0",
    String(rules.forgetUseMs),
    pin.source ?? "",
    String(pin.matchedStep ?? ""),
    String(nowMs ?? ""),
    ...[FIRST_WAIT_MS, KNOWN_MS, MAX_KNOWN_SOURCES, MAX_SOURCES].map(String),
  ];
}

function budgetText(budget: Budget): string {
  return `${budget.attempts}:${budget.refillMs}:${extraAttempts(budget)}`;
}

/** Reply of the script to a pin. */
export interface ScriptReply {
  /** The verdict. */
  readonly verdict: Verdict;
  /** The time for which pins of the source are throttled, in milliseconds. */
  readonly refusedMs: number;
}

/** Script of a decision, `decide.lua`. */
export const DECIDE_SCRIPT: string = decideScript;

const DECIDE_SHA1 = createHash("sha1").update(DECIDE_SCRIPT).digest("hex");

/**
 * Runs the script for a pin.
 *
 * @throws {Error} When the server gives no decision.
 */
export async function runScript(
  send: Send,
  key: string,
  call: ScriptCall,
): Promise<ScriptReply> {
  const args = ["1", key, ...scriptArguments(call)];
  try {
    return readReply(await send(["EVALSHA", DECIDE_SHA1, ...args]), call.pin);
  } catch (error) {
    // A server loses its script cache at a restart.
    if (!isReply(error, "NOSCRIPT")) throw error;
    return readReply(await send(["EVAL", DECIDE_SCRIPT, ...args]), call.pin);
  }
}

/** Decision of a probe: a write, which a full server or a replica refuses. It expires at once. */
const PROBE: ScriptCall = {
  rules: { maxFailures: 0, singleUse: true, forgetUseMs: 1 },
  pin: { matchedStep: 0 },
  nowMs: undefined,
};

/**
 * Probes a server with EVAL and EVALSHA, since its user may lack the permission for one of them. The
 * server has the script in its cache from then on.
 *
 * @param key A probe key, with the prefix `PROBE_PREFIX`.
 * @throws {Error} When the server gives no decision.
 */
export async function probe(send: Send, key: string): Promise<void> {
  const args = ["1", key, ...scriptArguments(PROBE)];
  try {
    readReply(await send(["EVAL", DECIDE_SCRIPT, ...args]), PROBE.pin);
    await runScript(send, key, PROBE);
  } catch (error) {
    if (isRefusedInScript(error)) await nameRefused(send, key);
    throw error;
  }
}

// Sends the commands of the script one by one: the refusal of the first without a permission names it.
async function nameRefused(send: Send, key: string): Promise<void> {
  for (const words of [["GET", key], ["SET", key, "", "PX", "1"], ["DEL", key], ["TIME"]]) {
    await send(words);
  }
}

// Accept a verdict only if it fits the pin: accepted and replayed need a pin that matched here, so
// no reply of a store makes a wrong pin right.
function readReply(reply: unknown, { matchedStep }: CheckedPin): ScriptReply {
  const [code, refusedMs] = Array.isArray(reply) && reply.length === 2 ? reply : [];
  const verdict = typeof code === "number" ? SCRIPT_VERDICTS[code] : undefined;
  const isWait = Number.isSafeInteger(refusedMs) && refusedMs >= 0;
  if (verdict === undefined || !isWait || !fits(verdict, matchedStep)) throw new Error(UNREADABLE);
  return { verdict, refusedMs };
}

function fits(verdict: Verdict, matchedStep: number | undefined): boolean {
  if (verdict === "wrong") return matchedStep === undefined;
  return matchedStep !== undefined || (verdict !== "accepted" && verdict !== "replayed");
}

/** Whether an error is the store's reply with the given first word. */
export function isReply(error: unknown, word: string): boolean {
  return error instanceof Error && error.message.startsWith(word);
}

/**
 * Ends the throttle of a secret by its key.
 *
 * @param nowMs The time in milliseconds; undefined for the store's clock.
 * @returns Whether the store had a state of the secret.
 * @throws {Error} When the store does not do it.
 */
export async function unlock(send: Send, key: string, nowMs?: number): Promise<boolean> {
  const done = await send(["EVAL", unlockScript, "1", key, String(nowMs ?? "")]);
  if (done !== 0 && done !== 1) throw new Error(UNREADABLE);
  return done === 1;
}

/**
 * Parses the state of a secret.
 *
 * @returns undefined when the text is not the script's format.
 */
export function parseState(text: string): GuardState | undefined {
  const [first = "", ...rest] = text.split(" ");
  const [, debtMs, lastMs, usedStep] = /^(\d+):(\d+):(-?\d+)$/.exec(first) ?? [];
  const sources = rest.map((source) => /^([\w-]+):(\d+):(\d+):(\d+)$/.exec(source));
  if (debtMs === undefined || sources.includes(null)) return undefined;
  return {
    debtMs: Number(debtMs),
    lastMs: Number(lastMs),
    usedStep: Number(usedStep),
    sources: sources.map((source) => ({
      id: source![1]!,
      debtMs: Number(source![2]),
      lastMs: Number(source![3]),
      knownUntilMs: Number(source![4]),
    })),
  };
}

/**
 * Reads the reply to `TIME`, seconds and microseconds, as milliseconds.
 *
 * @throws {Error} When it is another reply.
 */
export function readTimeMs(reply: unknown): number {
  const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
  const nowMs = seconds! * 1000 + Math.floor(microseconds! / 1000);
  if (!Number.isSafeInteger(nowMs)) throw new Error(UNREADABLE);
  return nowMs;
}
