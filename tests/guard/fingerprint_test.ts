import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { fingerprintBy, MIN_GUARD_KEY_BYTES } from "../../lib/guard/fingerprint.ts";
import { StoreUrl } from "../../lib/guard/store_url.ts";

const encoder = new TextEncoder();

// RFC 4231 §4: the test cases whose keys are long enough.
const CASE_6 = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
const CASE_7 = "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2";
const RFC_4231: readonly (readonly [number, string, string])[] = [
  [6, "Test Using Larger Than Block-Size Key - Hash Key First", CASE_6],
  [
    7,
    "This is a test using a larger than block-size key and a larger than block-size data. " +
    "The key needs to be hashed before being used by the HMAC algorithm.",
    CASE_7,
  ],
];

for (const [number, text, hmac] of RFC_4231) {
  Deno.test(`fingerprintBy() gives HMAC-SHA-256 as in RFC 4231 test case ${number}`, () => {
    const fingerprint = fingerprintBy(new Uint8Array(131).fill(0xaa));
    const name = fingerprint(encoder.encode(text));
    assertEquals(Buffer.from(name, "base64url").toString("hex"), hmac);
  });
}

Deno.test("fingerprintBy() gives the HMAC of node:crypto, whatever the lengths", () => {
  for (const keyLength of [32, 33, 63, 64, 65, 128, 1000]) {
    const guardKey = Uint8Array.from({ length: keyLength }, (_, i) => i * 7);
    const fingerprint = fingerprintBy(guardKey);
    for (const length of [1, 20, 63, 64, 65, 1024]) {
      const secret = Uint8Array.from({ length }, (_, i) => i * 5 + 1);
      const expected = createHmac("sha256", guardKey).update(secret).digest("base64url");
      assertEquals([fingerprint(secret), fingerprint(secret)], [expected, expected]);
    }
  }
});

Deno.test("fingerprintBy() gives another name under another key, and to another secret", () => {
  const [one, two] = [1, 2].map((byte) => fingerprintBy(new Uint8Array(32).fill(byte)));
  const secret = encoder.encode("correct horse");
  const names = [one!(secret), two!(secret), one!(encoder.encode("correct horse "))];
  assertEquals(new Set(names).size, 3);
  assertEquals(one!(encoder.encode("correct horse")), names[0]);
});

Deno.test("fingerprintBy() refuses a key that is too short", () => {
  const tooShort = new Uint8Array(MIN_GUARD_KEY_BYTES - 1);
  assertThrows(() => fingerprintBy(tooShort), RangeError, "The key is too short");
});

// What is typed, and what may be shown of it.
const URLS: readonly (readonly [string, string])[] = [
  ["redis://127.0.0.1", "redis://127.0.0.1"],
  ["redis://127.0.0.1:6379", "redis://127.0.0.1:6379"],
  ["redis://[::1]:6380/3", "redis://[::1]:6380/3"],
  ["rediss://store.example.com", "rediss://store.example.com"],
  ["redis://:canary@store", "redis://store"],
  ["rediss://name:c%40nary@store:1/0", "rediss://store:1/0"],
];

for (const [typed, shown] of URLS) {
  Deno.test(`StoreUrl.parse() reads ${typed}, and shows ${shown}`, () => {
    const url = StoreUrl.parse(typed);
    assert(url !== undefined);
    assertEquals(url.reveal(), typed);
    assertEquals([String(url), `${url}`, JSON.stringify({ url })], [
      shown,
      shown,
      JSON.stringify({ url: shown }),
    ]);
    assert(!/canary|c%40nary|name/.test(Deno.inspect({ url }, { showHidden: true, depth: 9 })));
  });
}

Deno.test("StoreUrl.parse() reads no other scheme, and nothing that the client would not", () => {
  const wrong = [
    "",
    "memory",
    "redis",
    "redis:",
    "redis://",
    "redis:///0",
    "http://127.0.0.1",
    "redis://h?x=1",
    "redis://h#x",
    "redis://h/name",
    "redis://h:99999",
    "redis://a%zz:b@h",
    " redis://h",
    "unix:///run/redis.sock",
  ];
  assertEquals(wrong.filter((text) => StoreUrl.parse(text) !== undefined), []);
});

Deno.test("a StoreUrl knows whether the way is encrypted, and whether there is one", () => {
  const facts = (text: string): readonly boolean[] => {
    const url = StoreUrl.parse(text)!;
    return [url.isEncrypted, url.isLocal];
  };
  assertEquals(facts("redis://127.0.0.1:1"), [false, true]);
  assertEquals(facts("redis://[::1]"), [false, true]);
  assertEquals(facts("rediss://store.example.com"), [true, false]);
  assertEquals(facts("redis://127.0.0.1.example.com"), [false, false]);
});
