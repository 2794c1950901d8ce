import { createHmac } from "node:crypto";
import { assertEquals } from "@std/assert/equals";
import { hmac } from "../../../lib/page/browser/plain_hmac.ts";

Deno.test("hmac() is that of RFC 2202, and of node:crypto for keys and messages of many lengths", () => {
  const text = new TextEncoder();
  const hex = (key: Uint8Array, message: Uint8Array): string =>
    new Uint8Array(hmac(key, message)).toHex();
  // RFC 2202 §3, cases 1 and 2.
  assertEquals(
    hex(new Uint8Array(20).fill(0x0b), text.encode("Hi There")),
    "b617318655057264e28bc0b6fb378c8ef146be00",
  );
  assertEquals(
    hex(text.encode("Jefe"), text.encode("what do ya want for nothing?")),
    "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
  );
  for (let length = 1; length <= 140; length++) {
    const key = new Uint8Array(length).map((_, i) => i * 31 + length);
    for (const size of [8, length]) {
      const message = new Uint8Array(size).map((_, i) => i * 7 + size);
      const expected = createHmac("sha1", key).update(message).digest("hex");
      assertEquals(hex(key, message), expected, `${length} ${size}`);
    }
  }
});
