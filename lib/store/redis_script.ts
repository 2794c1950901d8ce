/**
 * The rules of `guard.ts` as a script that Redis or Valkey runs, so that a decision is one step for
 * all servers that share the store. A test plays the same events against both.
 *
 * @module
 */

import { FIRST_WAIT_MS, type GuardRules, LONGEST_WAIT_MS, type Verdict } from "../guard/guard.ts";

/** What stands before a fingerprint in a key; the number is that of the format of what is kept. */
export const KEY_PREFIX = "authenticator:guard:1:";

/**
 * The verdicts of the script by its first number; the last is for a secret of which something is
 * remembered that cannot be read.
 */
export const SCRIPT_VERDICTS: readonly Verdict[] = [
  "accepted",
  "wrong",
  "throttled",
  "replayed",
  "unavailable",
];

/**
 * The script. It answers with three numbers: the verdict, for how many milliseconds pins are refused
 * from now on, and the number of the question, so that no answer is taken for that of another one.
 *
 * What is remembered is one text, `failures:refusedUntilMs:usedStep`. The clock is the store's own,
 * so servers whose clocks differ agree; it may be given as well, for tests.
 */
export const DECIDE_SCRIPT = `
local maxFailures, singleUse = tonumber(ARGV[1]), ARGV[2] == '1'
local forgetFailuresMs, forgetUseMs = tonumber(ARGV[3]), tonumber(ARGV[4])
local matchedStep, now = tonumber(ARGV[5]), tonumber(ARGV[6])
local question = tonumber(ARGV[7])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local failures, refusedUntil, usedStep = 0, 0, -1
local text = redis.pcall('GET', KEYS[1])
if text then
  local f, r, u
  if type(text) == 'string' then f, r, u = string.match(text, '^(%d+):(%d+):(-?%d+)$') end
  if not f then return {4, 0, question} end
  failures, refusedUntil, usedStep = tonumber(f), tonumber(r), tonumber(u)
end

local function wait()
  if maxFailures == 0 or failures < maxFailures then return 0 end
  return math.min(${FIRST_WAIT_MS} * 2 ^ (failures - maxFailures), ${LONGEST_WAIT_MS})
end

local function keep()
  local ms = 0
  if failures > 0 then ms = forgetFailuresMs end
  if usedStep >= 0 then ms = math.max(ms, forgetUseMs) end
  local state = string.format('%.0f:%.0f:%.0f', failures, refusedUntil, usedStep)
  redis.call('SET', KEYS[1], state, 'PX', string.format('%.0f', ms))
end

local left = math.min(refusedUntil - now, wait())
if left > 0 then
  if now + left ~= refusedUntil then
    refusedUntil = now + left
    keep()
  end
  return {2, left, question}
end

if not matchedStep then
  if maxFailures == 0 then return {1, 0, question} end
  failures = failures + 1
  local ms = wait()
  refusedUntil = 0
  if ms > 0 then refusedUntil = now + ms end
  keep()
  return {1, ms, question}
end

if singleUse and matchedStep <= usedStep then return {3, 0, question} end

if singleUse then
  failures, refusedUntil, usedStep = 0, 0, matchedStep
  keep()
elseif text then
  redis.call('DEL', KEYS[1])
end
return {0, 0, question}
`;

/**
 * The arguments of the script, behind its key.
 *
 * @param question A whole number.
 */
export function scriptArguments(
  { maxFailures, singleUse, forgetFailuresMs, forgetUseMs }: GuardRules,
  matchedStep: number | undefined,
  nowMs: number | undefined,
  question: number,
): readonly string[] {
  return [
    String(maxFailures),
    singleUse ? "1" : "0",
    String(forgetFailuresMs),
    String(forgetUseMs),
    String(matchedStep ?? ""),
    String(nowMs ?? ""),
    String(question),
  ];
}
