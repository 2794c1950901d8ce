/** Pins from oathtool, for secrets of every length; the bindings agree by unit/bindings_agree_test.ts. */

import { assertEquals } from "@std/assert/equals";
import { referenceBase32 } from "../../support/reference_base32.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";
import { callWithCurl } from "./clients.ts";
import { codeOf, codeOfSetupCode, currentStep } from "./oath.ts";

const server = serverForTests(...PATIENT);

// The key of HMAC-SHA-1 is hashed first when it is longer than 64 bytes (RFC 2104 §2).
const SECRETS: readonly (readonly [description: string, secret: string])[] = [
  ["of 1 byte", "s"],
  ["of 20 bytes", "12345678901234567890"],
  ["of 63 bytes", "a".repeat(63)],
  ["of 64 bytes", "b".repeat(64)],
  ["of 65 bytes", "c".repeat(65)],
  ["of 1,024 bytes", "0123456789abcdef".repeat(64)],
  ["with blanks around it", "  s3cr3t  "],
  ["with markup in it", `<&>"'&amp;]]>`],
  ["with reserved characters of URLs", "a+b%20c=d&e;f#g/h?i"],
  ["of letters beyond ASCII", "zażółć gęślą jaźń"],
  ["of 64 bytes beyond ASCII", "ß".repeat(32)],
  ["of 66 bytes beyond ASCII", "鍵".repeat(22)],
  ["beyond the Basic Multilingual Plane", "🔑🙂𝒜"],
  ["of 1,024 bytes beyond ASCII", "🔑".repeat(256)],
  ["that looks like Base32", "JBSWY3DPEHPK3PXP"],
];

async function isRight(url: string, pin: string, secretCode: string): Promise<unknown> {
  const call = { operation: "ValidatePin", args: { pin, secretCode } } as const;
  return await callWithCurl(url, "HTTP POST", call);
}

for (const [description, secret] of SECRETS) {
  Deno.test(`oathtool's pins for a secret ${description}, and for its setup code, are right`, async () => {
    const pins = [
      await codeOf(secret, currentStep()),
      await codeOfSetupCode(referenceBase32(secret)),
    ];
    for (const pin of pins) {
      assertEquals(await isRight(server.url, pin, secret), { result: true });
    }
  });
}
