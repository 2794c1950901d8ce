/**
 * Diagnosis of a pin: flaws in its format, and other assumptions under which it is a code. It also
 * runs in browsers, so that no secret has to be sent for it.
 *
 * The search compares a pin with fewer than 800 codes: 11 steps for each of at most forty readings of
 * the secret, 81 steps of the usual one, 174 of other time zones and dates, and 65 rare ones; and for
 * three more codes, all pins with one other digit. A random pin of six digits equals one of them less
 * than once in a thousand times.
 *
 * @module
 */

import type { SecretEncoding } from "../secret.ts";
import { computes, importHmac } from "../import_hmac.ts";
import { codeOf, DEFAULT_TOTP, timeStep, type TotpParameters } from "../totp.ts";
import { type KeyReading, keyReadings, type SecretReading } from "./secret_readings.ts";

/** Server settings that decide on a pin. */
export interface PinSettings extends TotpParameters {
  /** Time steps accepted on each side of the current one. */
  readonly window: number;
  /** Encoding of secretCode. */
  readonly secretEncoding: SecretEncoding;
}

/** Pin and secretCode that a caller sent. */
export interface SentPin {
  /** Pin as typed. */
  readonly pin: string;
  /** secretCode as sent by the caller. */
  readonly secretCode: string;
}

/** Assumptions under which the pin is a code: algorithm, digits, period and more. */
export interface Match extends TotpParameters {
  /** Reading of the secret. */
  readonly secret: SecretReading;
  /** Leading zeros that the pin has lost. */
  readonly lostZeros: number;
  /** Error in typing the pin: two neighbouring digits are swapped, or one is another. */
  readonly typingError: TypingError | undefined;
  /** Whether the app uses a counter (HOTP) instead of time steps. */
  readonly isCounted: boolean;
  /** Time steps of that period by which the app's clock is ahead; negative when behind. */
  readonly stepsAhead: number;
  /** Seconds by which the clock is ahead, at least and at most. */
  readonly secondsAhead: readonly [number, number];
}

/** Error in typing a pin. */
export type TypingError = "swapped" | "one-wrong";

/** Result of a diagnosis. */
export interface Diagnosis {
  /** Flaws in the format of pin and secret, one or two sentences each. */
  readonly flaws: readonly string[];
  /** Whether the pin is in its field and can be a code, by its digits or by a match. */
  readonly canBeCode: boolean;
  /** Assumptions that explain the pin, if any. */
  readonly match: Match | undefined;
}

/** Digits of a code (RFC 4226 §5.3). */
const MIN_DIGITS = 6;
const MAX_DIGITS = 8;

/** Algorithms and periods of apps and tokens. */
const APP_SETTINGS: readonly Partial<Pick<Match, "algorithm" | "period">>[] = [
  ...(["SHA1", "SHA256", "SHA512"] as const).map((algorithm) => ({ algorithm })),
  ...[30, 60].map((period) => ({ period })),
  // Apps that ignore all parameters.
  { algorithm: DEFAULT_TOTP.algorithm, period: DEFAULT_TOTP.period },
];

const MAX_READINGS = 40;

/** Time steps searched on each side of now: with the server's settings, and with others. */
const NEAR_STEPS = 40;
const OTHER_STEPS = 5;

/** Counters of an app that was set up as counter-based and used a few times. */
const COUNTERS = Array.from({ length: 20 }, (_, counter) => counter);

/** Time zones differ by half hours, up to 14 hours; a date may be wrong by a day. */
const ZONE_SECONDS = 1800;
const MAX_ZONES = 28;
const DAY = 48;

/**
 * Diagnoses a pin: finds the reasons for its failure, or that it is right.
 *
 * @param nowMs Time when the pin was typed, in milliseconds since 1970.
 */
