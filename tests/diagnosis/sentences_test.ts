import { assertEquals } from "@std/assert/equals";
import {
  type Cause,
  causesOf,
  certaintySentence,
  flawSentences,
  headingOf,
  MISTYPED,
  OTHER_ACCOUNT,
  refusalSentences,
  timeAway,
} from "../../lib/diagnosis/causes.ts";
import type { Diagnosis, Match, PinSettings } from "../../lib/diagnosis/diagnosis.ts";
import type { PinFlaw } from "../../lib/diagnosis/pin_reading.ts";
import type { SecretReading } from "../../lib/diagnosis/secret_readings.ts";
import { SETTINGS } from "./settings.ts";

const RIGHT: Match = {
  secret: "as-configured",
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  lostZeros: 0,
  stepsAhead: 0,
  secondsAhead: [-29, 1],
  chance: 1e-6,
};

const SEARCHED: Diagnosis = {
  swapped: false,
  flaws: [],
  digitCount: 6,
  canBeCode: true,
  matches: [],
};

function causes(
  matches: readonly Partial<Match>[],
  settings: Partial<PinSettings> = {},
): readonly Cause[] {
  const whole = matches.map((match) => ({ ...RIGHT, ...match }));
  return causesOf({ ...SEARCHED, matches: whole }, { ...SETTINGS, ...settings });
}

/** What is said of one match beyond doubt. */
function said(match: Partial<Match>, settings: Partial<PinSettings> = {}): readonly string[] {
  return causes([match], settings).flatMap(({ sentences }) => sentences);
}

const OF_SECRETS: Readonly<
  Record<Exclude<SecretReading, "as-configured" | "other-encoding">, string>
> = {
  "key-uri":
    "What is sent as the secret is a whole otpauth address. Send only its secret, and start the " +
    "server with --secret-encoding base32; or pair the app again.",
  "trimmed":
    "The app has the secret without the spaces or line breaks around it. Send it without them.",
  "line-end":
    "The app was paired with other line breaks or spaces after the secret than are sent now. Pair " +
    "again without them, or always send the same.",
  "quotes":
    "The secret is sent with quotes around it, and the app has it without. Send it without them.",
  "plus":
    "A plus sign became a space on the way, or a space a plus sign. Percent-encode the secret in " +
    "the query or the form: a plus sign is %2B, a space is %20.",
  "percent":
    "The secret was percent-encoded one time too many or too few, now or when the app was paired. " +
    "Encode it exactly once.",
  "case":
    "The app has the secret with different upper and lower case. Send it exactly as it was when " +
    "the app was paired.",
  "hex":
    "The app takes the secret as hexadecimal, and the server takes it as it is written. Pair the " +
    "app with the setup key that Pair returns.",
  "base64":
    "The app takes the secret as Base64, and the server takes it as it is written. Pair the app " +
    "with the setup key that Pair returns.",
  "normalization":
    "A letter with an accent is one character in one place and two in the other (Unicode NFC and " +
    "NFD). Send the secret in the form it had when the app was paired.",
  "latin-1":
    "A letter outside ASCII was sent in ISO 8859-1 in one place and in UTF-8 in the other. Send " +
    "UTF-8 everywhere.",
};

Deno.test("causesOf() says of each way to take a secret what is wrong and what to do", () => {
  for (const [secret, sentence] of Object.entries(OF_SECRETS)) {
    assertEquals(said({ secret: secret as SecretReading }), [sentence]);
  }
  assertEquals(said({ secret: "other-encoding" }), [
    "The app takes the secret as Base32, and the server takes it as text. If this is the setup key, " +
    "send the secret that it was made from. Otherwise pair the app with the setup key that Pair " +
    "returns, not with the secret itself; or, if all your secrets are Base32, start the server " +
    "with --secret-encoding base32.",
  ]);
  assertEquals(said({ secret: "other-encoding" }, { secretEncoding: "base32" }), [
    "The app takes the secret as text, and the server takes it as Base32. Start the server " +
    "without --secret-encoding base32, or pair the app again.",
  ]);
});

const OTHER_SETTING =
  "Many apps support only SHA1, 6 digits and 30 seconds: pair again, or change the server's settings.";

