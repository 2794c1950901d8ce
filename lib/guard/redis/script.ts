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
import { UNREADABLE } from "./reasons.ts";

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

/** Part of a script that reads the value of the key as `text`: false when the key is absent. */
const READ_TEXT = `
local text = redis.pcall('GET', KEYS[1])
-- A key of the wrong type makes only that one secret unreadable; other errors are the store's.
if type(text) == 'table' and text.err and not string.find(text.err, 'WRONGTYPE', 1, true) then
  return redis.error_reply(text.err)
end
`;

/**
 * Script of a decision. It replies with two numbers: the verdict, and the milliseconds for which pins
 * of the source are throttled.
 *
 * The state is one text, `debtMs:lastMs:usedStep`, followed for each source by
 * ` name:debtMs:lastMs:knownUntilMs`. The clock is the store's, so instances with different clocks
 * agree; tests give the time as an argument.
 */
export const DECIDE_SCRIPT = `
local function budget(at)
  local attempts, refill, extra = string.match(ARGV[at], '^(%d+):(%d+):(%d+)$')
  return {attempts = tonumber(attempts), refill = tonumber(refill), extra = tonumber(extra)}
end
local whole, strangers, each = budget(1), budget(2), budget(3)
local counts = whole.attempts > 0
local singleUse, forgetUseMs, name = ARGV[4] == '1', tonumber(ARGV[5]), ARGV[6]
local matchedStep, now = tonumber(ARGV[7]), tonumber(ARGV[8])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local total, usedStep, sources = {owed = 0, last = 0}, -1, {}
${READ_TEXT}
if text then
  local owed, last, used, rest
  if type(text) == 'string' then
    owed, last, used, rest = string.match(text, '^(%d+):(%d+):(-?%d+)(.*)$')
  end
  local pattern = ' ([%w_-]+):(%d+):(%d+):(%d+)'
  if not owed or string.gsub(rest, pattern, '') ~= '' then return {4, 0} end
  total, usedStep = {owed = tonumber(owed), last = tonumber(last)}, tonumber(used)
  for id, o, l, k in string.gmatch(rest, pattern) do
    local source = {id = id, owed = tonumber(o), last = tonumber(l), known = tonumber(k)}
    table.insert(sources, source)
  end
end

local function owed(spending)
  return math.max(0, spending.owed - math.max(0, now - spending.last))
end

local function limit(budget, spending)
  spending.owed = math.min(spending.owed, (budget.attempts + budget.extra) * budget.refill)
  spending.last = math.min(spending.last, now)
end

local function spend(budget, spending)
  spending.owed, spending.last = owed(spending) + budget.refill, now
end

local function refused(budget, spending)
  local beyond = math.ceil(spending.owed / budget.refill) - budget.attempts
  if beyond < 0 then return 0 end
  local doubled = math.min(${FIRST_WAIT_MS} * 2 ^ beyond, budget.refill)
  local empty = (budget.attempts + budget.extra - 1) * budget.refill
  return math.max(0, spending.last + math.max(doubled, spending.owed - empty) - now)
end

if counts then
  limit(whole, total)
  for _, source in ipairs(sources) do
    limit(each, source)
    source.known = math.min(source.known, now + ${KNOWN_MS})
  end
end

local own, isOneKnown
local others = {}
for _, source in ipairs(sources) do
  isOneKnown = isOneKnown or source.known > now
  if source.id == name then own = source else table.insert(others, source) end
end
if name ~= '' and not own then own = {id = name, owed = 0, last = 0, known = 0} end

local function left()
  if not counts then return 0 end
  local isStranger = isOneKnown and not (own and own.known > now)
  return math.max(refused(isStranger and strangers or whole, total), own and refused(each, own) or 0)
end

-- Makes the source of this pin the last, and drops one source beyond the limit.
local function keepOwn()
  table.insert(others, own)
  local oldest, known = nil, 0
  for _, source in ipairs(others) do
    if source.known > now then
      known = known + 1
      if not oldest or source.known < oldest.known then oldest = source end
    end
  end
  if known > ${MAX_KNOWN_SOURCES} then oldest.known = 0 end
  sources = {}
  local soonest
  for _, source in ipairs(others) do
    if source.known > now or owed(source) > 0 then
      table.insert(sources, source)
      local isSooner = not soonest or source.owed + source.last < soonest.owed + soonest.last
      if source.known <= now and isSooner then soonest = source end
    end
  end
  if #sources <= ${MAX_SOURCES} then return end
  for i, source in ipairs(sources) do
    if source == soonest then return table.remove(sources, i) end
  end
end

local function answer(verdict, ms)
  local keep = owed(total)
  if usedStep >= 0 then keep = math.max(keep, forgetUseMs) end
  local kept = {string.format('%.0f:%.0f:%.0f', total.owed, total.last, usedStep)}
  for _, source in ipairs(sources) do
    keep = math.max(keep, owed(source), source.known - now)
    local numbers = string.format(':%.0f:%.0f:%.0f', source.owed, source.last, source.known)
    table.insert(kept, source.id .. numbers)
  end
  local state = table.concat(kept, ' ')
  if keep <= 0 then
    if text then redis.call('DEL', KEYS[1]) end
  elseif state ~= text then
    redis.call('SET', KEYS[1], state, 'PX', string.format('%.0f', keep))
  end
  return {verdict, ms}
end

local before = left()
if before > 0 then return answer(2, before) end

if not matchedStep then
  if counts then
    spend(whole, total)
    if own then
      spend(each, own)
      keepOwn()
    end
  end
  return answer(1, left())
end

if singleUse and matchedStep <= usedStep then return answer(3, 0) end

if singleUse then usedStep = matchedStep end
if own and counts then
  own.known = now + ${KNOWN_MS}
  keepOwn()
end
return answer(0, 0)
`;

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
  ];
}

