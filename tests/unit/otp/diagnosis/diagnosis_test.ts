import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { decodeBase32 } from "@std/encoding/base32";
import {
  diagnose,
  type Diagnosis,
  type Match,
  type PinSettings,
} from "../../../../lib/otp/diagnosis/diagnosis.ts";
import { HmacSha1 } from "../../../../lib/otp/hmac_sha1.ts";
import { hotp, importOtpKey } from "../../../../lib/otp/totp.ts";
import { SETTINGS } from "./settings.ts";
import { referenceHotp } from "../../../support/reference_totp.ts";

// RFC 6238 appendix B: the last millisecond of a time step of 30 s.
const NOW_MS = 1_111_111_109_999;
const SECRET = "MYSECRETMYSECRET";
const AS_BASE32 = decodeBase32(SECRET);

type Options = Partial<PinSettings>;

function diagnosisOf(pin: string, options: Options = {}, secretCode = SECRET): Promise<Diagnosis> {
  return diagnose({ pin, secretCode }, { ...SETTINGS, ...options }, NOW_MS);
}

/** The code of the time step that is `steps` from the one that NOW_MS lies in. */
function code(
  key: string | Uint8Array,
  steps: number,
  { algorithm = "SHA1", digits = 6, period = 30 }: Options = {},
): string {
  const counter = Math.floor(NOW_MS / 1000 / period) + steps;
  return referenceHotp(key, counter, { algorithm, digits });
}

const RIGHT_NOW: Match = {
  secret: "as-configured",
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  lostZeros: 0,
  typingError: undefined,
  isCounted: false,
  stepsAhead: 0,
  secondsAhead: [-29, 1],
};

/** A name, the pin, the difference of its match from RIGHT_NOW, options, and the secret. */
type Row = readonly [
  name: string,
  pin: string,
  match: Partial<Match>,
  options?: Options,
  secretCode?: string,
];

// deno-fmt-ignore
const ROWS: readonly Row[] = [
  ["a right pin", code(SECRET, 0), {}],
  ["a pin of the next step", code(SECRET, 1), { stepsAhead: 1, secondsAhead: [1, 31] }],
  ["a pin of the next step that no window allows", code(SECRET, 1), { stepsAhead: 1, secondsAhead: [1, 31] }, { window: 0 }],
  ["a clock that is behind", code(SECRET, -9), { stepsAhead: -9, secondsAhead: [-299, -269] }],
  ["a clock that is behind as far as a wide window allows", code(SECRET, -9), { stepsAhead: -9, secondsAhead: [-299, -269] }, { window: 9 }],
  ["a clock of another time zone", code(SECRET, 120), { stepsAhead: 120, secondsAhead: [3571, 3601] }],
  ["a secret that the app takes as Base32", code(AS_BASE32, 0), { secret: "base32" }],
  ["a secret that the app takes as text", code(SECRET, 0), { secret: "text" }, { secretEncoding: "base32" }],
  ["a secret with blanks around it", code(SECRET, 0), { secret: "trimmed" }, {}, ` ${SECRET}\n`],
  ["another algorithm", code(SECRET, -1, { algorithm: "SHA512" }), { algorithm: "SHA512", stepsAhead: -1, secondsAhead: [-59, -29] }],
  ["an app that knows only SHA1", code(SECRET, 0), {}, { algorithm: "SHA256" }],
  ["another period", code(SECRET, 0, { period: 60 }), { period: 60, stepsAhead: 0, secondsAhead: [-29, 31] }],
  ["more digits", code(SECRET, 2, { digits: 8 }), { digits: 8, stepsAhead: 2, secondsAhead: [31, 61] }],
  ["fewer digits", code(SECRET, 0), {}, { digits: 7 }],
  ["two leading zeros lost, and a secret taken as Base32", code(AS_BASE32, 0).replace(/^00/, ""), { secret: "base32", lostZeros: 2 }],
  ["a leading zero lost, and a clock of another time zone", code(SECRET, 120).replace(/^0/, ""), { lostZeros: 1, stepsAhead: 120, secondsAhead: [3571, 3601] }],
  ["a code with a hyphen and a full-width digit", code(SECRET, 0).replace(/^18/, "\uff11-8"), {}],
];

for (const [name, pin, match, options, secretCode] of ROWS) {
  Deno.test(`diagnose() finds ${name}`, async () => {
    assertEquals((await diagnosisOf(pin, options, secretCode)).match, { ...RIGHT_NOW, ...match });
  });
}

Deno.test("diagnose() finds nothing for the code of another secret", async () => {
  const found = await diagnosisOf("000001");
  assertEquals([found.canBeCode, found.match], [true, undefined]);
});

Deno.test("diagnose() does not search for a text that cannot be a code", async () => {
  for (const pin of ["", "12345A", "123456789"]) {
    const { canBeCode, match } = await diagnosisOf(pin);
    assertEquals([canBeCode, match], [false, undefined]);
  }
});

Deno.test("diagnose() searches for a secret that the server cannot read, too", async () => {
  const pin = code("no Base32!", 0);
  const { match } = await diagnosisOf(pin, { secretEncoding: "base32" }, "no Base32!");
  assertEquals(match?.secret, "text");
});

Deno.test("diagnose() checks no time before 1970", async () => {
  const atStart = (pin: string): Promise<Diagnosis> =>
    diagnose({ pin, secretCode: SECRET }, SETTINGS, 0);
  const last = await atStart(referenceHotp(SECRET, 2));
  assertEquals(last.match?.stepsAhead, 2);
  // The code of a counter that wrapped around.
  const pin = await hotp(await importOtpKey(new TextEncoder().encode(SECRET), "SHA1"), -1, 6);
  assertEquals((await atStart(pin)).match, undefined);
});

