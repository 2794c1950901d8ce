/**
 * Random secrets.
 *
 * @module
 */

import { settingsOf } from "./dom.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Generates a secret in the server's encoding: 160 bits of Base32, or 144 bits of text with letters
 * of both cases and a digit or sign outside Base32, so that it is not taken for Base32.
 */
export function drawSecret(form: HTMLFormElement): string {
  if (settingsOf(form).secretEncoding === "base32") return randomText(BASE32, 32);
  for (;;) {
    const secret = randomText(BASE64URL, 24);
    if (/[0189_]/.test(secret) && /[a-z]/.test(secret)) return secret;
  }
}

// Both alphabets have a power of two of characters, so all are equally likely.
function randomText(alphabet: string, length: number): string {
  return [...crypto.getRandomValues(new Uint8Array(length))]
    .map((byte) => alphabet[byte % alphabet.length]).join("");
}
