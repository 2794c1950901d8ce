/**
 * Shared secrets: as text, and as key bytes.
 *
 * @module
 */

/** Encoding from the text of a secret to key bytes. */
export type SecretEncoding = "text" | "base32";

/** Digits of Base32 (RFC 4648 §6). */
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Least length of a key in bytes: 128 bits, with 160 recommended (RFC 4226 §4, R6). */
export const MIN_KEY_BYTES = 16;

/** Longest key that hardware tokens accept, in bytes: a block of HMAC-SHA-1. */
export const MAX_TOKEN_KEY_BYTES = 64;

const encoder = new TextEncoder();

/**
 * Converts a secret to key bytes.
 *
 * Base32 (RFC 4648 §6) is read as apps and other libraries read it, since people copy secrets from
 * screens: lower case, ASCII white space, dashes and missing padding are accepted, and bits that
 * fill no byte are dropped.
 *
 * @param encoding `text`: the key is its UTF-8 bytes. `base32`: it is what these digits stand for.
 * @returns At least one byte; undefined for a secret without a key (`noKeyClause`).
 */
export function secretKey(
  secret: string,
  encoding: SecretEncoding,
): Uint8Array<ArrayBuffer> | undefined {
  if (encoding === "text") return secret === "" ? undefined : encoder.encode(secret);
  // Check before the change of case: `ß` and `ı` are no digits, but their upper cases are.
  const [, digits] = /^([A-Za-z2-7]{2,})=*$/.exec(secret.replace(/[ \t\r\n-]/g, "")) ?? [];
  return digits === undefined ? undefined : bytesOf(digits.toUpperCase());
}

/**
 * Returns why a secret has no key, as a clause like `must not be empty`. It gives the place of a
 * character, and none of them.
 */
export function noKeyClause(secret: string): string {
  if (secret === "") return "must not be empty";
  const read = /^[A-Za-z2-7 \t\r\n-]*(?:=[= \t\r\n-]*)?/.exec(secret)![0];
  if (read.length === secret.length) {
    return "has no key: Base32 needs two letters or digits for a byte";
  }
  const place = `is not Base32: character ${read.length + 1}`;
  return read.includes("=")
    ? `${place} stands behind padding (=)`
    : `${place} is no letter A to Z and no digit 2 to 7`;
}

const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Makes a random secret.
 *
 * As Base32 it has 32 digits, which are 20 bytes. As text it has 28 letters and digits, which need no
 * escaping in a shell, a URL or XML, and at least one 9. A 9 is neither a digit of Base32 nor read as
 * a letter by an app, so an app refuses the text if it is entered instead of the setup key. The 9
 * costs 1.5 of the 166 bits.
 *
 * @param random Source of random numbers for cryptography.
 */
export function newSecret(
  encoding: SecretEncoding,
  random: Pick<typeof crypto, "getRandomValues">,
): string {
  if (encoding === "base32") return randomText(BASE32, 32, random);
  let text = "";
  while (!text.includes("9")) text = randomText(LETTERS_AND_DIGITS, 28, random);
  return text;
}

function randomText(
  alphabet: string,
  length: number,
  random: Pick<typeof crypto, "getRandomValues">,
): string {
  // Reject the bytes above the last multiple, so that every character is equally likely.
  const usable = 256 - 256 % alphabet.length;
  let text = "";
  while (text.length < length) {
    const byte = random.getRandomValues(new Uint8Array(1))[0]!;
    if (byte < usable) text += alphabet[byte % alphabet.length]!;
  }
  return text;
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
