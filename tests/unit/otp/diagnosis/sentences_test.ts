import { assertEquals } from "@std/assert/equals";
import { causesOf, refusalSentences, timeAway } from "../../../../lib/otp/diagnosis/causes.ts";
import type { Match, PinSettings } from "../../../../lib/otp/diagnosis/diagnosis.ts";
import { SETTINGS } from "./settings.ts";

const RIGHT: Match = {
  secret: "as-configured",
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  lostZeros: 0,
  stepsAhead: 0,
  typingError: undefined,
  isCounted: false,
  secondsAhead: [-29, 1],
};

/** The sentences about a match. */
function sentencesOf(
  match: Partial<Match>,
  settings: Partial<PinSettings> = {},
): readonly string[] {
  return causesOf({ ...RIGHT, ...match }, { ...SETTINGS, ...settings });
}

Deno.test("causesOf() names how an app reads a secret otherwise than the server", () => {
  assertEquals(sentencesOf({ secret: "base32" }), [
    "The app takes the secret as Base32, and the server takes it as text. If this is the setup key, " +
    "send the secret that it was made from. Otherwise pair the app with the setup key that Pair " +
    "returns, not with the secret itself; or, if all your secrets are Base32, start the server " +
    "with --secret-encoding base32.",
  ]);
  assertEquals(sentencesOf({ secret: "text" }, { secretEncoding: "base32" }), [
    "The app takes the secret as text, and the server takes it as Base32. Start the server " +
    "without --secret-encoding base32, or pair the app again.",
  ]);
});

const OTHER_SETTING =
  "Many apps support only SHA1, 6 digits and 30 seconds: pair again, or change the server's settings.";

Deno.test("causesOf() names the settings of the app, and all that is wrong at once", () => {
  assertEquals(sentencesOf({ algorithm: "SHA512" }), [
    `The app makes codes with SHA512, and the server expects SHA1. ${OTHER_SETTING}`,
  ]);
  assertEquals(sentencesOf({ digits: 8 }), [
    `The app makes codes of 8 digits, and the server expects 6. ${OTHER_SETTING}`,
  ]);
  assertEquals(sentencesOf({ period: 60 }), [
    `The app makes a new code every 60 seconds, and the server expects 30. ${OTHER_SETTING}`,
  ]);
  const all = { secret: "hex", algorithm: "SHA256", digits: 7, period: 60, lostZeros: 1 } as const;
  assertEquals(sentencesOf({ ...all, stepsAhead: 9, secondsAhead: [511, 571] }).length, 7);
});

Deno.test("causesOf() counts the zeros that a number lost", () => {
  const rest = "something treats it as a number. Send it as text.";
  assertEquals(sentencesOf({ lostZeros: 1 }), [`The pin lost its leading zero: ${rest}`]);
  assertEquals(sentencesOf({ lostZeros: 2 }), [`The pin lost its 2 leading zeros: ${rest}`]);
});

const SET_THE_CLOCK = "Turn on automatic time on the phone; if it is on, check the server's clock.";

Deno.test("causesOf() has the offset of the clock, and the window that would allow it", () => {
  assertEquals(sentencesOf({ stepsAhead: -9, secondsAhead: [-299, -269] }), [
    "The pin has expired: it was right 4 min 29 s to 4 min 59 s ago. If it was typed at once, the " +
    `phone's clock is that far behind the server's. ${SET_THE_CLOCK}`,
    "The server accepts 1 step before and after now (--window 1).",
  ]);
  assertEquals(sentencesOf({ stepsAhead: 2, secondsAhead: [31, 61] }), [
    "The pin will be right in 31 s to 1 min 1 s: the phone's clock is that far ahead of the server's. " +
    SET_THE_CLOCK,
    "The server accepts 1 step before and after now (--window 1); --window 2 would accept this pin.",
  ]);
});

Deno.test("causesOf() blames the server's clock where another agrees with the phone's", () => {
  const remedy = (deviceAhead: number, secondsAhead: Match["secondsAhead"] = [270, 300]): string =>
    causesOf({ ...RIGHT, stepsAhead: 9, secondsAhead }, SETTINGS, deviceAhead)[0]!
      .replace(/^.*server's\. /, "");
  for (const agreed of [240, 285, 330]) {
    const sentence = "This device's clock agrees with the app's: set the server's clock, or this " +
      "device's if the app runs on it.";
    assertEquals(remedy(agreed), sentence);
  }
  for (const other of [-285, 0, 30, 239, 331]) assertEquals(remedy(other), SET_THE_CLOCK);
  // A clock that is off by no more than the window has no part in it.
  assertEquals([30, 31].map((ahead) => remedy(ahead, [31, 61]) === SET_THE_CLOCK), [true, false]);
});

Deno.test("causesOf() names no window that is too wide, or that counts other steps", () => {
  const lastOf = (match: Partial<Match>): string | undefined =>
    sentencesOf({ secondsAhead: [61, 121], ...match }).at(-1);
  const accepts = "The server accepts 1 step before and after now (--window 1).";
  assertEquals(lastOf({ stepsAhead: 3 }), accepts);
  assertEquals(lastOf({ stepsAhead: 2, period: 60 }), accepts);
});

Deno.test("causesOf() returns no cause for a clock within the window, for any period of the app", () => {
  for (const stepsAhead of [-2, 2]) {
    const match = { stepsAhead, secondsAhead: [31, 61] } as const;
    assertEquals(sentencesOf(match, { window: 2 }), []);
    assertEquals(sentencesOf({ ...match, period: 15 }, { window: 1 }).length, 1);
    assertEquals(sentencesOf({ ...match, period: 15 }, { window: 0 }).length, 3);
    assertEquals(sentencesOf(match, { window: 1 }).length, 2);
  }
});

Deno.test("causesOf() names the time zone up to a minute from a multiple of half an hour", () => {
  const namesZone = (seconds: number): boolean => {
    const stepsAhead = Math.floor(seconds / 30);
    const secondsAhead = [seconds - 15, seconds + 15] as const;
    return sentencesOf({ stepsAhead, secondsAhead }).join(" ").includes("time zone");
  };
  const distances = [-3661, -3660, -3600, -3540, -3539, 1739, 1740, 1860, 1861, 60, 0];
  assertEquals(distances.filter(namesZone), [-3660, -3600, -3540, 1740, 1860]);
});

Deno.test("causesOf() is empty for a right pin", () => {
  assertEquals(sentencesOf({}), []);
});

Deno.test("refusalSentences() names the options that refuse right pins too, where they are on", () => {
  const used = "This code or a later one was already used, and each code is accepted only once " +
    "(--single-use): wait for the next one.";
  const failed = "After 5 or more wrong pins, all pins for this secret are refused for a while " +
    "(--max-failures): wait 30 seconds or longer.";
  assertEquals(refusalSentences({ maxFailures: 0, singleUse: false }), []);
  assertEquals(refusalSentences({ maxFailures: 0, singleUse: true }), [used]);
  assertEquals(refusalSentences({ maxFailures: 5, singleUse: false }), [failed]);
  assertEquals(refusalSentences({ maxFailures: 5, singleUse: true }), [used, failed]);
});

Deno.test("timeAway() names the nearer time first, in units that people read", () => {
  const away = (...secondsAhead: [number, number]): string => timeAway({ ...RIGHT, secondsAhead });
  assertEquals(away(-59, -29), "29 s to 59 s");
  assertEquals(away(31, 61), "31 s to 1 min 1 s");
  assertEquals(away(0, 60), "0 s to 1 min");
  assertEquals(away(3600, 7325), "1 h to 2 h 2 min 5 s");
});
