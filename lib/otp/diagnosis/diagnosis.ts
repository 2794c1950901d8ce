/**
 * Why a pin fails: what is wrong with how it is written, and under which other assumptions it is a
 * code. It runs in browsers too, so that no secret has to be sent anywhere for it.
 *
 * A code of six digits matches any one time step once in a million. Forty readings of the secret at
 * most, 11 steps each, 41 of the usual one, 168 of other time zones and 29 rare ones are fewer than
 * 700 codes: a wrong pin matches one of them less than once in a thousand times.
 *
 * @module
 */

import type { SecretEncoding } from "../secret.ts";
import { hotp, importOtpKey, type OtpAlgorithm, timeStep, type TotpParameters } from "../totp.ts";
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
  /** Whether two neighbouring digits of the pin have to be swapped. */
  readonly hasSwappedDigits: boolean;
  /** Whether the app counts codes (HOTP) instead of time steps. */
  readonly isCounted: boolean;
  /** How many time steps of that period the app's clock is ahead; negative when it is behind. */
  readonly stepsAhead: number;
  /** How many seconds it is ahead, at least and at most. */
  readonly secondsAhead: readonly [number, number];
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
  /** The assumptions that explain the pin, if any do. */
  readonly match: Match | undefined;
}

/** RFC 4226 §5.3: what codes there are. */
const DIGITS = [6, 7, 8];

const ALGORITHMS: readonly OtpAlgorithm[] = ["SHA1", "SHA256", "SHA512"];

/** Periods that apps and tokens have, in seconds. */
const PERIODS = [30, 60];

const MAX_READINGS = 40;

/** Time steps searched on each side of now: as the server is set, and under another assumption. */
const NEAR_STEPS = 20;
const OTHER_STEPS = 5;

/** Time zones differ by half hours, up to 14 hours. */
const ZONE_SECONDS = 1800;
const MAX_ZONES = 28;

/** All that a code depends on but the time. */
interface Reading extends Pick<Match, "secret" | "algorithm" | "period"> {
  readonly key: CryptoKey;
}

/** Codes to be compared with the pin. */
interface Trial {
  readonly reading: Reading;
  /** How many time steps they are ahead, or which they are where they are counted. */
  readonly steps: readonly number[];
  readonly isCounted?: boolean;
  readonly hasSwappedDigits?: boolean;
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
  const match = digits === undefined || digits.length > DIGITS.at(-1)!
    ? undefined
    : await search(digits, await readingsOf(secretCode, settings), settings, nowMs);
  const digitCount = digits?.length ?? 0;
  const canBeCode = digitCount === settings.digits || match !== undefined;
  return { swapped, flaws, digitCount, canBeCode, match };
}

function isSwapped({ pin, secretCode }: Question, digitsWanted: number): boolean {
  const hasCode = (text: string): boolean => readPin(text, digitsWanted).digits !== undefined;
  return readPin(secretCode, digitsWanted).digits?.length === digitsWanted && !hasCode(pin) &&
    pin.trim() !== "";
}

/** The readings, the likeliest first: by the settings, then what else apps take from a secret. */
async function readingsOf(secretCode: string, settings: PinSettings): Promise<readonly Reading[]> {
  const { algorithm, period, secretEncoding } = settings;
  const keys = keyReadings(secretCode, secretEncoding);
  const usual = keys.map((key) => ({ ...key, algorithm, period }));
  const otherwise = keys
    .filter(({ secret }) => secret === "as-configured" || secret === "other-encoding")
    .flatMap((key) => [
      ...ALGORITHMS.filter((other) => other !== algorithm)
        .map((other) => ({ ...key, algorithm: other, period })),
      ...PERIODS.filter((other) => other !== period)
        .map((other) => ({ ...key, algorithm, period: other })),
    ]);
  return await Promise.all(
    [...usual, ...otherwise].slice(0, MAX_READINGS).map(async ({ bytes, ...reading }) => ({
      ...reading,
      key: await importOtpKey(bytes, reading.algorithm),
    })),
  );
}

