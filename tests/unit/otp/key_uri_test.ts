import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { formatKeyUri, nameWithoutColons } from "../../../lib/otp/key_uri.ts";
import { DEFAULT_TOTP } from "../../../lib/otp/totp.ts";

function format(issuer: string, account: string): string {
  return formatKeyUri({ ...DEFAULT_TOTP, issuer, account, secret: "GEZDGNA" });
}

Deno.test("formatKeyUri() writes label, secret and issuer, and omits defaults", () => {
  assertEquals(
    format("Acme", "jane@example.com"),
    "otpauth://totp/Acme:jane%40example.com?secret=GEZDGNA&issuer=Acme",
  );
});

Deno.test("formatKeyUri() has algorithm, digits and period when they are not the default", () => {
  const uri = { issuer: "A", account: "b", secret: "GEZDGNA" };
  assertEquals(
    formatKeyUri({ ...uri, algorithm: "SHA256", digits: 8, period: 60 }),
    "otpauth://totp/A:b?secret=GEZDGNA&issuer=A&algorithm=SHA256&digits=8&period=60",
  );
  assertEquals(
    formatKeyUri({ ...uri, algorithm: "SHA1", digits: 7, period: 30 }),
    "otpauth://totp/A:b?secret=GEZDGNA&issuer=A&digits=7",
  );
});

// What stands in a name, and what must stand in both places of the URI.
const ENCODED: readonly (readonly [string, string])[] = [
  ["My App", "My%20App"],
  ["a+b", "a%2Bb"],
  ["Tom's (new) *!", "Tom%27s%20%28new%29%20%2A%21"],
  ['50% & <more> "x"', "50%25%20%26%20%3Cmore%3E%20%22x%22"],
  ["?#/\\=;,@$", "%3F%23%2F%5C%3D%3B%2C%40%24"],
  ["A-Z_a.z~09", "A-Z_a.z~09"],
  ["é个🔑", "%C3%A9%E4%B8%AA%F0%9F%94%91"],
  ["e\u0301", "e%CC%81"],
  [" x ", "%20x%20"],
  ["\u202Eabc", "%E2%80%AEabc"],
];

for (const [name, encoded] of ENCODED) {
  Deno.test(`formatKeyUri() encodes ${JSON.stringify(name)} once, as UTF-8`, () => {
    assertEquals(
      format(name, name),
      `otpauth://totp/${encoded}:${encoded}?secret=GEZDGNA&issuer=${encoded}`,
    );
  });
}

Deno.test("formatKeyUri() writes no colon but the one between issuer and account", () => {
  assertEquals(
    format("Acme: Corp", "root@[fe80::1]:8443"),
    "otpauth://totp/Acme%20Corp:root%40%5Bfe80--1%5D-8443?secret=GEZDGNA&issuer=Acme%20Corp",
  );
});

Deno.test("formatKeyUri() throws on a lone surrogate", () => {
  assertThrows(() => format("a\uD800", "b"), URIError);
});

const NAMES: readonly (readonly [string, string])[] = [
  ["Acme", "Acme"],
  ["root@10.0.0.1:8443", "root@10.0.0.1-8443"],
  ["DOMAIN:jane", "DOMAIN-jane"],
  ["[fe80::1]", "[fe80--1]"],
  ["Acme: Corp", "Acme Corp"],
  ["Acme:\t\u00A0\nCorp", "Acme Corp"],
  ["Acme :Corp", "Acme -Corp"],
  ["Acme : Corp", "Acme  Corp"],
  ["::Acme:", "Acme"],
  [": Acme", " Acme"],
  ["Acme: ", "Acme "],
  ["two  blanks: here", "two  blanks here"],
  [" ", " "],
  [":", "-"],
  [": :", "-"],
  ["::\t", "-"],
];

for (const [name, left] of NAMES) {
  Deno.test(`nameWithoutColons() makes ${JSON.stringify(left)} of ${JSON.stringify(name)}`, () => {
    assertEquals(nameWithoutColons(name), left);
  });
}
