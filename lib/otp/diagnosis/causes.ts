/**
 * Why a pin is wrong, in words: what people read who ask `doctor` or the service page.
 *
 * @module
 */

import type { SecretEncoding } from "../secret.ts";
import { MAX_WINDOW } from "../totp.ts";
import type { Diagnosis, Match, PinSettings } from "./diagnosis.ts";
import type { PinFlaw } from "./pin_reading.ts";
import type { SecretReading } from "./secret_readings.ts";

/** What else it can be where nothing that was searched explains the pin, the likeliest first. */
export const OTHER_REASONS: readonly string[] = [
  "The pin belongs to another account or another secret. Check which account is open in the app, " +
  "or pair again.",
  "The secret is cut off, or its upper and lower case differs from when the app was paired. " +
  "Compare it, or pair again.",
  "The pin was mistyped. Try the next code.",
];

/** How sure an explanation is; the arithmetic stands in diagnosis.ts. */
export const CERTAINTY =
  "This is almost certain: fewer than one in a thousand wrong pins would look like this.";

/**
 * What explains a pin that is not accepted. What is wrong with how the pin is written stands in
 * `flawSentences`.
 *
 * @returns One or two sentences each; none where the pin is a code that the server accepts.
 */
export function causesOf(match: Match, settings: PinSettings): readonly string[] {
  return [...differences(match, settings), ...clockSentences(match, settings)];
}

/** For what a server refuses a pin that is right, one sentence or two each. */
export function refusalSentences({ maxFailures, singleUse }: {
  /** Wrong pins for a secret before its pins are refused for a while; 0 for never. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only. */
  readonly singleUse: boolean;
}): readonly string[] {
  const sentences: string[] = [];
  if (singleUse) {
    sentences.push(
      "This code or a later one was already used, and each code is accepted only once " +
        "(--single-use): wait for the next one.",
    );
  }
  if (maxFailures > 0) {
    sentences.push(
      `After ${maxFailures} or more wrong pins, all pins for this secret are refused for a while ` +
        "(--max-failures): wait 30 seconds or longer.",
    );
  }
  return sentences;
}

/** What is wrong with how pin and secret are written, one sentence or two each. */
export function flawSentences(
  { swapped, flaws, digitCount, canBeCode }: Diagnosis,
  { digits }: PinSettings,
): readonly string[] {
  const length = `The pin has ${digitCount} ${
    digitCount === 1 ? "digit" : "digits"
  }; a code has ${digits}.`;
  const said = flaws.map((flaw) => {
    if (flaw === "too-short" && !canBeCode) return `${length} Send all of them.`;
    return FLAWS[flaw] ?? length;
  });
  return swapped ? [SWAPPED, ...said] : said;
}

const SWAPPED =
  "The pin and the secret are swapped. Send the pin as the pin, and the secret as the secret.";

const FLAWS: Readonly<Partial<Record<PinFlaw, string>>> = {
  "empty": "The pin is empty.",
  "hyphens": "The pin contains hyphens or dashes. Send only the digits.",
  "blanks":
    "The pin contains spaces or invisible characters other than ASCII, as copied text often does. Send only the digits.",
  "foreign-digits":
    "The pin has full-width digits or those of another script. Send ASCII digits, 0 to 9.",
  "no-digits": "The pin contains characters that are not digits.",
};

/** What has to be otherwise for the pin to be a code, each with what to do. */
function differences(match: Match, settings: PinSettings): string[] {
  const { secret, algorithm, digits, period, lostZeros } = match;
  const sentences: string[] = [];
  if (match.hasSwappedDigits) sentences.push(SWAPPED_DIGITS);
  if (match.isCounted) sentences.push(COUNTED);
  if (lostZeros > 0) {
    const zeros = lostZeros === 1 ? "its leading zero" : `its ${lostZeros} leading zeros`;
    sentences.push(`The pin lost ${zeros}: something treats it as a number. Send it as text.`);
  }
  if (secret === "other-encoding") sentences.push(OTHER_ENCODING[settings.secretEncoding]);
  else if (secret !== "as-configured") sentences.push(SECRETS[secret]);
  if (algorithm !== settings.algorithm) {
    sentences.push(otherSetting("makes codes with", algorithm, settings.algorithm));
  }
  if (digits !== settings.digits) {
    sentences.push(otherSetting("makes codes of", `${digits} digits`, String(settings.digits)));
  }
  if (period !== settings.period) {
    const seconds = `${period} seconds`;
    sentences.push(otherSetting("makes a new code every", seconds, String(settings.period)));
  }
  return sentences;
}

