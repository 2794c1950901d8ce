import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { setupCode } from "../../../lib/otp/key_uri.ts";
import { newSecret, secretKey } from "../../../lib/otp/secret.ts";

const encoder = new TextEncoder();

// RFC 4648 §10, without the padding.
const RFC_4648: readonly (readonly [string, string])[] = [
  ["", ""],
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
    ]
  ) {
    assertEquals(secretKey(typed, "base32"), foobar, typed);
  }
});

Deno.test("secretKey() returns nothing for a text that is not Base32", () => {
  for (const typed of ["MZXW0", "MZXW1", "M", "MZX", "MZXW6Y", "é", "MZ=XW6", "MZXW6!"]) {
    assertEquals(secretKey(typed, "base32"), undefined, typed);
  }
});

Deno.test("secretKey() folds only ASCII letters", () => {
  // The first five have upper cases in A to Z, and the lower case of the Kelvin sign is k.
  for (const letter of ["ı", "ſ", "ß", "ﬀ", "ﬆ", "\u212a", "Ａ", "２", "²"]) {
    assertEquals(secretKey(`MZXW6YT${letter}`, "base32"), undefined, letter);
    assertEquals(secretKey(`MZXW6Y${letter}`, "base32"), undefined, letter);
  }
});

Deno.test("secretKey() returns no bytes for padding and blanks alone", () => {
  assertEquals(secretKey(" -= ", "base32"), new Uint8Array());
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