Deno.test("causesOf() says which settings the app has, and all that is wrong at once", () => {
  assertEquals(said({ algorithm: "SHA512" }), [
    `The app makes codes with SHA512, and the server expects SHA1. ${OTHER_SETTING}`,
  ]);
  assertEquals(said({ digits: 8 }), [
    `The app makes codes of 8 digits, and the server expects 6. ${OTHER_SETTING}`,
  ]);
  assertEquals(said({ period: 60 }), [
    `The app makes a new code every 60 seconds, and the server expects 30. ${OTHER_SETTING}`,
  ]);
  const all = { secret: "hex", algorithm: "SHA256", digits: 7, period: 60, lostZeros: 1 } as const;
  assertEquals(said({ ...all, stepsAhead: 9, secondsAhead: [511, 571] }).length, 7);
});

Deno.test("causesOf() counts the zeros that a number lost", () => {
  const rest = "something treats it as a number. Send it as text.";
  assertEquals(said({ lostZeros: 1 }), [`The pin lost its leading zero: ${rest}`]);
  assertEquals(said({ lostZeros: 2 }), [`The pin lost its 2 leading zeros: ${rest}`]);
});

const SET_THE_CLOCK = "Turn on automatic time on the phone; if it is on, check the server's clock.";

Deno.test("causesOf() says by how much the clock is wrong, and which window would allow it", () => {
  assertEquals(said({ stepsAhead: -9, secondsAhead: [-299, -269] }), [
    "The pin has expired: it was right 4 min 29 s to 4 min 59 s ago. If it was typed at once, the " +
    `phone's clock is that far behind. ${SET_THE_CLOCK}`,
    "The server accepts 1 step before and after now (--window 1); --window 9 would accept this pin. More than 2 " +
    "is not advisable.",
  ]);
  assertEquals(said({ stepsAhead: 100, secondsAhead: [2971, 3001] }, { window: 2 }), [
    "The pin will be right in 49 min 31 s to 50 min 1 s: the phone's clock is that far ahead. " +
    SET_THE_CLOCK,
    "The server accepts 2 steps before and after now (--window 2); --window 100 would accept this pin. More than " +
    "2 is not advisable.",
  ]);
});

Deno.test("causesOf() names no window that no option sets, or that counts other steps", () => {
  const lastOf = (match: Partial<Match>): string | undefined =>
    said({ secondsAhead: [3001, 3031], ...match }).at(-1);
  assertEquals(lastOf({ stepsAhead: 101 }), "No --window is that wide.");
  assertEquals(lastOf({ stepsAhead: 50, period: 60 }), "No --window is that wide.");
});

Deno.test("causesOf() says nothing of a clock within the window, whatever the app's period", () => {
  for (const stepsAhead of [-2, 2]) {
    const match = { stepsAhead, secondsAhead: [31, 61] } as const;
    assertEquals(said(match, { window: 2 }), []);
    assertEquals(said({ ...match, period: 15 }, { window: 1 }).length, 1);
    assertEquals(said({ ...match, period: 15 }, { window: 0 }).length, 3);
    assertEquals(said(match, { window: 1 }).length, 2);
  }
});

Deno.test("causesOf() says first that it may be another account, unless the best match is sure", () => {
  const other = {
    sentences: [
      "The pin belongs to another account or another secret. Check which account is open in the " +
      "app, or pair again.",
    ],
    certainty: "possible",
  } as const;
  const trimmed = { secret: "trimmed" } as const;
  const cause = (certainty: Cause["certainty"]): Cause => ({
    sentences: [OF_SECRETS.trimmed],
    certainty,
  });
  assertEquals(causes([]), [other]);
  // What is shown beside it where nothing was found.
  assertEquals([OTHER_ACCOUNT], other.sentences);
  assertEquals(MISTYPED, "The pin was mistyped. Try the next code.");
  assertEquals(causes([trimmed]), [cause("certain")]);
  assertEquals(causes([{ ...trimmed, chance: 0.005 }]), [cause("likely")]);
  assertEquals(causes([{ ...trimmed, chance: 0.05 }]), [other, cause("possible")]);
  assertEquals(causes([{ ...trimmed, chance: 0.005 }, { ...trimmed, chance: 0.05 }]), [
    cause("likely"),
    cause("possible"),
  ]);
});

Deno.test("causesOf() says nothing of a right pin, and nothing of what can be no code", () => {
  assertEquals(causes([{}]), []);
  assertEquals(causesOf({ ...SEARCHED, canBeCode: false }, SETTINGS), []);
});