const SWAPPED_DIGITS =
  "Two digits of the pin are swapped. Type it in the order that the app shows.";

const COUNTED =
  "The app makes counter-based codes (HOTP), and the server expects time-based ones. Scan the QR " +
  "code, or choose time-based where you type the setup key.";

const OTHER_ENCODING: Readonly<Record<SecretEncoding, string>> = {
  text:
    "The app takes the secret as Base32, and the server takes it as text. If this is the setup " +
    "key, send the secret that it was made from. Otherwise pair the app with the setup key that " +
    "Pair returns, not with the secret itself; or, if all your secrets are Base32, start the " +
    "server with --secret-encoding base32.",
  base32: "The app takes the secret as text, and the server takes it as Base32. Start the server " +
    "without --secret-encoding base32, or pair the app again.",
};

const SECRETS: Readonly<
  Record<Exclude<SecretReading, "as-configured" | "other-encoding">, string>
> = {
  "key-uri": "What is sent as the secret is a whole otpauth address. Send only its secret, and " +
    "start the server with --secret-encoding base32; or pair the app again.",
  "trimmed":
    "The app has the secret without the spaces or line breaks around it. Send it without " +
    "them.",
  "line-end":
    "The app was paired with other line breaks or spaces after the secret than are sent now. Pair " +
    "again without them, or always send the same.",
  "quotes": "The secret is sent with quotes around it, and the app has it without. Send it " +
    "without them.",
  "plus": "A plus sign became a space on the way, or a space a plus sign. Percent-encode the " +
    "secret in the query or the form: a plus sign is %2B, a space is %20.",
  "percent":
    "The secret was percent-encoded one time too many or too few, now or when the app was " +
    "paired. Encode it exactly once.",
  "case": "The app has the secret with different upper and lower case. Send it exactly as it was " +
    "when the app was paired.",
  "hex":
    "The app takes the secret as hexadecimal, and the server takes it as it is written. Pair " +
    "the app with the setup key that Pair returns.",
  "base64": "The app takes the secret as Base64, and the server takes it as it is written. Pair " +
    "the app with the setup key that Pair returns.",
  "normalization": "A letter with an accent is one character in one place and two in the other " +
    "(Unicode NFC and NFD). Send the secret in the form it had when the app was paired.",
  "latin-1": "A letter outside ASCII was sent in ISO 8859-1 in one place and in UTF-8 in the " +
    "other. Send UTF-8 everywhere.",
  "utf-16":
    "The app has the secret as UTF-16, as Encoding.Unicode makes it in .NET. Pair the app " +
    "with the setup key that Pair returns.",
  "html": "The secret was escaped for HTML (&amp; for an ampersand) now or when the app was " +
    "paired. Send it as it is.",
  "guid": "The secret is a GUID, and the app has it with other hyphens or braces. Always send it " +
    "in the form that it had when the app was paired.",
};

function otherSetting(verb: string, ofApp: string, ofServer: string): string {
  return `The app ${verb} ${ofApp}, and the server expects ${ofServer}. Many apps support only SHA1, 6 ` +
    "digits and 30 seconds: pair again, or change the server's settings.";
}

function clockSentences(match: Match, { window, period }: PinSettings): string[] {
  const steps = Math.abs(match.stepsAhead);
  if (match.isCounted || steps * match.period <= window * period) return [];
  const away = timeAway(match);
  const what = match.stepsAhead < 0
    ? `The pin has expired: it was right ${away} ago. If it was typed at once, the phone's clock is ` +
      "that far behind."
    : `The pin will be right in ${away}: the phone's clock is that far ahead.`;
  const fix = "Turn on automatic time on the phone; if it is on, check the server's clock.";
  const isSettable = steps <= MAX_WINDOW && match.period === period;
  return [
    `${what} ${fix}`,
    isSettable
      ? `The server accepts ${window} ${window === 1 ? "step" : "steps"} before and after now ` +
        `(--window ${window}); --window ${steps} would accept this pin. More than 2 is not advisable.`
      : "No --window is that wide.",
  ];
}

/** How far a match is away: two times, since a code is shown for a whole time step. */
export function timeAway({ secondsAhead }: Match): string {
  const [least, most] = secondsAhead.map(Math.abs).sort((a, b) => a - b) as [number, number];
  return `${inWords(least)} to ${inWords(most)}`;
}

function inWords(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.join(" ") || "0 s";
}
