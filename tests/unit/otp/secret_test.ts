import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { setupCode } from "../../../lib/otp/key_uri.ts";
import { newSecret, noKeyClause, secretKey } from "../../../lib/otp/secret.ts";
import { bytesOfBase32 } from "../../support/reference_base32.ts";

const encoder = new TextEncoder();

// RFC 4648 §10, without the padding.
const RFC_4648: readonly (readonly [string, string])[] = [
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
];

for (const [text, base32] of RFC_4648) {
  Deno.test(`setupCode() and secretKey() follow RFC 4648 §10 for ${JSON.stringify(text)}`, () => {
    assertEquals(setupCode(encoder.encode(text)), base32);
    assertEquals(secretKey(base32, "base32"), encoder.encode(text));
  });
}

// Captured from, or computed for, the service that callers come from.
const SETUP_CODES: readonly (readonly [string, string])[] = [
  ["YJO8LCQTMFU4", "LFFE6OCMINIVITKGKU2A"],
  ["12345678BXYT", "GEZDGNBVGY3TQQSYLFKA"],
  ["1234", "GEZDGNA"],
  ["JBSWY3DPEHPK3PXP", "JJBFGV2ZGNCFARKIKBFTGUCYKA"],
  [" x ", "EB4CA"],
];

for (const [secretCode, code] of SETUP_CODES) {
  Deno.test(`setupCode() of the text ${JSON.stringify(secretCode)} is ${code}`, () => {
    assertEquals(setupCode(secretKey(secretCode, "text")!), code);
  });
}

Deno.test("secretKey() accepts Base32 as people copy it", () => {
  const foobar = encoder.encode("foobar");
  for (
    const typed of [
      "MZXW6YTBOI======",
      "mzxw6ytboi",
      "MZXW 6YTB OI",
      " mzxw-6ytb-oi= ",
      "MZXW6YTBOI=",
      "\tMZXW6\r\nYTBOI\n",
    ]
  ) {
    assertEquals(secretKey(typed, "base32"), foobar, typed);
  }
});

Deno.test("secretKey() reads Base32 of each length from 2, and drops the bits that fill no byte", () => {
  const digits = "MZXW6YTBOIZDGNBVGY3TQOJQ".repeat(6);
  for (let length = 2; length <= digits.length; length++) {
    const base32 = digits.slice(0, length);
    assertEquals(secretKey(base32, "base32"), bytesOfBase32(base32), `${length}`);
    assertEquals(secretKey(base32, "base32")?.length, Math.floor(length * 5 / 8));
  }
});

// The secret, and why it has no key.
const FLAWS: readonly (readonly [string, string])[] = [
  ["", "must not be empty"],
  ...["=", "M", "m=", " ", "-", " -= ", "\t2\r\n="].map((secret) =>
    [secret, "has no key: Base32 needs two letters or digits for a byte"] as const
  ),
  ["MZXW0", "is not Base32: character 5 is no letter A to Z and no digit 2 to 7"],
  ["MZ XW-1", "is not Base32: character 7 is no letter A to Z and no digit 2 to 7"],
  ["MZXW6!", "is not Base32: character 6 is no letter A to Z and no digit 2 to 7"],
  ["é", "is not Base32: character 1 is no letter A to Z and no digit 2 to 7"],
  ["MZ\u00a0XW", "is not Base32: character 3 is no letter A to Z and no digit 2 to 7"],
  ["MZ=XW6", "is not Base32: character 4 stands behind padding (=)"],
  ["MZ= =!", "is not Base32: character 6 stands behind padding (=)"],
];

for (const [secret, flaw] of FLAWS) {
  Deno.test(`noKeyClause() of ${JSON.stringify(secret)}: ${flaw}`, () => {
    assertEquals(secretKey(secret, "base32"), undefined);
    assertEquals(noKeyClause(secret), flaw);
  });
}

Deno.test("secretKey() folds only ASCII letters", () => {
  // The first five have upper cases in A to Z, and the lower case of the Kelvin sign is k.
  for (const letter of ["ı", "ſ", "ß", "ﬀ", "ﬆ", "\u212a", "Ａ", "２", "²"]) {
    assertEquals(secretKey(`MZXW6YT${letter}`, "base32"), undefined, letter);
    assertEquals(secretKey(`MZXW6Y${letter}`, "base32"), undefined, letter);
  }
});

Deno.test("secretKey() returns nothing for an empty text", () => {
  assertEquals(secretKey("", "text"), undefined);
});

Deno.test("newSecret() makes secrets of 160 bits, each another", () => {
  const texts = Array.from({ length: 1000 }, () => newSecret("text", crypto));
  // 61 other characters in 28 places, and a 9 among them: more than 160 bits.
  assert(Math.log2(62 ** 28 - 61 ** 28) > 160);
  // 9 is no digit of Base32, so no app takes one of them for a setup code.
  assertEquals(texts.filter((text) => !/^(?=.*9)[A-Za-z0-9]{28}$/.test(text)), []);
  assertEquals(new Set(texts.join("")).size, 62);
  assertEquals(new Set(texts).size, texts.length);
  const codes = Array.from({ length: 1000 }, () => newSecret("base32", crypto));
  assertEquals(codes.filter((text) => secretKey(text, "base32")?.length !== 20), []);
  assertEquals(new Set(codes).size, codes.length);
});

Deno.test("newSecret() prefers no character", () => {
  const drawn = 20_000;
  const counts = new Map<string, number>();
  for (let i = 0; i < drawn; i++) {
    // The 9 is there more often by design; without it all others are equally likely.
    for (const character of newSecret("text", crypto).replaceAll("9", "")) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const mean = all / 61;
  // The chi-squared distribution of 60 degrees of freedom is beyond 140 once in 30 million times.
  const chiSquared = [...counts.values()].reduce((sum, n) => sum + (n - mean) ** 2 / mean, 0);
  assert(chiSquared < 140, String(chiSquared));
});
