import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import {
  hotp,
  importOtpKey,
  matchesCurrentStep,
  matchTimeStep,
  type OtpAlgorithm,
  timeStep,
} from "../../../lib/otp/totp.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

const encoder = new TextEncoder();

/** The seed of RFC 6238 appendix B, repeated to a length: 20, 32 or 64 bytes by hash (erratum 2866). */
function seed(length: number): Uint8Array<ArrayBuffer> {
  return encoder.encode("1234567890".repeat(7).slice(0, length));
}

// RFC 4226 appendix D: the code of each counter from 0.
const RFC_4226_CODES = [
  "755224",
  "287082",
  "359152",
  "969429",
  "338314",
  "254676",
  "287922",
  "162583",
  "399871",
  "520489",
];

Deno.test("hotp() returns the codes of RFC 4226 appendix D", async () => {
  const key = await importOtpKey(seed(20), "SHA1");
  const codes = await Promise.all(RFC_4226_CODES.map((_, counter) => hotp(key, counter, 6)));
  assertEquals(codes, RFC_4226_CODES);
});

// RFC 6238 appendix B: seconds, time step in hexadecimal, and the code for each hash.
const RFC_6238_ROWS: readonly (readonly [number, string, string, string, string])[] = [
  [59, "0000000000000001", "94287082", "46119246", "90693936"],
  [1111111109, "00000000023523EC", "07081804", "68084774", "25091201"],
  [1111111111, "00000000023523ED", "14050471", "67062674", "99943326"],
  [1234567890, "000000000273EF07", "89005924", "91819424", "93441116"],
  [2000000000, "0000000003F940AA", "69279037", "90698825", "38618901"],
  [20000000000, "0000000027BC86AA", "65353130", "77737706", "47863826"],
];

const RFC_6238_HASHES: readonly (readonly [OtpAlgorithm, number, 2 | 3 | 4])[] = [
  ["SHA1", 20, 2],
  ["SHA256", 32, 3],
  ["SHA512", 64, 4],
];

for (const [algorithm, keyLength, column] of RFC_6238_HASHES) {
  for (const row of RFC_6238_ROWS) {
    const [seconds, step] = row;
    Deno.test(`hotp() returns the code of RFC 6238 appendix B for ${algorithm} at ${seconds} s`, async () => {
      const counter = timeStep(seconds * 1000, 30);
      assertEquals(counter, parseInt(step, 16));
      const key = await importOtpKey(seed(keyLength), algorithm);
      assertEquals(await hotp(key, counter, 8), row[column]);
    });
  }
}

Deno.test("timeStep() changes exactly at the beginning of a step", () => {
  assertEquals(timeStep(29_999, 30), 0);
  assertEquals(timeStep(30_000, 30), 1);
  assertEquals(timeStep(59_999, 60), 0);
});

const KEYS: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ["of one byte", encoder.encode("x")],
  ["of one zero byte", new Uint8Array(1)],
  ["one byte shorter than the SHA-1 block", seed(63)],
  ["as long as the SHA-1 block", seed(64)],
  ["one byte longer than the SHA-1 block", seed(65)],
  ["longer than the SHA-512 block", encoder.encode("k".repeat(129))],
  ["of 1,024 bytes", encoder.encode("0123456789abcdef".repeat(64))],
  ["with bytes that are not ASCII", encoder.encode("Schlüssel 🔑 鍵")],
  ["with bytes that are not UTF-8", new Uint8Array([0xff, 0x00, 0xfe, 0x80])],
];

for (const [what, bytes] of KEYS) {
  for (const algorithm of ["SHA1", "SHA256", "SHA512"] as const) {
    Deno.test(`hotp() agrees with an independent HMAC for a key ${what}, ${algorithm}`, async () => {
      const key = await importOtpKey(bytes, algorithm);
      for (const counter of [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 7, 2 ** 53 - 1]) {
        for (const digits of [6, 7, 8]) {
          assertEquals(
            await hotp(key, counter, digits),
            referenceHotp(bytes, counter, { algorithm, digits }),
          );
        }
      }
    });
  }
}

Deno.test("hotp() returns the code of a counter in every order of counters", async () => {
  const secret = "correct horse battery staple";
  const key = await importOtpKey(new TextEncoder().encode(secret), "SHA1");
  const counters = Array.from({ length: 600 }, (_, i) => (i >> 1) + (i % 2) * 2 ** 32);
  const asked = [...counters, ...counters.toReversed()];
  const codes = await Promise.all(asked.map((counter) => hotp(key, counter, 6)));
  assertEquals(codes, asked.map((counter) => referenceHotp(secret, counter)));
});

