/**
 * Explanations of a wrong pin, in words for users of `doctor` and of the service page.
 *
 * @module
 */

import { MAX_ADVISABLE_WINDOW } from "../totp.ts";
import type { Match, PinSettings } from "./diagnosis.ts";
import { READINGS } from "./secret_readings.ts";

/** Other reasons, for a pin that no match explains, the likeliest first. */
export const OTHER_REASONS: readonly string[] = [
  "The phone's clock is wrong: compare the phone's date and time with the server time.",
  "The pin belongs to another account or another secret. Check which account is open in the app, " +
  "or pair again.",
  "The secret is cut off, or its upper and lower case differs from when the app was paired. " +
  "Compare it, or pair again.",
  "The pin was mistyped. Try the next code.",
];

/** Sentence about the certainty of an explanation; diagnosis.ts has the calculation. */
export const CERTAINTY =
  "This is almost certain: fewer than one in a thousand wrong pins would look like this.";

/** Lists the reasons for a server's refusal of a right pin, one or two sentences each. */
export function refusalSentences({ maxFailures, singleUse }: {
  /** Wrong pins allowed for a secret before the guard throttles it; 0 for no limit. */
  readonly maxFailures: number;
  /** Whether each code is accepted only once. */
  readonly singleUse: boolean;
}): readonly string[] {
  const used = "This code or a later one was already used, and each code is accepted only once " +
    "(--single-use): wait for the next one.";
  const failed = `After ${maxFailures} or more wrong pins, all pins for this secret are refused ` +
    "for a while (--max-failures): wait 30 seconds or longer.";
  return [...(singleUse ? [used] : []), ...(maxFailures > 0 ? [failed] : [])];
}

/** Settings in which an app may differ. */
const SETTINGS = [
  ["algorithm", "makes codes with", ""],
  ["digits", "makes codes of", " digits"],
  ["period", "makes a new code every", " seconds"],
] as const;

/**
 * Finds the causes of a refused pin, from the differences between a match and the settings, each
 * with the remedy.
 *
 * @param deviceAhead Seconds by which another clock beside the phone is ahead of the server's.
 * @returns One or two sentences each; empty when the server accepts the pin.
 */
export function causesOf(
  match: Match,
  settings: PinSettings,
  deviceAhead = 0,
): readonly string[] {
  const { secret, lostZeros } = match;
  const zeros = lostZeros === 1 ? "its leading zero" : `its ${lostZeros} leading zeros`;
  return [
    match.typingError === "swapped" &&
    "Two digits of the pin are swapped. Type it in the order that the app shows.",
    match.typingError === "one-wrong" && "One digit of the pin is wrong. Type it again.",
    match.isCounted &&
    "The app makes counter-based codes (HOTP), and the server expects time-based ones. Scan the " +
      "QR code, or choose time-based where you type the setup key.",
    lostZeros > 0 &&
    `The pin lost ${zeros}: something treats it as a number. Send it as text.`,
    READINGS[secret][0],
    ...SETTINGS.map(([name, verb, unit]) =>
      match[name] !== settings[name] &&
      `The app ${verb} ${match[name]}${unit}, and the server expects ${
          settings[name]
        }. Many apps ` +
        "support only SHA1, 6 digits and 30 seconds: pair again, or change the server's settings."
    ),
    ...clockSentences(match, settings, deviceAhead),
  ].flatMap((sentence) => sentence || []);
}

function clockSentences(
  match: Match,
  { window, period }: PinSettings,
  deviceAhead: number,
): readonly string[] {
  const steps = Math.abs(match.stepsAhead);
  if (match.isCounted || steps * match.period <= window * period) return [];
  const away = timeAway(match);
  const what = match.stepsAhead < 0
    ? `The pin has expired: it was right ${away} ago. If it was typed at once, the phone's clock is ` +
      "that far behind the server's."
    : `The pin will be right in ${away}: the phone's clock is that far ahead of the server's.`;
  const [least, most] = match.secondsAhead;
  const isAgreed = Math.abs(deviceAhead) > window * period &&
    least - period <= deviceAhead && deviceAhead <= most + period;
  const remedy = isAgreed
    ? "This device's clock agrees with the app's: set the server's clock, or this device's if the app " +
      "runs on it."
    : isZone(match)
    ? "That is a wrong date, time zone or daylight saving time: turn on automatic time on the phone, " +
      "and check the server's clock."
    : "Turn on automatic time on the phone; if it is on, check the server's clock.";
  const wider = steps <= MAX_ADVISABLE_WINDOW && match.period === period
    ? `; --window ${steps} would accept this pin`
    : "";
  return [
    `${what} ${remedy}`,
    `The server accepts ${window} ${window === 1 ? "step" : "steps"} before and after now ` +
    `(--window ${window})${wider}.`,
  ];
}

/** Half an hour, in seconds: time zones differ by a multiple of it. */
const ZONE_SECONDS = 1800;

// Whether the difference is a whole number of half hours, of which a clock is off by a minute at most.
function isZone({ secondsAhead: [least, most] }: Match): boolean {
  const seconds = Math.abs(least + most) / 2;
  const rest = seconds % ZONE_SECONDS;
  return seconds > ZONE_SECONDS / 2 && Math.min(rest, ZONE_SECONDS - rest) <= 60;
}

/**
 * Writes the time between a match and now, as a range, since a code is valid for a whole time step.
 */
export function timeAway({ secondsAhead }: Match): string {
  return secondsAhead.map(Math.abs).sort((a, b) => a - b).map(inWords).join(" to ");
}

/** Writes a time in hours, minutes and seconds. */
export function inWords(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.join(" ") || "0 s";
}
