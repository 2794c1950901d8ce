/** Key URIs as the service makes them, for accounts of many kinds. */

import { randomText, seededRandom } from "../../support/random.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ISSUERS = [
  "Contoso",
  "Contoso Ltd",
  "Bücher & Söhne",
  "株式会社例",
  "A",
  "Intranet (test) 2.0",
];
const ACCOUNTS = [
  "anna",
  "anna.schmidt@example.com",
  "CONTOSO\\anna",
  "12345678",
  "Żółć Gęślą",
  "用户一",
];

/** Forty Key URIs, the secrets of different lengths. */
export const KEY_URIS: readonly string[] = Array.from({ length: 40 }, (_, i) => {
  const secret = randomText(seededRandom(i), BASE32, [16, 26, 32, 52][i % 4]!);
  const issuer = encodeURIComponent(ISSUERS[i % ISSUERS.length]!);
  const account = encodeURIComponent(ACCOUNTS[Math.floor(i / 7)]!);
  return `otpauth://totp/${issuer}:${account}?secret=${secret}&issuer=${issuer}`;
});
