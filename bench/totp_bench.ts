// A code and a window of codes: ours, an npm library, and WebCrypto with nothing around it.

import { Secret, TOTP } from "otpauth";
import { hotp, importOtpKey, matchTimeStep } from "../lib/otp/totp.ts";
import { secretKey } from "../lib/otp/secret.ts";

const SECRET = "12345678901234567890";
const STEP = 60_000_000;
const bytes = secretKey(SECRET, "text")!;
const totp = new TOTP({ secret: Secret.fromUTF8(SECRET) });

Deno.bench("WebCrypto alone: import and one signature", { group: "code" }, async () => {
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  await crypto.subtle.sign("HMAC", key, new Uint8Array(8));
});

Deno.bench("ours: import and one code", { group: "code", baseline: true }, async () => {
  await hotp(await importOtpKey(bytes, "SHA1"), STEP, 6);
});

Deno.bench("otpauth: one code", { group: "code" }, () => {
  totp.generate({ timestamp: STEP * 30_000 });
});

async function match(code: string): Promise<number | undefined> {
  const key = await importOtpKey(bytes, "SHA1");
  return await matchTimeStep(key, { code, step: STEP, window: 1, digits: 6 });
}

const right = await hotp(await importOtpKey(bytes, "SHA1"), STEP, 6);
const wrong = right === "000000" ? "000001" : "000000";

Deno.bench("ours: right code", { group: "window of 1", baseline: true }, async () => {
  await match(right);
});

Deno.bench("ours: wrong code", { group: "window of 1" }, async () => {
  await match(wrong);
});

Deno.bench("otpauth: wrong code", { group: "window of 1" }, () => {
  totp.validate({ token: wrong, timestamp: STEP * 30_000, window: 1 });
});
