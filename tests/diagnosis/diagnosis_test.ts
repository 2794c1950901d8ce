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
import { referenceHotp } from "../support/reference_totp.ts";

// RFC 6238 appendix B: the last second of a time step of 30 s, the 29th of one of 60 s.
const NOW_MS = 1_111_111_109_000;
const SECRET = "MYSECRETMYSECRET";
const AS_BASE32 = decodeBase32(SECRET);

type Options = Partial<PinSettings>;

const SETTINGS: PinSettings = {
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  window: 1,
  secretEncoding: "text",
};

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
  assertEquals([found.searched, found.matches], [true, []]);
});

Deno.test("diagnose() does not search for what cannot be a code", async () => {
  for (const pin of ["", "12345O", "123456789"]) {
    const { searched, matches } = await ask(pin);
    assertEquals([searched, matches], [false, []]);
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