/** The trials, the likeliest first. */
function trialsOf(readings: readonly Reading[], settings: PinSettings): readonly Trial[] {
  const { algorithm, period, window } = settings;
  const asSet = readings.filter((of) => of.algorithm === algorithm && of.period === period);
  const usual = asSet.filter(({ secret }) => secret === "as-configured");
  const counted = asSet.filter(({ secret }) =>
    secret === "as-configured" || secret === "other-encoding"
  );
  return [
    ...usual.map((reading) => ({ reading, steps: around(Math.max(NEAR_STEPS, window)) })),
    ...readings.map((reading) => ({ reading, steps: around(OTHER_STEPS) })),
    ...usual.map((reading) => ({ reading, steps: zoneSteps(period) })),
    // A counter begins with 0 (RFC 4226 §7.2), and some apps show the code of 1 first.
    ...counted.map((reading) => ({ reading, steps: [0, 1], isCounted: true })),
    ...usual.map((reading) => ({
      reading,
      steps: around(Math.min(window, 2)),
      hasSwappedDigits: true,
    })),
  ];
}

/** Steps from the nearest on, the earlier one first. */
function around(most: number, center = 0): readonly number[] {
  return Array.from({ length: 2 * most + 1 }, (_, i) => {
    const distance = Math.ceil(i / 2);
    return center + (i % 2 === 0 ? distance : -distance);
  });
}

function zoneSteps(period: number): readonly number[] {
  return around(MAX_ZONES).filter((zone) => zone !== 0)
    .flatMap((zone) => around(1, Math.round(zone * ZONE_SECONDS / period)));
}

async function search(
  pin: string,
  readings: readonly Reading[],
  settings: PinSettings,
  nowMs: number,
): Promise<Match | undefined> {
  for (const trial of trialsOf(readings, settings)) {
    const { reading, hasSwappedDigits = false, isCounted = false } = trial;
    const { key, ...assumed } = reading;
    const current = isCounted ? 0 : timeStep(nowMs, reading.period);
    const steps = trial.steps.filter((step) => current + step >= 0);
    const codes = await Promise.all(
      steps.map((step) => hotp(key, current + step, DIGITS.at(-1)!)),
    );
    const pins = hasSwappedDigits ? withSwappedDigits(pin) : [pin];
    for (const [i, step] of steps.entries()) {
      const form = pins.map((pin) => formOf(codes[i]!, pin, settings.digits)).find(Boolean);
      if (form === undefined) continue;
      const stepsAhead = isCounted ? 0 : step;
      const atLeast = (timeStep(nowMs, reading.period) + stepsAhead) * reading.period -
        Math.floor(nowMs / 1000);
      const secondsAhead = [atLeast, atLeast + reading.period] as const;
      return { ...assumed, ...form, hasSwappedDigits, isCounted, stepsAhead, secondsAhead };
    }
  }
  return undefined;
}

function withSwappedDigits(pin: string): readonly string[] {
  return Array.from(
    { length: pin.length - 1 },
    (_, i) => pin.slice(0, i) + pin[i + 1] + pin[i] + pin.slice(i + 2),
  );
}

/** The form in which a pin is a code: with the zeros that a number loses, or of another length. */
function formOf(
  code: string,
  pin: string,
  digitsWanted: number,
): Pick<Match, "digits" | "lostZeros"> | undefined {
  const isLost = code.slice(-digitsWanted) === pin.padStart(digitsWanted, "0");
  const lostZeros = digitsWanted - pin.length;
  // RFC 4226 §5.3: a code is a number modulo a power of ten, so a shorter one is the end of it. Two
  // zeros are lost once in a hundred codes, more rarely than an app makes shorter ones.
  const isOther = DIGITS.includes(pin.length) && code.endsWith(pin);
  if (isLost && lostZeros >= 0 && (lostZeros < 2 || !isOther)) {
    return { digits: digitsWanted, lostZeros };
  }
  return isOther ? { digits: pin.length, lostZeros: 0 } : undefined;
}
