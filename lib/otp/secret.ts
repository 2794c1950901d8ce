/**
 * A shared secret as text, as key bytes, and as an authenticator app takes it by hand.
 *
 * @module
 */

import { decodeBase32, encodeBase32 } from "@std/encoding/base32";

/** How the text of a secret becomes key bytes. */
export type SecretEncoding = "text" | "base32";

const encoder = new TextEncoder();

/**
 * The key bytes of a secret.
 *
 * @param encoding `text`: its UTF-8 bytes. `base32`: RFC 4648 §6, where lower case, blanks, dashes
 * and missing padding are accepted, since people copy secrets from screens.
 * @returns The bytes, possibly none; undefined when the secret is not Base32 and should be.
 */
export function secretKey(
  secret: string,
  encoding: SecretEncoding,
): Uint8Array<ArrayBuffer> | undefined {
  if (encoding === "text") return encoder.encode(secret);
  // Before the case is changed: `ß` and `ı` are no digits, but their upper cases are.
  const [, digits] = /^([A-Za-z2-7]*)=*$/.exec(secret.replace(/[ -]/g, "")) ?? [];
  // A last group of 1, 3 or 6 digits holds no whole number of bytes (RFC 4648 §6).
  if (digits === undefined || [1, 3, 6].includes(digits.length % 8)) return undefined;
  return decodeBase32(digits.toUpperCase().padEnd(Math.ceil(digits.length / 8) * 8, "="));
}

/**
 * The Base32 of key bytes (RFC 4648 §6), upper case, without padding or blanks: what is typed into
 * an authenticator app, and the `secret` of a Key URI.
 */
export function setupCode(key: Uint8Array): string {
  return encodeBase32(key).replace(/=+$/, "");
}
