import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import {
  fingerprintBy,
  type HmacAlgorithm,
  MIN_GUARD_KEY_BYTES,
  shortName,
  sourceNamesBy,
} from "../../../lib/guard/fingerprint.ts";
import { seededRandom } from "../../support/random.ts";

const encoder = new TextEncoder();

Deno.test("fingerprintBy() returns HMAC-SHA-256 as in RFC 4231 test case 6", () => {
  const fingerprint = fingerprintBy(new Uint8Array(131).fill(0xaa), "SHA1");
  const name = fingerprint(
    encoder.encode("Test Using Larger Than Block-Size Key - Hash Key First"),
  );
  assertEquals(
    Buffer.from(name, "base64url").toString("hex"),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  );
});

Deno.test("fingerprintBy() returns the HMAC of node:crypto for every length", () => {
  for (const keyLength of [32, 33, 63, 64, 65, 128, 1000]) {
    const guardKey = Uint8Array.from({ length: keyLength }, (_, i) => i * 7);
    const fingerprint = fingerprintBy(guardKey, "SHA512");
    for (const length of [1, 20, 63, 64, 65, 128]) {
      const secret = Uint8Array.from({ length }, (_, i) => i * 5 + 1);
      const expected = createHmac("sha256", guardKey).update(secret).digest("base64url");
      assertEquals([fingerprint(secret), fingerprint(secret)], [expected, expected]);
    }
  }
});

Deno.test("fingerprintBy() returns another name for another key and for another secret", () => {
  const [one, two] = [1, 2].map((byte) => fingerprintBy(new Uint8Array(32).fill(byte), "SHA1"));
  const secret = encoder.encode("correct horse");
  const names = [one!(secret), two!(secret), one!(encoder.encode("correct horse "))];
  assertEquals(new Set(names).size, 3);
  assertEquals(one!(encoder.encode("correct horse")), names[0]);
});

Deno.test("fingerprintBy() refuses a key that is too short", () => {
  const tooShort = new Uint8Array(MIN_GUARD_KEY_BYTES - 1);
  assertThrows(() => fingerprintBy(tooShort, "SHA1"), RangeError, "The key is too short");
});

// RFC 2104 §2: a key longer than the block of the hash stands for its hash, and each key is filled
// up with zero bytes to the length of the block.
const BLOCKS: readonly (readonly [HmacAlgorithm, string, number])[] = [
  ["SHA1", "sha1", 64],
  ["SHA256", "sha256", 64],
  ["SHA512", "sha512", 128],
];

for (const [algorithm, hash, blockBytes] of BLOCKS) {
  Deno.test(`fingerprintBy() returns one name for keys that are equal to HMAC-${algorithm}`, () => {
    const fingerprint = fingerprintBy(new Uint8Array(32).fill(7), algorithm);
    const hmac = (key: Uint8Array): string => createHmac(hash, key).update("8 bytes").digest("hex");
    const random = seededRandom(5);
    const seen = new Map<string, string>();
    for (let i = 0; i < 300; i++) {
      const length = [1 + random(20), blockBytes - 1 + random(3), 1 + random(1024)][i % 3]!;
      // Few values, so that keys end with zero bytes and begin alike.
      const key = Uint8Array.from({ length }, () => random(3) && random(3));
      const longer = [0, 1, 8, blockBytes - length].filter((n) => n >= 0)
        .map((zeros) => Uint8Array.from([...key, ...new Uint8Array(zeros)]));
      const hashed = new Uint8Array(createHash(hash).update(key).digest());
      for (const other of [key, ...longer, hashed]) {
        const [name, mac] = [fingerprint(other), hmac(other)];
        assertEquals(seen.get(mac) ?? name, name, `${algorithm}, ${other.length} bytes`);
        seen.set(mac, name);
      }
    }
    assertEquals(new Set(seen.values()).size, seen.size);
  });
}

Deno.test("a source name is 72 bits of the HMAC-SHA-256 of the SHA-512 of both", () => {
  const guardKey = new Uint8Array(32).fill(7);
  const both = createHash("sha512").update("name 203.0.113.7").digest();
  const digest = createHmac("sha256", guardKey).update(both).digest("base64url");
  for (const algorithm of ["SHA1", "SHA256", "SHA512"] as const) {
    const nameOf = sourceNamesBy(fingerprintBy(guardKey, algorithm));
    assertEquals(nameOf("name", "203.0.113.7"), digest.slice(0, 12));
  }
});

Deno.test("sourceNamesBy() returns another name for another secret, text or key", () => {
  const [one, two] = [1, 2].map((byte) =>
    sourceNamesBy(fingerprintBy(new Uint8Array(32).fill(byte), "SHA1"))
  );
  const long = "x".repeat(10_000);
  const names = [
    ...[one!("a", "b"), two!("a", "b"), one!("b", "b"), one!("a", "c"), one!("a", "")],
    ...[one!("a", long), one!("a", `${long}x`)],
  ];
  assertEquals(new Set(names).size, names.length);
  assertEquals(names.every((name) => /^[\w-]{12}$/.test(name)), true);
});

Deno.test("shortName() is the beginning of a fingerprint: 60 bits", () => {
  const fingerprint = fingerprintBy(new Uint8Array(32).fill(7), "SHA1")(encoder.encode("secret"));
  assertEquals([fingerprint.length, shortName(fingerprint)], [43, fingerprint.slice(0, 10)]);
});
