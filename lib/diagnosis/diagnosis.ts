/**
 * Why a pin fails: what is wrong with how it is written, and under which other assumptions it is a
 * code. It runs in browsers too, so that no secret has to be sent anywhere for it.
 *
 * A code of six digits matches any one time step once in a million, so a search over a day and all
 * variants also finds steps that match by chance. Codes are therefore looked at from the most
 * plausible one to the least, and a match says how likely it was to find any up to there.
 *
 * @module
 */

import type { SecretEncoding } from "../otp/secret.ts";
import {
  hotp,
  importOtpKey,
  type OtpAlgorithm,
  timeStep,
  type TotpParameters,
} from "../otp/totp.ts";
import { type PinFlaw, readPin } from "./pin_reading.ts";
import { keyReadings, type SecretReading } from "./secret_readings.ts";

/** How the server is set, as far as it decides about pins. */
export interface PinSettings extends TotpParameters {
  /** Time steps accepted on each side of the current one. */
  readonly window: number;
  /** How a secretCode becomes key bytes. */
  readonly secretEncoding: SecretEncoding;
}

/** What is asked. */
export interface Question {
  /** The pin as it was typed. */
  readonly pin: string;
  /** The secretCode as the caller sends it. */
  readonly secretCode: string;
}

/** Assumptions under which the pin is a code. */
export interface Match {
  /** How the secret is taken. */
  readonly secret: SecretReading;
  /** The hash. */
  readonly algorithm: OtpAlgorithm;
  /** Digits in a code. */
  readonly digits: number;
  /** Seconds in a time step. */
  readonly period: number;
  /** The leading zeros that the pin has to be given back. */
  readonly lostZeros: number;
  /** How many time steps of that period the app's clock is ahead; negative when it is behind. */
  readonly stepsAhead: number;
  /** How many seconds it is ahead, at least and at most. */
  readonly secondsAhead: readonly [number, number];
  /** How likely a pin that is no code at all matches this or something more plausible: 0 to 1. */
  readonly chance: number;
}

/** What was found. */
export interface Diagnosis {
  /** Whether the pin stands in the place of the secret, and the other way round. */
  readonly swapped: boolean;
  /** What is wrong with how the pin is written. */
  readonly flaws: readonly PinFlaw[];
  /** The digits in the pin, after all else is taken away. */
  readonly digitCount: number;
  /**
   * Whether the pin can be a code: one without digits cannot, nor one with too few
   * or too many, unless one of another length explains it.
   */
  readonly canBeCode: boolean;
  /** The matches, the most plausible first: one if it is beyond doubt, else three at most. */
  readonly matches: readonly Match[];
}

/** Below this chance, a match is beyond doubt and the search ends. */
export const CERTAIN_CHANCE = 0.001;

/** From this chance on, a match is no more than a hint: the wrong account is the better one. */
export const LIKELY_CHANCE = 0.01;

const MAX_MATCHES = 3;
const DAY_SECONDS = 86_400;
const NEAR_SECONDS = 600;

/** RFC 4226 §5.3: what codes there are. */
const DIGITS = [6, 7, 8];

// How surprising an assumption is, in bits: each bit halves how often it is the reason. What
// decides is their order; it follows the questions that users of such services ask most.
const SURPRISE = {
  algorithm: 4,
  digits: 4,
  period: 5,
  rarePeriod: 7,
};

const ALGORITHMS: readonly OtpAlgorithm[] = ["SHA1", "SHA256", "SHA512"];

/** Periods that apps and tokens have; of the rare ones only the minutes around now are searched. */
const PERIODS = [
  { seconds: 30, surprise: SURPRISE.period, spanSeconds: DAY_SECONDS },
  { seconds: 60, surprise: SURPRISE.period, spanSeconds: DAY_SECONDS },
  ...[10, 15, 20, 45, 90, 120].map((seconds) => ({
    seconds,
    surprise: SURPRISE.rarePeriod,
    spanSeconds: NEAR_SECONDS,
  })),
];

// Of a secret that is taken in a rarer way than these, only the usual algorithm and period are
// searched, and the minutes around now: else chance would find more than reason.
const COMMON_SURPRISE = 2;

/** All that a code depends on but the time. */
interface Variant extends Pick<Match, "secret" | "algorithm" | "period"> {
  readonly key: CryptoKey;
  /** What was computed so far: the longest codes, by how many time steps they are ahead. */
  readonly codes: Map<number, Promise<string>>;
  readonly surprise: number;
  readonly spanSeconds: number;
}

/** A code that is to be compared with the pin. */
interface Candidate {
  readonly variant: Variant;
  readonly reading: Reading;
  readonly stepsAhead: number;
  readonly surprise: number;
}

/** The pin as a code of some length. */
interface Reading extends Pick<Match, "digits" | "lostZeros"> {
  readonly code: string;
  readonly surprise: number;
}

/**
 * Finds out why a pin fails, or that it is right.
 *
 * @param nowMs The moment at which the pin was typed, in milliseconds since 1970.
 */
export async function diagnose(
  question: Question,
  settings: PinSettings,
  nowMs: number,
): Promise<Diagnosis> {
  const swapped = isSwapped(question, settings.digits);
  const { pin, secretCode } = swapped
    ? { pin: question.secretCode, secretCode: question.pin }
    : question;
  const { flaws, digits } = readPin(pin, settings.digits);
  const readings = digits === undefined ? [] : readingsOf(digits, settings.digits);
  const candidates = readings.length === 0
    ? []
    : candidatesOf(await variantsOf(secretCode, settings), readings, settings, nowMs);
  const found = await search(candidates, nowMs);
  const digitCount = digits?.length ?? 0;
  const isWhole = digitCount === settings.digits;
  // The number of digits says enough, unless something more than chance explains it.
  const matches = isWhole ? found : found.filter(({ chance }) => chance < LIKELY_CHANCE);
  return { swapped, flaws, digitCount, canBeCode: isWhole || matches.length > 0, matches };
}

