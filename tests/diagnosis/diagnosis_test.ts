import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { decodeBase32 } from "@std/encoding/base32";
import {
  CERTAIN_CHANCE,
  diagnose,
  type Diagnosis,
  type Match,
  type PinSettings,
} from "../../lib/diagnosis/diagnosis.ts";
import { hotp, importOtpKey } from "../../lib/otp/totp.ts";
import { SETTINGS } from "./settings.ts";
import { referenceHotp } from "../support/reference_totp.ts";

// RFC 6238 appendix B: the last second of a time step of 30 s, the 29th of one of 60 s.
const NOW_MS = 1_111_111_109_000;
const SECRET = "MYSECRETMYSECRET";
const AS_BASE32 = decodeBase32(SECRET);

type Options = Partial<PinSettings>;

function ask(pin: string, options: Options = {}, secretCode = SECRET): Promise<Diagnosis> {
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

const NOTHING_ELSE = {
  secret: "as-configured",
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  lostZeros: 0,
} as const;

interface Row {
  readonly name: string;
  readonly pin: string;
  readonly options?: Options;
  readonly secretCode?: string;
  readonly match: Omit<Match, "chance">;
}

const ROWS: readonly Row[] = [
  {
    name: "a right pin",
    pin: code(SECRET, 0),
    match: { ...NOTHING_ELSE, stepsAhead: 0, secondsAhead: [-29, 1] },
  },
  {
    name: "a pin of the next step",
    pin: code(SECRET, 1),
    match: { ...NOTHING_ELSE, stepsAhead: 1, secondsAhead: [1, 31] },
  },
  {
    name: "a pin of the next step that no window allows",
    pin: code(SECRET, 1),
    options: { window: 0 },
    match: { ...NOTHING_ELSE, stepsAhead: 1, secondsAhead: [1, 31] },
  },
  {
    name: "a clock that is behind",
    pin: code(SECRET, -9),
    match: { ...NOTHING_ELSE, stepsAhead: -9, secondsAhead: [-299, -269] },
  },
  {
    name: "a clock that is behind as far as a wide window allows",
    pin: code(SECRET, -9),
    options: { window: 9 },
    match: { ...NOTHING_ELSE, stepsAhead: -9, secondsAhead: [-299, -269] },
  },
  {
    name: "a clock of another time zone",
    pin: code(SECRET, 120),
    match: { ...NOTHING_ELSE, stepsAhead: 120, secondsAhead: [3571, 3601] },
  },
  {
    name: "a secret that the app takes as Base32",
    pin: code(AS_BASE32, 0),
    match: {
      ...NOTHING_ELSE,
      secret: "other-encoding",
      stepsAhead: 0,
      secondsAhead: [-29, 1],
    },
  },
  {
    name: "a secret that the app takes as text",
    pin: code(SECRET, 0),
    options: { secretEncoding: "base32" },
    match: {
      ...NOTHING_ELSE,
      secret: "other-encoding",
      stepsAhead: 0,
      secondsAhead: [-29, 1],
    },
  },
  {
    name: "a secret with blanks around it",
    pin: code(SECRET, 0),
    secretCode: ` ${SECRET}\n`,
    match: { ...NOTHING_ELSE, secret: "trimmed", stepsAhead: 0, secondsAhead: [-29, 1] },
  },
  {
    name: "another algorithm",
    pin: code(SECRET, -1, { algorithm: "SHA512" }),
    match: { ...NOTHING_ELSE, algorithm: "SHA512", stepsAhead: -1, secondsAhead: [-59, -29] },
  },
  {
    name: "an app that knows only SHA1",
    pin: code(SECRET, 0),
    options: { algorithm: "SHA256" },
    match: { ...NOTHING_ELSE, stepsAhead: 0, secondsAhead: [-29, 1] },
  },
  {
    name: "another period",
    pin: code(SECRET, 0, { period: 60 }),
    match: { ...NOTHING_ELSE, period: 60, stepsAhead: 0, secondsAhead: [-29, 31] },
  },
  {
    name: "a rare period",
    pin: code(SECRET, 0, { period: 20 }),
    match: { ...NOTHING_ELSE, period: 20, stepsAhead: 0, secondsAhead: [-9, 11] },
  },
  {
    name: "more digits",
    pin: code(SECRET, 2, { digits: 8 }),
    match: { ...NOTHING_ELSE, digits: 8, stepsAhead: 2, secondsAhead: [31, 61] },
  },
  {
    name: "fewer digits",
    pin: code(SECRET, 0),
    options: { digits: 7 },
    match: { ...NOTHING_ELSE, stepsAhead: 0, secondsAhead: [-29, 1] },
  },
  {
    name: "two leading zeros lost, and a secret taken as Base32",
    pin: code(AS_BASE32, 0).replace(/^00/, ""),
    match: {
      ...NOTHING_ELSE,
      secret: "other-encoding",
      lostZeros: 2,
      stepsAhead: 0,
      secondsAhead: [-29, 1],
    },
  },
  {
    name: "a leading zero lost, and a clock of another time zone",
    pin: code(SECRET, 120).replace(/^0/, ""),
    match: { ...NOTHING_ELSE, lostZeros: 1, stepsAhead: 120, secondsAhead: [3571, 3601] },
  },
  {
    name: "a code with a hyphen and a full-width digit",
    pin: code(SECRET, 0).replace(/^18/, "\uff11-8"),
    match: { ...NOTHING_ELSE, stepsAhead: 0, secondsAhead: [-29, 1] },
  },
];

for (const { name, pin, options, secretCode, match } of ROWS) {
  Deno.test(`diagnose() finds ${name}`, async () => {
    const diagnosis = await ask(pin, options, secretCode);
    assertEquals(diagnosis.matches.length, 1);
    const { chance, ...found } = diagnosis.matches[0]!;
    assertEquals(found, match);
    assert(chance < CERTAIN_CHANCE, String(chance));
  });
}

Deno.test("diagnose() says by how many codes it looked at how likely chance is", async () => {
  // The current step is the first code looked at.
  assertEquals((await ask(code(SECRET, 0))).matches[0]!.chance, 1e-6);
  assertEquals((await ask(code(SECRET, 0, { digits: 8 }))).matches[0]!.chance < 1e-6, true);
  // Before the ninth step back, the eight nearer ones on either side are.
  const { chance } = (await ask(code(SECRET, -9))).matches[0]!;
  assert(chance >= 18e-6 && chance < 100e-6, String(chance));
});

Deno.test("diagnose() goes on after a match that chance may have made, up to three", async () => {
  const { matches } = await ask(code(AS_BASE32, 1300, { algorithm: "SHA512", period: 60 }));
  assert(matches.length >= 1 && matches.length <= 3);
  assert(
    matches.some(({ stepsAhead, period, algorithm, secret }) =>
      stepsAhead === 1300 && period === 60 && algorithm === "SHA512" && secret === "other-encoding"
    ),
  );
  // They come in the order of plausibility, which is that of chance.
  const chances = matches.map(({ chance }) => chance);
  assertEquals(chances, chances.toSorted((a, b) => a - b));
});

Deno.test("diagnose() finds nothing for the code of another secret", async () => {
  const found = await ask("000001");
  assertEquals([found.canBeCode, found.matches], [true, []]);
});

Deno.test("diagnose() does not search for what cannot be a code", async () => {
  for (const pin of ["", "12345O", "123456789"]) {
    const { canBeCode, matches } = await ask(pin);
    assertEquals([canBeCode, matches], [false, []]);
  }
});

Deno.test("diagnose() searches for a secret that the server cannot read, too", async () => {
  const pin = code("no Base32!", 0);
  const { matches } = await ask(pin, { secretEncoding: "base32" }, "no Base32!");
  assertEquals(matches.map(({ secret }) => secret), ["other-encoding"]);
});

Deno.test("diagnose() looks at no time before 1970", async () => {
  const atStart = (pin: string): Promise<Diagnosis> =>
    diagnose({ pin, secretCode: SECRET }, SETTINGS, 0);
  const first = await atStart(referenceHotp(SECRET, 0));
  assertEquals(first.matches[0]?.stepsAhead, 0);
  // The code of a counter that wrapped around.
  const { matches } = await atStart(await hotp(await importOtpKey(encode(SECRET), "SHA1"), -1, 6));
  assertEquals(matches.filter(({ stepsAhead }) => stepsAhead < 0), []);
});

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

Deno.test("diagnose() looks at what users ask about most before what is rare", async () => {
  // The chance of a match counts the codes that were looked at before it.
  const rows: readonly (readonly [string, string, string?])[] = [
    ["now", code(SECRET, 0)],
    ["a step beyond the window", code(SECRET, -2)],
    ["the other encoding", code(AS_BASE32, 0)],
    ["a secret to be trimmed", code(SECRET, 0), ` ${SECRET}`],
    ["another hash", code(SECRET, 0, { algorithm: "SHA512" })],
    ["another period", code(SECRET, 0, { period: 60 })],
    ["a rare period", code(SECRET, 0, { period: 45 })],
  ];
  let before = 0;
  for (const [what, pin, secretCode] of rows) {
    const { chance } = (await ask(pin, {}, secretCode)).matches[0]!;
    assert(chance > before, `${what}: ${chance} after ${before}`);
    before = chance;
  }
});

/** How many codes of six digits were looked at up to the one that was found. */
async function lookedAt(pin: string, options: Options = {}, secretCode = SECRET): Promise<number> {
  const { matches } = await ask(pin, options, secretCode);
  assertEquals(matches.length, 1);
  return Math.round(matches[0]!.chance * 1e6);
}

Deno.test("diagnose() goes through time steps from the nearest on, the earlier one first", async () => {
  const wide = { window: 3 };
  for (const [i, steps] of [0, -1, 1, -2, 2, -3, 3].entries()) {
    assertEquals(await lookedAt(code(SECRET, steps)), i + 1, `${steps}`);
    assertEquals(await lookedAt(code(SECRET, steps), wide), i + 1, `${steps} of three`);
  }
  // Of the other encoding, the three steps of the window come before two more on each side.
  assertEquals(await lookedAt(code(AS_BASE32, 0)), 3 + 6 + 1);
  // And the seven of a wider one before any that it does not allow but four.
  assertEquals(await lookedAt(code(AS_BASE32, 3), wide), 7 + 6 + 7);
});

Deno.test("diagnose() counts as surprising what the window does not allow, in steps of the server", async () => {
  // 16 steps on each side, 4 of the other encoding, and one of five ends of the secret.
  assertEquals(await lookedAt(code(SECRET, 0, { algorithm: "SHA256" })), 33 + 7 + 15 + 1);
  // Of an app with steps of a minute, the server's window of two steps allows one.
  const two = { window: 2 };
  const now = await lookedAt(code(SECRET, 0, { period: 60 }), two);
  assertEquals(await lookedAt(code(SECRET, 1, { period: 60 }), two), now + 2);
});

Deno.test("diagnose() takes a zero that was lost for no surprise but that codes begin with one", async () => {
  // Shorter codes would be looked at next, then longer ones; each counts as rarely as chance finds it.
  const { matches } = await ask("90865", {}, "secret-13");
  assertEquals(matches.map(({ lostZeros, digits, chance }) => [lostZeros, digits, chance]), [
    [1, 6, 1e-6],
  ]);
  // A code with zeros at its front is also the shorter code without them.
  const found = async (pin: string, digits: number, secretCode: string): Promise<unknown> =>
    (await ask(pin, { digits }, secretCode)).matches.map((match) => [
      match.lostZeros,
      match.digits,
    ])[0];
  assertEquals(await found("4126978", 8, "secret-2"), [1, 8]);
  assertEquals(await found("4126978", 6, "secret-2"), [0, 7]);
  assertEquals(await found("750863", 8, "secret-49"), [0, 6]);
  assertEquals(await found("53802", 7, "secret-42"), [2, 7]);
  assertEquals(await found("90865", 7, "secret-13"), [1, 6]);
});

Deno.test("diagnose() looks for the period that most apps have where the server has another", async () => {
  for (const period of [30, 60]) {
    const { matches } = await ask(code(SECRET, 0, { period }), { period: 90 - period });
    assertEquals(matches.map((match) => match.period), [period]);
  }
});

Deno.test("diagnose() looks at rare periods for ten minutes, at usual ones for a day", async () => {
  const stepsOf = async (period: number, steps: number): Promise<readonly number[]> => {
    const { matches } = await ask(code(SECRET, steps, { period }), {}, SECRET);
    return matches.filter((match) => match.period === period).map(({ stepsAhead }) => stepsAhead);
  };
  for (const period of [10, 15, 20, 45, 90, 120]) {
    const last = Math.floor(600 / period);
    assertEquals(await stepsOf(period, -last), [-last]);
    assertEquals(await stepsOf(period, last + 1), []);
  }
  assertEquals(await stepsOf(30, 2880), [2880]);
  assertEquals(await stepsOf(30, 2881), []);
  assertEquals(await stepsOf(60, -1440), [-1440]);
});

Deno.test("diagnose() looks at rare ways to take a secret for ten minutes, by the server's settings", async () => {
  const padded = `${SECRET} `;
  const found = async (pin: string): Promise<readonly (readonly unknown[])[]> =>
    (await ask(pin, {}, padded)).matches.map(({ secret, stepsAhead }) => [secret, stepsAhead]);
  assertEquals(await found(code(SECRET, 20)), [["trimmed", 20]]);
  for (
    const pin of [
      code(SECRET, 21),
      code(SECRET, 0, { algorithm: "SHA256" }),
      code(SECRET, 0, { period: 60 }),
    ]
  ) assertEquals((await found(pin)).filter(([secret]) => secret === "trimmed"), []);
});

Deno.test("diagnose() finds all that chance may have made, up to three", async () => {
  // The counter 2,500 is that of a time of each period.
  const settings = { ...SETTINGS, period: 40 };
  const pin = referenceHotp(SECRET, 2_500);
  const { matches } = await diagnose({ pin, secretCode: SECRET }, settings, 120_000_000);
  assertEquals(matches.map(({ period, stepsAhead }) => [period, stepsAhead]), [
    [40, -500],
    [60, 500],
    [30, -1500],
  ]);
  assertEquals(matches.every(({ chance }) => chance >= CERTAIN_CHANCE), true);
});

Deno.test("diagnose() counts no code of a time before 1970", async () => {
  const pin = referenceHotp(SECRET, 2);
  const { matches } = await diagnose({ pin, secretCode: SECRET }, SETTINGS, 0);
  assertEquals(matches.map(({ chance }) => Math.round(chance * 1e6)), [3]);
});

Deno.test("diagnose() says whether pin and secret are swapped", async () => {
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
    assertEquals((await ask(pin, {}, secretCode)).swapped, swapped, `${pin} ${secretCode}`);
  }
  const { matches } = await ask(SECRET, {}, code(SECRET, 0));
  assertEquals(matches.map(({ secret, stepsAhead }) => [secret, stepsAhead]), [
    ["as-configured", 0],
  ]);
});