Deno.test("headingOf() promises no more than the cause is sure", () => {
  const heading = (certainty: Cause["certainty"], index: number): string =>
    headingOf({ sentences: [], certainty }, index);
  assertEquals(heading("certain", 0), "The likely reason:");
  assertEquals(heading("likely", 0), "The likely reason:");
  assertEquals(heading("possible", 0), "A possible reason:");
  assertEquals(heading("possible", 1), "Another possible reason:");
  assertEquals(heading("certain", 2), "Another possible reason:");
});

Deno.test("certaintySentence() says how many wrong pins would look the same", () => {
  const sentence = (chance: number): string => certaintySentence({ ...RIGHT, chance });
  assertEquals(
    sentence(1e-6),
    "This is almost certain: only one in 1,000,000 wrong pins would look like this.",
  );
  assertEquals(
    sentence(0.004),
    "This is likely: one in 250 wrong pins would look like this. Try the next code too.",
  );
  assertEquals(
    sentence(0.03),
    "This may be a coincidence: one in 33 wrong pins would look like this. Try the next code.",
  );
});

Deno.test("refusalSentences() names what refuses right pins as well, as far as it is on", () => {
  const used = "This code or a later one was already used, and each code is accepted only once " +
    "(--single-use): wait for the next one.";
  const failed = "After 5 or more wrong pins, all pins for this secret are refused for a while " +
    "(--max-failures): wait 30 seconds or longer.";
  assertEquals(refusalSentences({ maxFailures: 0, singleUse: false }), []);
  assertEquals(refusalSentences({ maxFailures: 0, singleUse: true }), [used]);
  assertEquals(refusalSentences({ maxFailures: 5, singleUse: false }), [failed]);
  assertEquals(refusalSentences({ maxFailures: 5, singleUse: true }), [used, failed]);
});

Deno.test("flawSentences() says of each flaw what is wrong and what to send", () => {
  const rows: readonly (readonly [PinFlaw, string])[] = [
    ["empty", "The pin is empty."],
    ["hyphens", "The pin contains hyphens or dashes. Send only the digits."],
    [
      "blanks",
      "The pin contains spaces or invisible characters other than ASCII, as copied text often does. Send only the digits.",
    ],
    [
      "foreign-digits",
      "The pin has full-width digits or those of another script. Send ASCII digits, 0 to 9.",
    ],
    ["no-digits", "The pin contains characters that are not digits."],
    ["too-short", "The pin has 6 digits; a code has 8."],
    ["too-long", "The pin has 6 digits; a code has 8."],
  ];
  for (const [flaw, sentence] of rows) {
    assertEquals(flawSentences({ ...SEARCHED, flaws: [flaw] }, { ...SETTINGS, digits: 8 }), [
      sentence,
    ]);
  }
  // All of them are wanted where nothing else explains the pin.
  const short = { ...SEARCHED, flaws: ["too-short"], digitCount: 4, canBeCode: false } as const;
  assertEquals(flawSentences(short, SETTINGS), [
    "The pin has 4 digits; a code has 6. Send all of them.",
  ]);
  assertEquals(flawSentences({ ...short, flaws: ["too-long"], digitCount: 9 }, SETTINGS), [
    "The pin has 9 digits; a code has 6.",
  ]);
  assertEquals(flawSentences({ ...short, digitCount: 1 }, SETTINGS), [
    "The pin has 1 digit; a code has 6. Send all of them.",
  ]);
  assertEquals(flawSentences(SEARCHED, SETTINGS), []);
  assertEquals(flawSentences({ ...SEARCHED, swapped: true, flaws: ["empty"] }, SETTINGS), [
    "The pin and the secret are swapped. Send the pin as the pin, and the secret as the secret.",
    "The pin is empty.",
  ]);
});

Deno.test("timeAway() names the nearer time first, in units that people read", () => {
  const away = (...secondsAhead: [number, number]): string => timeAway({ ...RIGHT, secondsAhead });
  assertEquals(away(-59, -29), "29 s to 59 s");
  assertEquals(away(31, 61), "31 s to 1 min 1 s");
  assertEquals(away(0, 60), "0 s to 1 min");
  assertEquals(away(3600, 7325), "1 h to 2 h 2 min 5 s");
});
