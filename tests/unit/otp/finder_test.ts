import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import {
  checkFinder,
  codesFrom,
  FinderError,
  FINDERS,
  type FindTimeStep,
} from "../../../lib/otp/finder.ts";
import { HmacSha1 } from "../../../lib/otp/hmac_sha1.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

Deno.test("checkFinder() passes the finders of all hashes and lengths of a code", async () => {
  for (const algorithm of ["SHA1", "SHA256", "SHA512"] as const) {
    for (const digits of [6, 7, 8]) await checkFinder(FINDERS[algorithm], { algorithm, digits });
  }
});

Deno.test("checkFinder() rejects a finder that differs from WebCrypto in any way", async () => {
  const broken: readonly FindTimeStep[] = [
    () => 0,
    () => undefined,
    FINDERS.SHA256,
    (key, check) => (FINDERS.SHA1(key, check) ?? 0) + 1,
    () => {
      throw new Error("Thrown by a test");
    },
  ];
  for (const find of broken) {
    await assertRejects(() => checkFinder(find, { algorithm: "SHA1", digits: 6 }), FinderError);
  }
});

Deno.test("codesFrom() computes the codes of time steps in a row, by any hash, and forgets the key", () => {
  for (const algorithm of ["SHA1", "SHA256", "SHA512"] as const) {
    for (const [key, digits] of [["a", 6], ["k".repeat(200), 8]] as const) {
      const options = { algorithm, digits };
      assertEquals(
        codesFrom(new TextEncoder().encode(key), 2 ** 32 - 1, 3, options),
        [2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1].map((step) => referenceHotp(key, step, options)),
      );
    }
  }
  const { clear } = HmacSha1.prototype;
  let cleared = 0;
  HmacSha1.prototype.clear = () => void cleared++;
  codesFrom(new Uint8Array(20), 0, 2, { algorithm: "SHA1", digits: 6 });
  HmacSha1.prototype.clear = clear;
  assertEquals(cleared, 1);
});