Deno.test("diagnose() finds codes next to now, in the window, and off by a time zone", async () => {
  const isFound = async (steps: number, options?: Options): Promise<boolean> =>
    (await diagnosisOf(code(SECRET, steps), options)).match?.stepsAhead === steps;
  for (const steps of [-40, 40, -59, 61, 660, -1680, 1681]) {
    assert(await isFound(steps), `${steps}`);
  }
  for (const steps of [-41, 41, 90, 1682]) assert(!await isFound(steps), `${steps}`);
  assert(await isFound(90, { window: 100 }));
});

Deno.test("diagnose() finds mistyped codes among those that the server accepts alone", async () => {
  const errors = {
    "swapped": (pin: string) => pin.replace(/^(.)(.)/, "$2$1"),
    "one-wrong": (pin: string) => pin.replace(/^./, (digit) => String(9 - Number(digit))),
  } as const;
  const rows = [
    ...[["swapped", 2, 2], ["swapped", -1, 1], ["one-wrong", 1, 1], ["one-wrong", 0, 0]] as const,
    ...[["swapped", 2, 1], ["swapped", -1, 0], ["swapped", 3, 9]] as const,
    ...[["one-wrong", 1, 0], ["one-wrong", 2, 2]] as const,
  ];
  for (const [i, [typingError, steps, window]] of rows.entries()) {
    const { match } = await diagnosisOf(errors[typingError](code(SECRET, steps)), { window });
    const found = i < 4 ? [typingError, steps] : [undefined, undefined];
    assertEquals([match?.typingError, match?.stepsAhead], found, `${rows[i]}`);
  }
});

Deno.test("diagnose() goes on without WebCrypto, as on pages over plain HTTP", async () => {
  Object.defineProperty(crypto, "subtle", { configurable: true, value: undefined });
  try {
    const { match } = await diagnosisOf(referenceHotp(SECRET, 3));
    assertEquals(match?.isCounted, true);
  } finally {
    Reflect.deleteProperty(crypto, "subtle");
  }
});

Deno.test("diagnose() prefers a code with lost zeros to one of another length", async () => {
  const found = async (pin: string, digits: number, secretCode: string): Promise<unknown> => {
    const { match } = await diagnosisOf(pin, { digits }, secretCode);
    return [match?.lostZeros, match?.digits];
  };
  assertEquals(await found("4126978", 8, "secret-2"), [1, 8]);
  assertEquals(await found("4126978", 6, "secret-2"), [0, 7]);
  assertEquals(await found("750863", 8, "secret-49"), [0, 6]);
  assertEquals(await found("53802", 7, "secret-42"), [2, 7]);
});

const SWAPPED =
  "The pin and the secret are swapped. Send the pin as the pin, and the secret as the secret.";

Deno.test("diagnose() finds pin and secret swapped", async () => {
  const rows: readonly (readonly [pin: string, secretCode: string, swapped: boolean])[] = [
    [SECRET, "123456", true],
    [SECRET, "123 456", true],
    ["", "123456", false],
    [" \n", "123456", false],
    ["123456", "123456", false],
    ["12345", "123456", false],
    [SECRET, "1234567", false],
    [SECRET, SECRET, false],
  ];
  for (const [pin, secretCode, swapped] of rows) {
    const { flaws, canBeCode } = await diagnosisOf(pin, {}, secretCode);
    assertEquals(flaws[0] === SWAPPED, swapped, `${pin} ${secretCode}`);
    assertEquals(canBeCode, pin === "123456", `${pin} ${secretCode}`);
  }
  const { match } = await diagnosisOf(SECRET, {}, code(SECRET, 0));
  assertEquals([match?.secret, match?.stepsAhead], ["as-configured", 0]);
});

Deno.test("diagnose() finds flaws in the spelling of the pin", async () => {
  const read = async (pin: string, digits = 6): Promise<readonly unknown[]> => {
    const { flaws, canBeCode } = await diagnosisOf(pin, { digits });
    return [flaws, canBeCode];
  };
  const hyphens = "The pin contains hyphens or dashes. Send only the digits.";
  const length = (sentence: string): string => `${sentence} Send all of them.`;
  assertEquals(await read("1-2345"), [
    [hyphens, length("The pin has 5 digits; a code has 6.")],
    false,
  ]);
  assertEquals(await read("1"), [[length("The pin has 1 digit; a code has 6.")], false]);
  assertEquals(await read("123456789"), [["The pin has 9 digits; a code has 6."], false]);
  assertEquals(await read("12345A"), [["The pin contains characters that are not digits."], false]);
  // Of a code of another length, all digits are there.
  assertEquals(await read(code(SECRET, 0), 8), [["The pin has 6 digits; a code has 8."], true]);
  assertEquals(await read("123456"), [[], true]);
});

Deno.test("diagnose() compares a pin with fewer than 700 codes, so that chance explains none", async () => {
  const [{ sign }, { mac }] = [crypto.subtle, HmacSha1.prototype];
  let codes = 0;
  crypto.subtle.sign = (...args) => {
    codes++;
    return sign.apply(crypto.subtle, args);
  };
  HmacSha1.prototype.mac = function (counter): Uint8Array {
    codes++;
    return mac.call(this, counter);
  };
  try {
    for (
      const secretCode of [SECRET, `"a+b &amp; %C3%A9 <\u00e9>"\n\n`, ` {${crypto.randomUUID()}}\n`]
    ) {
      codes = 0;
      await diagnosisOf("000001", {}, secretCode);
      assert(codes > 300 && codes < 700, String(codes));
    }
  } finally {
    crypto.subtle.sign = sign;
    HmacSha1.prototype.mac = mac;
  }
});
