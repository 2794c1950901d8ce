/**
 * Names for secrets and for sources in a store, which tell nothing of either.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, hash } from "node:crypto";

/** The least number of bytes in a key for fingerprints, as many as the hash has. */
export const MIN_GUARD_KEY_BYTES = 32;

/** The hash of an HMAC, by the name that a Key URI gives it. */
export type HmacAlgorithm = "SHA1" | "SHA256" | "SHA512";

/** Bytes in a block of each hash, the B of RFC 2104. */
const BLOCK_BYTES: Readonly<Record<HmacAlgorithm, number>> = { SHA1: 64, SHA256: 64, SHA512: 128 };

/**
 * Makes the function that names secrets: HMAC-SHA-256 (RFC 2104) under a key of our own. Without
 * that key, a name cannot even be compared with those of secrets that somebody thinks likely.
 *
 * Secrets that give the same codes get the same name. Otherwise a caller could try more pins, and
 * use a code again, by appending zero bytes to a secret.
 *
 * Each check of a pin waits for a name. On Deno, two calls of `hash` take half the time of hashes that
 * are prepared and copied (RFC 2104 §4), and `createHmac` takes four times as long.
 *
 * @param guardKey At least 32 random bytes.
 * @param algorithm The hash that makes codes from the secrets.
 * @returns A function from the bytes of a secret to 43 characters of Base64url (RFC 4648 §5).
 * @throws {RangeError} When the key is shorter.
 */
export function fingerprintBy(
  guardKey: Uint8Array,
  algorithm: HmacAlgorithm,
): (key: Uint8Array) => string {
  if (guardKey.length < MIN_GUARD_KEY_BYTES) throw new RangeError("The key is too short");
  const block = new Uint8Array(BLOCK_BYTES.SHA256);
  block.set(canonicalKey(guardKey, "SHA256"));
  // Room for the longest canonical key, and for a digest.
  const inner = new Uint8Array(block.length + Math.max(...Object.values(BLOCK_BYTES)));
  const outer = new Uint8Array(block.length + DIGEST_BYTES);
  inner.set(block.map((byte) => byte ^ 0x36));
  outer.set(block.map((byte) => byte ^ 0x5c));
  const digest = outer.subarray(block.length);
  return (key) => {
    const message = canonicalKey(key, algorithm);
    const end = block.length + message.length;
    inner.set(message, block.length);
    setHex(digest, hash("sha256", inner.subarray(0, end), "hex"));
    // No secret stays behind.
    inner.fill(0, block.length, end);
    setHex(digest, hash("sha256", outer, "hex"));
    return base64url(digest);
  };
}

/** Bytes that SHA-256 gives. */
const DIGEST_BYTES = 32;

// Node has no methods of ES2026 for this before version 25, and Deno takes 5 µs more with its Buffer.
const isOldNode = !("setFromHex" in Uint8Array.prototype);
const setHex: (bytes: Uint8Array, hex: string) => void = isOldNode
  ? (bytes, hex) => bytes.set(Buffer.from(hex, "hex"))
  : (bytes, hex) => bytes.setFromHex(hex);
const base64url: (bytes: Uint8Array) => string = isOldNode
  ? (bytes) => Buffer.from(bytes).toString("base64url")
  : (bytes) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** Characters of the name of a secret that the log shows. */
const SHORT_NAME_LENGTH = 10;

/** The name of a secret in the log: the beginning of its fingerprint, 60 bits of it. */
export function shortName(fingerprint: string): string {
  return fingerprint.slice(0, SHORT_NAME_LENGTH);
}

/** Bytes of a name of a source: enough for no two of the few of one secret to have the same. */
const SOURCE_NAME_BYTES = 9;

/**
 * Makes the function that names those who ask about a secret: HMAC-SHA-512 under the same key.
 * The hash is another one, so that no name of a source is one of a secret.
 *
 * A source has another name for each secret: whoever reads the store does not see that somebody asked
 * about two of them.
 *
 * @param guardKey At least 32 random bytes.
 * @returns A function from the fingerprint of a secret and the text that a caller names the source by,
 * of any length, to 12 characters of Base64url (RFC 4648 §5).
 */
export function sourceNamesBy(
  guardKey: Uint8Array,
): (fingerprint: string, text: string) => string {
  return (fingerprint, text) => {
    const digest = createHmac("sha512", guardKey).update(`${fingerprint} ${text}`).digest();
    return digest.subarray(0, SOURCE_NAME_BYTES).toString("base64url");
  };
}

// The shortest of the keys that are one to HMAC (RFC 2104 §2): a key longer than the block stands
// for its hash, and every key is filled up with zero bytes.
function canonicalKey(key: Uint8Array, algorithm: HmacAlgorithm): Uint8Array {
  const short = key.length > BLOCK_BYTES[algorithm]
    ? Buffer.from(hash(algorithm.toLowerCase(), key, "hex"), "hex")
    : key;
  let { length } = short;
  while (length > 0 && short[length - 1] === 0) length--;
  return short.subarray(0, length);
}