export async function diagnose(
  sent: SentPin,
  settings: PinSettings,
  nowMs: number,
): Promise<Diagnosis> {
  const isSwapped = readPin(sent.secretCode).digits?.length === settings.digits &&
    readPin(sent.pin).digits === undefined && sent.pin.trim() !== "";
  const { pin, secretCode } = isSwapped ? { pin: sent.secretCode, secretCode: sent.pin } : sent;
  const { flaws, digits = "" } = readPin(pin);
  const match = digits === "" || digits.length > MAX_DIGITS
    ? undefined
    : await search(digits, trialsOf(secretCode, settings), settings.digits, nowMs);
  const missing = settings.digits - digits.length;
  const canBeCode = !isSwapped && missing === 0 || match !== undefined;
  if (digits !== "" && missing !== 0) {
    const length = digits.length === 1 ? "1 digit" : `${digits.length} digits`;
    const advice = missing > 0 && !canBeCode ? " Send all of them." : "";
    flaws.push(`The pin has ${length}; a code has ${settings.digits}.${advice}`);
  }
  return { flaws: isSwapped ? [SWAPPED, ...flaws] : flaws, canBeCode, match };
}

const SWAPPED =
  "The pin and the secret are swapped. Send the pin as the pin, and the secret as the secret.";

/** Foreign characters in a pin, each with its replacement and the sentence about it. */
const FOREIGN_CHARACTERS: readonly (readonly [RegExp, (found: string) => string, string])[] = [
  [/[\p{Pd}\u2212]/gu, () => "", "The pin contains hyphens or dashes. Send only the digits."],
  [
    /[\s\p{Z}\p{Cf}]/gu,
    () => "",
    "The pin contains spaces or invisible characters other than ASCII, as copied text often does. " +
    "Send only the digits.",
  ],
  [
    /(?![0-9])\p{Nd}/gu,
    digitValue,
    "The pin has full-width digits or those of another script. Send ASCII digits, 0 to 9.",
  ],
  // Letters among digits alone.
  [
    /^(?=.*[OoIl])[0-9OoIl]+$/,
    (found) => found.replace(/o/gi, "0").replace(/[Il]/g, "1"),
    "The pin has a letter that looks like a digit: O for 0, or l for 1. Type the digits.",
  ],
];

/**
 * Reads a pin leniently: its digits among other characters, and the flaws in its format.
 * Characters that the server also drops are no flaw.
 *
 * @returns Flaws and digits; without digits when the pin is empty or has other characters.
 */
export function readPin(pin: string): { readonly flaws: string[]; readonly digits?: string } {
  let digits = pin.replace(/[ \t\r\n]/g, "");
  if (digits === "") return { flaws: ["The pin is empty."] };
  const flaws: string[] = [];
  for (const [characters, instead, flaw] of FOREIGN_CHARACTERS) {
    const before = digits;
    digits = before.replace(characters, instead);
    if (digits !== before) flaws.push(flaw);
  }
  if (/^[0-9]+$/.test(digits)) return { flaws, digits };
  return { flaws: [...flaws, "The pin contains characters that are not digits."] };
}

/**
 * Returns the value of a decimal digit of any script. Unicode (The Unicode Standard, §4.6) encodes
 * digits in runs of ten from zero, so the value is the number of digits before it.
 */
function digitValue(digit: string): string {
  const codePoint = digit.codePointAt(0)!;
  let before = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(codePoint - before - 1))) before++;
  return String(before % 10);
}

/** Codes to compare with the pin. */
interface Trial extends KeyReading, Pick<Match, "algorithm" | "period"> {
  /** Time steps from now, or absolute counters when counted. */
  readonly steps: readonly number[];
  readonly isCounted?: boolean;
  readonly typingError?: TypingError;
}

