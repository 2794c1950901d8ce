/**
 * Names for secrets in a store, which tell nothing of the secrets.
 *
 * @module
 */

import { createHash, type Hash } from "node:crypto";

/** The least number of bytes in a key for fingerprints, as many as the hash has. */
export const MIN_GUARD_KEY_BYTES = 32;

/** Bytes in a block of SHA-256, the B of RFC 2104. */
const BLOCK_BYTES = 64;

/**
 * Makes the function that names secrets: HMAC-SHA-256 (RFC 2104) under a key of our own. Without
 * that key, a name cannot even be compared with those of secrets that somebody thinks likely.
 *
 * The key is hashed once and the state copied, as RFC 2104 §4 advises: each check of a pin waits for
 * a name, and `createHmac` would take twice the time.
 *
 * @param guardKey At least 32 random bytes.
 * @returns A function from the bytes of a secret to 43 characters of Base64url (RFC 4648 §5).
 * @throws {RangeError} When the key is shorter.
 */
export function fingerprintBy(guardKey: Uint8Array): (key: Uint8Array) => string {
  if (guardKey.length < MIN_GUARD_KEY_BYTES) throw new RangeError("The key is too short");
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(guardKey.length > BLOCK_BYTES ? sha256(guardKey).digest() : guardKey);
  const inner = sha256(block.map((byte) => byte ^ 0x36));
  const outer = sha256(block.map((byte) => byte ^ 0x5c));
  return (key) => outer.copy().update(inner.copy().update(key).digest()).digest("base64url");
}

function sha256(bytes: Uint8Array): Hash {
  return createHash("sha256").update(bytes);
}