function budgetText(budget: Budget): string {
  return `${budget.attempts}:${budget.refillMs}:${extraAttempts(budget)}`;
}

/** Decision of the store about a pin. */
export interface Decision {
  /** The verdict. */
  readonly verdict: Verdict;
  /** The time for which pins of the source are throttled, in milliseconds. */
  readonly refusedMs: number;
}

const DECIDE_SHA1 = createHash("sha1").update(DECIDE_SCRIPT).digest("hex");

/**
 * Decides about a pin by the script.
 *
 * @throws {Error} When the server gives no decision.
 */
export async function decide(send: Send, key: string, call: ScriptCall): Promise<Decision> {
  const args = ["1", key, ...scriptArguments(call)];
  try {
    return readDecision(await send(["EVALSHA", DECIDE_SHA1, ...args]), call.pin);
  } catch (error) {
    // A server loses its script cache at a restart.
    if (!isReply(error, "NOSCRIPT")) throw error;
    return readDecision(await send(["EVAL", DECIDE_SCRIPT, ...args]), call.pin);
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
  readDecision(await send(["EVAL", DECIDE_SCRIPT, ...args]), PROBE.pin);
  await decide(send, key, PROBE);
}

// Accept a verdict only if it fits the pin: accepted and replayed need a pin that matched here, so
// no reply of a store makes a wrong pin right.
function readDecision(reply: unknown, { matchedStep }: CheckedPin): Decision {
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
 * Script that refills the budgets of a secret and its sources. The used code and the known sources
 * stay; without either, the key is deleted.
 */
const UNLOCK_SCRIPT = `
${READ_TEXT}
if type(text) ~= 'string' then return 0 end
local used, rest = string.match(text, '^%d+:%d+:(-?%d+)(.*)$')
if not used then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
rest = string.gsub(rest, ' ([%w_-]+):%d+:%d+:(%d+)', function (id, known)
  return tonumber(known) > now and ' ' .. id .. ':0:0:' .. known or ''
end)
if used == '-1' and rest == '' then
  redis.call('DEL', KEYS[1])
  return 1
end
redis.call('SET', KEYS[1], '0:0:' .. used .. rest, 'PX', math.max(1, redis.call('PTTL', KEYS[1])))
return 1
`;

/**
 * Ends the throttle of a secret by its key.
 *
 * @returns Whether the store had a state of the secret.
 * @throws {Error} When the store does not do it.
 */
export async function unlock(send: Send, key: string): Promise<boolean> {
  const done = await send(["EVAL", UNLOCK_SCRIPT, "1", key]);
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