/** Lists the trials, the likeliest first. */
function trialsOf(secretCode: string, settings: PinSettings): readonly Trial[] {
  const { algorithm, period, window, secretEncoding } = settings;
  const asSet = keyReadings(secretCode, secretEncoding)
    .map((key) => ({ ...key, algorithm, period, steps: around(OTHER_STEPS) }));
  const plain = asSet.filter(({ secret }) =>
    /^(?:as-configured|key-uri|base32|text)$/.test(secret)
  );
  const usual = plain.filter(({ secret }) => secret === "as-configured");
  const otherwise = plain.flatMap((trial) => APP_SETTINGS.map((app) => ({ ...trial, ...app })))
    .filter((trial) => trial.algorithm !== algorithm || trial.period !== period);
  return [
    ...usual.map((trial) => ({ ...trial, steps: around(Math.max(NEAR_STEPS, window)) })),
    ...[...asSet, ...otherwise].slice(0, MAX_READINGS),
    ...usual.map((trial) => ({ ...trial, steps: zoneSteps(period) })),
    // RFC 4226 §7.2: a counter begins with 0; some apps show the code of 1 first. Each look at the app
    // counts on.
    ...plain.map((trial) => ({ ...trial, steps: COUNTERS, isCounted: true })),
    ...usual.flatMap((trial) => [
      { ...trial, steps: around(Math.min(window, 2)), typingError: "swapped" as const },
      { ...trial, steps: around(Math.min(window, 1)), typingError: "one-wrong" as const },
    ]),
  ];
}

/** Lists the steps ordered by distance, the earlier first. */
function around(most: number, center = 0): readonly number[] {
  return Array.from({ length: 2 * most + 1 }, (_, i) => {
    const distance = Math.ceil(i / 2);
    return center + (i % 2 === 0 ? distance : -distance);
  });
}

function zoneSteps(period: number): readonly number[] {
  return [...around(MAX_ZONES).slice(1), DAY, -DAY]
    .flatMap((zone) => around(1, Math.round(zone * ZONE_SECONDS / period)));
}

async function search(
  pin: string,
  trials: readonly Trial[],
  digits: number,
  nowMs: number,
): Promise<Match | undefined> {
  for (const { bytes, isCounted = false, typingError, ...trial } of trials) {
    const { steps, ...assumed } = trial;
    const { algorithm, period } = assumed;
    if (!computes(algorithm)) continue;
    const macOf = await importHmac(bytes, algorithm);
    const current = timeStep(nowMs, period);
    const counters = steps.map((step) => isCounted ? step : current + step)
      .filter((counter) => counter >= 0);
    const macs = await Promise.all(counters.map(macOf));
    const codes = macs.map((mac) => codeOf(mac, MAX_DIGITS));
    const pins = typingError === undefined ? [pin] : WITHOUT_TYPING_ERROR[typingError](pin);
    for (const [i, code] of codes.entries()) {
      const form = pins.map((pin) => formOf(code, pin, digits)).find(Boolean);
      if (form === undefined) continue;
      const stepsAhead = isCounted ? 0 : counters[i]! - current;
      const least = (current + stepsAhead) * period - Math.floor(nowMs / 1000);
      const secondsAhead = [least, least + period] as const;
      return { ...assumed, ...form, typingError, isCounted, stepsAhead, secondsAhead };
    }
  }
  return undefined;
}

/** Pins that may have been meant, by the error in typing. */
const WITHOUT_TYPING_ERROR: Readonly<Record<TypingError, (pin: string) => readonly string[]>> = {
  "swapped": (pin) =>
    Array.from(
      { length: pin.length - 1 },
      (_, i) => pin.slice(0, i) + pin[i + 1] + pin[i] + pin.slice(i + 2),
    ),
  "one-wrong": (pin) =>
    [...pin].flatMap((_, i) =>
      [..."0123456789"].map((digit) => pin.slice(0, i) + digit + pin.slice(i + 1))
    ),
};

/**
 * Finds how a pin matches a code: whole, without the leading zeros that a number loses, or with
 * another number of digits.
 */
function formOf(
  code: string,
  pin: string,
  digits: number,
): Pick<Match, "digits" | "lostZeros"> | undefined {
  const isLost = code.slice(-digits) === pin.padStart(digits, "0");
  const lostZeros = digits - pin.length;
  // RFC 4226 §5.3: a code is a number modulo a power of ten, so a shorter code is its end. Prefer
  // that to two lost zeros: these occur once in a hundred codes, and apps with fewer digits are
  // more frequent.
  const isOther = pin.length >= MIN_DIGITS && code.endsWith(pin);
  if (isLost && lostZeros >= 0 && (lostZeros < 2 || !isOther)) return { digits, lostZeros };
  return isOther ? { digits: pin.length, lostZeros: 0 } : undefined;
}
