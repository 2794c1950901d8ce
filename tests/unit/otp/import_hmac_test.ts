import { assertEquals } from "@std/assert/equals";
import { computes, importHmac } from "../../../lib/otp/import_hmac.ts";
import { codeOf } from "../../../lib/otp/totp.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

const KEY = new TextEncoder().encode("correct horse battery staple");

Deno.test("importHmac() computes the HMACs of all hashes, several at once", async () => {
  for (const algorithm of ["SHA1", "SHA256", "SHA512"] as const) {
    const macOf = await importHmac(KEY, algorithm);
    const counters = [0, 1, 2 ** 32, 2 ** 53 - 1];
    const codes = (await Promise.all(counters.map(macOf))).map((mac) => codeOf(mac, 6));
    assertEquals(
      codes,
      counters.map((counter) => referenceHotp(KEY, counter, { algorithm, digits: 6 })),
    );
  }
});

Deno.test("importHmac() needs no WebCrypto for SHA-1, as on pages over plain HTTP", async () => {
  Object.defineProperty(crypto, "subtle", { configurable: true, value: undefined });
  try {
    assertEquals((["SHA1", "SHA256", "SHA512"] as const).map(computes), [true, false, false]);
    const macOf = await importHmac(KEY, "SHA1");
    assertEquals(codeOf(await macOf(7), 6), referenceHotp(KEY, 7));
  } finally {
    Reflect.deleteProperty(crypto, "subtle");
  }
  assertEquals((["SHA1", "SHA256", "SHA512"] as const).map(computes), [true, true, true]);
});
