/**
 * Shared secrets: as text, and as key bytes.
 *
 * @module
 */

/** Encoding from the text of a secret to key bytes. */
export type SecretEncoding = "text" | "base32";

/** Digits of Base32 (RFC 4648 §6). */
export const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const encoder = new TextEncoder();

/**
 * Converts a secret to key bytes.
 *
 * @param encoding `text`: its UTF-8 bytes. `base32`: RFC 4648 §6, also with lower case, blanks,
 * dashes and missing padding, since people copy secrets from screens.
 * @returns Key bytes, possibly empty; undefined when the secret should be Base32 but is not.
 */
export function secretKey(
  secret: string,
  encoding: SecretEncoding,
): Uint8Array<ArrayBuffer> | undefined {
  if (encoding === "text") return encoder.encode(secret);
  // Check before the change of case: `ß` and `ı` are no digits, but their upper cases are.
  const [, digits] = /^([A-Za-z2-7]*)=*$/.exec(secret.replace(/[ -]/g, "")) ?? [];
  // A last group of 1, 3 or 6 digits is not a whole number of bytes (RFC 4648 §6).
  if (digits === undefined || [1, 3, 6].includes(digits.length % 8)) return undefined;
  return bytesOf(digits.toUpperCase());
}

// The decoder of @std/encoding would bring tables into the service page that it does not use, and
// needs ArrayBuffer.transfer, which browsers have only since 2024.
function bytesOf(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor(digits.length * 5 / 8));
  let [value, bits, length] = [0, 0, 0];
  for (const digit of digits) {
    value = value << 5 | BASE32.indexOf(digit);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = value >> bits;
  }
  return bytes;
}
