import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { assertThrows } from "@std/assert/throws";
import {
  hotp,
  importOtpKey,
  matchTimeStep,
  type OtpAlgorithm,
  timeStep,
} from "../../../lib/otp/totp.ts";
import { FINDERS } from "../../../lib/otp/finder.ts";
import { HmacSha1 } from "../../../lib/otp/hmac_sha1.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

const encoder = new TextEncoder();

/** The seed of RFC 6238 appendix B, repeated to a length: 20, 32 or 64 bytes by hash (erratum 2866). */
function seed(length: number): Uint8Array<ArrayBuffer> {
  return encoder.encode("1234567890".repeat(7).slice(0, length));
}

/** Asserts the code of a counter by both ways: WebCrypto computes it, and the finder matches it alone. */
async function assertCode(
  bytes: Uint8Array<ArrayBuffer>,
  algorithm: OtpAlgorithm,
  counter: number,
  code: string,
): Promise<void> {
  const digits = code.length;
  assertEquals(await hotp(await importOtpKey(bytes, algorithm), counter, digits), code);
  const find = (code: string): number | undefined =>
    FINDERS[algorithm](bytes, { code, step: counter, window: 0, digits });
  const other = String((Number(code) + 1) % 10 ** digits).padStart(digits, "0");
  assertEquals(
    [find(code), find(other)],
    [0, undefined],
    `${algorithm} ${bytes.length} ${counter}`,
  );
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

Deno.test("WebCrypto and the finder have the codes of RFC 4226 appendix D", async () => {
  for (const [i, code] of RFC_4226_CODES.entries()) await assertCode(seed(20), "SHA1", i, code);
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
    Deno.test(`WebCrypto and the finder have the code of RFC 6238 appendix B for ${algorithm} at ${seconds} s`, async () => {
      const counter = timeStep(seconds * 1000, 30);
      assertEquals(counter, parseInt(step, 16));
      await assertCode(seed(keyLength), algorithm, counter, row[column]);
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
    Deno.test(`WebCrypto and the finder agree with an independent HMAC for a key ${what}, ${algorithm}`, async () => {
      for (const counter of [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 7, 2 ** 53 - 1]) {
        for (const digits of [6, 7, 8]) {
          const code = referenceHotp(bytes, counter, { algorithm, digits });
          await assertCode(bytes, algorithm, counter, code);
        }
      }
    });
  }
}

Deno.test("the finder agrees with an independent HMAC for keys of 1 to 1,024 bytes, and forgets each", () => {
  for (let length = 1; length <= 1024; length += length < 300 ? 1 : 17) {
    const key = Uint8Array.from({ length }, (_, i) => i * 31 + length);
    for (const algorithm of ["SHA1", "SHA256", "SHA512"] as const) {
      const step = 2 ** 32 - 2 + length % 4;
      const code = referenceHotp(key, step, { algorithm, digits: 8 });
      const check = { code, step, window: 0, digits: 8 };
      assertEquals(FINDERS[algorithm](key, check), 0, `${algorithm} ${length}`);
    }
  }
});

Deno.test("HmacSha1 has the HMAC of RFC 4226 appendix D, the same in each call, and clears it", () => {
  const hmac = new HmacSha1();
  hmac.setKey(seed(20));
  const mac = hmac.mac(0);
  assertEquals(mac.toHex(), "cc93cf18508d94934c64b65d8ba7667fb7cde4b0");
  assertEquals([hmac.mac(9) === mac, mac.toHex()], [
    true,
    "1637409809a679dc698207310c8c7fc07290d9e5",
  ]);
  hmac.clear();
  assertEquals(new Set(mac), new Set([0]));
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

function match(code: string, window: number, step = STEP): number | undefined {
  return matchTimeStep(new HmacSha1(), seed(20), { code, step, window, digits: 6 });
}

function codeAt(step: number): string {
  return referenceHotp(seed(20), step, { algorithm: "SHA1", digits: 6 });
}

for (const window of [0, 1, 2, 10, 100]) {
  Deno.test(`matchTimeStep() accepts ${window} steps on each side of now and no more`, () => {
    for (let distance = -window; distance <= window; distance++) {
      assertEquals(match(codeAt(STEP + distance), window), distance);
    }
    assertEquals(match(codeAt(STEP - window - 1), window), undefined);
    assertEquals(match(codeAt(STEP + window + 1), window), undefined);
  });
}

Deno.test("matchTimeStep() computes every step, whether one matches or none, and none of other text", () => {
  const counters: number[] = [];
  const hmac = {
    setKey: () => {},
    mac: (counter: number) => (counters.push(counter), new Uint8Array(20)),
    clear: () => {},
  };
  const countersFor = (code: string): readonly number[] => {
    counters.length = 0;
    matchTimeStep(hmac, seed(20), { code, step: STEP, window: 2, digits: 6 });
    return counters.toSorted((a, b) => a - b);
  };
  const all = [-2, -1, 0, 1, 2].map((distance) => STEP + distance);
  // Each of these HMACs has the code 000000.
  assertEquals([countersFor("000000"), countersFor("000001")], [all, all]);
  for (
    const text of ["00000", "0000000", "00000x", "x00000", "+00000", "-00000", " 00000", "0e0000"]
  ) {
    assertEquals(countersFor(text), [], text);
  }
});

Deno.test("matchTimeStep() removes the key from its HMAC, also where it throws", () => {
  let cleared = 0;
  const hmac = {
    setKey: () => {},
    mac: () => {
      throw new Error("Thrown by a test");
    },
    clear: () => void cleared++,
  };
  const check = { code: "000000", step: STEP, window: 1, digits: 6 };
  assertThrows(() => matchTimeStep(hmac, seed(20), check), Error, "Thrown by a test");
  assertEquals(cleared, 1);
});

Deno.test("matchTimeStep() computes no step before the first", () => {
  assertEquals(match(codeAt(0), 10, 0), 0);
  assertEquals(match(codeAt(3), 10, 0), 3);
  assertEquals(match("000000", 10, 0), undefined);
});

Deno.test("matchTimeStep() goes back to step 0 at most", async () => {
  assertEquals(match(codeAt(0), 3, 3), -3);
  // A counter before the first would wrap around to the last of 64 bits.
  const key = await importOtpKey(seed(20), "SHA1");
  assertEquals(match(await hotp(key, -1, 6), 3, 2), undefined);
  assertEquals(match(codeAt(0), 3, NaN), undefined);
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
  Deno.test(`matchTimeStep() returns ${nearer} where ${further} has the same code`, () => {
    assertEquals(codeAt(step + nearer), codeAt(step + further));
    assertEquals(match(codeAt(step + nearer), 3, step), nearer);
  });
}

Deno.test("importOtpKey() returns a key that signs, and cannot be exported", async () => {
  const key = await importOtpKey(seed(20), "SHA256");
  assertEquals([key.extractable, key.usages], [false, ["sign"]]);
});

Deno.test("only exactly the digits of a code match", () => {
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
    assertEquals(match(typed, 1), undefined, typed);
  }
});
