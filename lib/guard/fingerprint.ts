/**
 * Fingerprints of secrets and names of sources, which reveal neither to a reader of the store.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, hash } from "node:crypto";

/** Least length of the fingerprint key in bytes: the output length of the hash. */
export const MIN_GUARD_KEY_BYTES = 32;

/** Hash of an HMAC, by its name in a Key URI. */
export type HmacAlgorithm = "SHA1" | "SHA256" | "SHA512";

/** Block length of each hash in bytes: B in RFC 2104. */
const BLOCK_BYTES: Readonly<Record<HmacAlgorithm, number>> = { SHA1: 64, SHA256: 64, SHA512: 128 };

/**
 * Makes the fingerprint function for secrets: HMAC-SHA-256 (RFC 2104) under the guard key. The key
 * prevents guessing a secret by comparing fingerprints of likely ones.
 *
 * Secrets with the same codes get the same fingerprint. Otherwise a caller could try more pins, and
 * replay a code, by appending zero bytes to a secret.
 *
 * @param guardKey At least 32 random bytes.
 * @param algorithm The hash of the codes.
 * @returns A function from the bytes of a secret to 43 characters of Base64url (RFC 4648 §5).
 * @throws {RangeError} When the key is too short.
 */
export function fingerprintBy(
  guardKey: Uint8Array,
  algorithm: HmacAlgorithm,
): (key: Uint8Array) => string {
  if (guardKey.length < MIN_GUARD_KEY_BYTES) throw new RangeError("The key is too short");
  return (key) =>
    createHmac("sha256", guardKey).update(canonicalKey(key, algorithm)).digest("base64url");
}

/** Length of the short name of a secret. */
const SHORT_NAME_LENGTH = 10;

/** Returns the short name of a secret for the log: the first 60 bits of its fingerprint. */
export function shortName(fingerprint: string): string {
  return fingerprint.slice(0, SHORT_NAME_LENGTH);
}

/** Id of a guard key, from which the key cannot be recovered. */
export function guardKeyId(guardKey: Uint8Array): string {
  // No canonical key of a secret ends with a zero byte, so this is the fingerprint of none.
  return shortName(createHmac("sha256", guardKey).update("guard key\0").digest("base64url"));
}

/** Length of a source name: 72 bits keep the few sources of one secret apart. */
const SOURCE_NAME_LENGTH = 12;

/**
 * Makes the naming function for the sources of a secret: the beginning of the fingerprint, under the
 * guard key, of the SHA-512 of both.
 *
 * A source has a different name for each secret, so the store does not show that one source checked
 * pins for two secrets.
 *
 * @param fingerprintOf Fingerprint function of the guard.
 * @returns A function from the fingerprint of a secret and the caller's text for the source, of any
 * length, to 12 characters of Base64url (RFC 4648 §5).
 */
export function sourceNamesBy(
  fingerprintOf: (key: Uint8Array) => string,
): (fingerprint: string, text: string) => string {
  return (fingerprint, text) =>
    fingerprintOf(hash("sha512", `${fingerprint} ${text}`, "buffer")).slice(0, SOURCE_NAME_LENGTH);
}

// Returns the shortest key with the same HMAC (RFC 2104 §2): HMAC hashes a key longer than the
// block and pads every key with zero bytes.
function canonicalKey(key: Uint8Array, algorithm: HmacAlgorithm): Uint8Array {
  const short = key.length > BLOCK_BYTES[algorithm]
    ? Buffer.from(hash(algorithm, key, "hex"), "hex")
    : key;
  let { length } = short;
  while (length > 0 && short[length - 1] === 0) length--;
  // Almost no key ends with a zero byte: the others need no view.
  return length === short.length ? short : short.subarray(0, length);
}