Deno.test("hotp() keeps leading zeros", async () => {
  // Research vectors of the original service: counter 1111111109 s and 1234567890 s with SHA-1.
  const key = await importOtpKey(seed(20), "SHA1");
  assertEquals(await hotp(key, timeStep(1234567890_000, 30), 6), "005924");
  let found = "";
  for (let counter = 0; !found.startsWith("000"); counter++) found = await hotp(key, counter, 6);
  assertEquals(found.length, 6);
});

Deno.test("importOtpKey() refuses an empty key", async () => {
  await assertRejects(() => importOtpKey(new Uint8Array(), "SHA1"), RangeError, "The key is empty");
});

const STEP = 1_000_000;

async function match(code: string, window: number, step = STEP): Promise<number | undefined> {
  const key = await importOtpKey(seed(20), "SHA1");
  return await matchTimeStep(key, { code, step, window, digits: 6 });
}

async function matchesNow(code: string): Promise<boolean> {
  const key = await importOtpKey(seed(20), "SHA1");
  return await matchesCurrentStep(key, { code, step: STEP, digits: 6 });
}

function codeAt(step: number): string {
  return referenceHotp(seed(20), step, { algorithm: "SHA1", digits: 6 });
}

for (const window of [0, 1, 2, 10]) {
  Deno.test(`matchTimeStep() accepts ${window} steps on each side of now and no more`, async () => {
    for (let distance = -window; distance <= window; distance++) {
      assertEquals(await match(codeAt(STEP + distance), window), distance);
    }
    assertEquals(await match(codeAt(STEP - window - 1), window), undefined);
    assertEquals(await match(codeAt(STEP + window + 1), window), undefined);
  });
}

Deno.test("matchTimeStep() checks no step nearer than the least distance", async () => {
  const key = await importOtpKey(seed(20), "SHA1");
  const from = (nearest: number, distance: number): Promise<number | undefined> =>
    matchTimeStep(key, {
      code: codeAt(STEP + distance),
      step: STEP,
      window: 3,
      nearest,
      digits: 6,
    });
  assertEquals(await from(0, 0), 0);
  for (const nearest of [1, 2, 3]) {
    for (const distance of [-3, -2, -1, 0, 1, 2, 3]) {
      const expected = Math.abs(distance) < nearest ? undefined : distance;
      assertEquals(await from(nearest, distance), expected, `${distance} from ${nearest}`);
    }
  }
});

Deno.test("matchesCurrentStep() accepts only the code of the current step", async () => {
  assertEquals(await matchesNow(codeAt(STEP)), true);
  for (const distance of [-1, 1]) assertEquals(await matchesNow(codeAt(STEP + distance)), false);
});

Deno.test("matchTimeStep() computes no step before the first", async () => {
  assertEquals(await match(codeAt(0), 10, 0), 0);
  assertEquals(await match(codeAt(3), 10, 0), 3);
  assertEquals(await match("000000", 10, 0), undefined);
});

Deno.test("matchTimeStep() goes back to step 0 at most", async () => {
  assertEquals(await match(codeAt(0), 3, 3), -3);
  // A counter before the first would wrap around to the last of 64 bits.
  const key = await importOtpKey(seed(20), "SHA1");
  assertEquals(await match(await hotp(key, -1, 6), 3, 2), undefined);
});

// Steps of which two have the same code: the one that is asked about, and the two distances.
const SAME_CODES: readonly (readonly [number, number, number])[] = [
  [1_300_575, 0, 1],
  [1_300_576, 0, -1],
  [1_821_113, 1, -2],
  [1_821_112, -1, 2],
  [2_288_503, 1, -3],
];

for (const [step, nearer, further] of SAME_CODES) {
  Deno.test(`matchTimeStep() returns ${nearer} where ${further} has the same code`, async () => {
    assertEquals(codeAt(step + nearer), codeAt(step + further));
    assertEquals(await match(codeAt(step + nearer), 3, step), nearer);
  });
}

Deno.test("importOtpKey() returns a key that signs, and cannot be exported", async () => {
  const key = await importOtpKey(seed(20), "SHA256");
  assertEquals([key.extractable, key.usages], [false, ["sign"]]);
});

Deno.test("only exactly the digits of a code match", async () => {
  const code = codeAt(STEP);
  const fullWidth = code.replace(/[0-9]/g, (d) => String.fromCharCode(0xff10 + Number(d)));
  const arabic = code.replace(/[0-9]/g, (d) => String.fromCharCode(0x660 + Number(d)));
  const wrong = [
    "",
    code.slice(1),
    `${code}0`,
    `0${code}`,
    ` ${code}`,
    `${code}\n`,
    fullWidth,
    arabic,
  ];
  for (const typed of wrong) {
    assertEquals(await match(typed, 1), undefined, typed);
    assertEquals(await matchesNow(typed), false, typed);
  }
});