function isSwapped({ pin, secretCode }: Question, digitsWanted: number): boolean {
  const hasCode = (text: string): boolean => readPin(text, digitsWanted).digits !== undefined;
  return readPin(secretCode, digitsWanted).digits?.length === digitsWanted && !hasCode(pin) &&
    pin.trim() !== "";
}

/** What codes the digits can be: as they are, or with the leading zeros that a number loses. */
function readingsOf(digits: string, digitsWanted: number): readonly Reading[] {
  const lengths = DIGITS.filter((length) =>
    length === digits.length ||
    length > digits.length && (length === digitsWanted || digits.length < DIGITS[0]!)
  );
  return lengths.map((length) => {
    const lostZeros = length - digits.length;
    // One code in ten begins with a zero, one in a hundred with two.
    const surprise = (length === digitsWanted ? 0 : SURPRISE.digits) + lostZeros * Math.log2(10);
    return { code: digits.padStart(length, "0"), digits: length, lostZeros, surprise };
  });
}

async function variantsOf(
  secretCode: string,
  settings: PinSettings,
): Promise<readonly Variant[]> {
  const { algorithm: usualAlgorithm, period: usualPeriod, secretEncoding } = settings;
  const usual = { seconds: usualPeriod, surprise: 0, spanSeconds: DAY_SECONDS };
  const periods = [usual, ...PERIODS.filter(({ seconds }) => seconds !== usualPeriod)];
  const variants: Variant[] = [];
  for (const { bytes, secret, surprise } of keyReadings(secretCode, secretEncoding)) {
    const isCommon = surprise <= COMMON_SURPRISE;
    for (const algorithm of isCommon ? ALGORITHMS : [usualAlgorithm]) {
      const key = await importOtpKey(bytes, algorithm);
      const extra = surprise + (algorithm === usualAlgorithm ? 0 : SURPRISE.algorithm);
      for (const { seconds: period, ...of } of isCommon ? periods : [usual]) {
        const spanSeconds = isCommon ? of.spanSeconds : NEAR_SECONDS;
        const whole = extra + of.surprise;
        const codes = new Map<number, Promise<string>>();
        variants.push({ key, codes, secret, algorithm, period, spanSeconds, surprise: whole });
      }
    }
  }
  return variants;
}

/** All codes to be compared, the most plausible first; of equal ones, the nearest in time. */
function candidatesOf(
  variants: readonly Variant[],
  readings: readonly Reading[],
  settings: PinSettings,
  nowMs: number,
): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const variant of variants) {
    const { period } = variant;
    const current = timeStep(nowMs, period);
    // What the server allows is no surprise, whatever the period of the variant.
    const allowed = settings.window * settings.period;
    for (const reading of readings) {
      for (let distance = 0; distance * period <= variant.spanSeconds; distance++) {
        const beyond = Math.max(0, distance * period - allowed);
        const surprise = variant.surprise + reading.surprise +
          Math.log2(1 + beyond / settings.period);
        for (const stepsAhead of distance === 0 ? [0] : [-distance, distance]) {
          if (current + stepsAhead < 0) continue;
          candidates.push({ variant, reading, stepsAhead, surprise });
        }
      }
    }
  }
  return candidates.sort((a, b) => a.surprise - b.surprise);
}

// How many codes are computed at once: enough to keep WebCrypto's threads busy.
const BATCH = 512;

async function search(candidates: readonly Candidate[], nowMs: number): Promise<readonly Match[]> {
  const matches: Match[] = [];
  let chance = 0;
  for (let start = 0; start < candidates.length; start += BATCH) {
    const batch = candidates.slice(start, start + BATCH);
    const codes = await Promise.all(batch.map((candidate) => codeOf(candidate, nowMs)));
    for (const [i, candidate] of batch.entries()) {
      chance += 10 ** -candidate.reading.digits;
      if (codes[i] !== candidate.reading.code) continue;
      matches.push(matchOf(candidate, nowMs, Math.min(1, chance)));
      if (chance < CERTAIN_CHANCE || matches.length === MAX_MATCHES) return matches;
    }
    // A page that waits for this goes on meanwhile: replies of WebCrypto come before all else.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return matches;
}

async function codeOf(candidate: Candidate, nowMs: number): Promise<string> {
  const { variant: { key, period, codes }, reading, stepsAhead } = candidate;
  let code = codes.get(stepsAhead);
  if (code === undefined) {
    code = hotp(key, timeStep(nowMs, period) + stepsAhead, DIGITS.at(-1)!);
    codes.set(stepsAhead, code);
  }
  // RFC 4226 §5.3: a code is a number modulo a power of ten, so a shorter one is the end of it.
  return (await code).slice(-reading.digits);
}

function matchOf(
  { variant, reading, stepsAhead }: Candidate,
  nowMs: number,
  chance: number,
): Match {
  const { secret, algorithm, period } = variant;
  const { digits, lostZeros } = reading;
  const stepStart = (timeStep(nowMs, period) + stepsAhead) * period;
  const atLeast = stepStart - Math.floor(nowMs / 1000);
  const secondsAhead = [atLeast, atLeast + period] as const;
  return { secret, algorithm, digits, period, lostZeros, stepsAhead, secondsAhead, chance };
}