Deno.test("diagnose() counts the digits, and says what is wrong with the pin", async () => {
  const read = async (pin: string): Promise<readonly unknown[]> => {
    const { flaws, digitCount, canBeCode } = await ask(pin);
    return [flaws, digitCount, canBeCode];
  };
  assertEquals(await read("1-2345"), [["hyphens", "too-short"], 5, false]);
  assertEquals(await read("123456789"), [["too-long"], 9, false]);
  assertEquals(await read("12345O"), [["no-digits"], 0, false]);
});

/** What a search costs: how many codes it has computed, and how often others had their turn. */
async function costOf(pin: string): Promise<{ codes: number; turns: number }> {
  const { subtle } = crypto;
  const { sign } = subtle;
  let codes = 0;
  let turns = 0;
  // At once, as where replies of WebCrypto come before timers.
  subtle.sign = () => {
    codes++;
    return Promise.resolve(new ArrayBuffer(20));
  };
  const timer = setInterval(() => turns++);
  try {
    await ask(pin);
  } finally {
    clearInterval(timer);
    subtle.sign = sign;
  }
  return { codes, turns };
}

Deno.test("a search lets others have their turn", async () => {
  assert((await costOf("123456")).turns > 10);
});

Deno.test("a pin that may have lost zeros needs no more codes than another", async () => {
  assertEquals((await costOf("12345")).codes, (await costOf("123456")).codes);
});
