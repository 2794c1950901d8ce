/**
 * HMACs of counters where WebCrypto may be missing: browsers offer none on pages over plain HTTP.
 *
 * @module
 */

import { HmacSha1 } from "./hmac_sha1.ts";
import { hotpMac, importOtpKey, type OtpAlgorithm } from "./totp.ts";

/** Computes the HMAC of a counter (RFC 4226 §5.2) under a key. */
export type HmacOfCounter = (counter: number) => Promise<Uint8Array>;

/** Whether codes of a hash can be computed here: SHA-1 always, others with WebCrypto. */
export function computes(algorithm: OtpAlgorithm): boolean {
  return algorithm === "SHA1" || crypto.subtle !== undefined;
}

/** Imports key bytes: at least one, for a hash that is computed here. */
export async function importHmac(
  bytes: Uint8Array<ArrayBuffer>,
  algorithm: OtpAlgorithm,
): Promise<HmacOfCounter> {
  if (algorithm === "SHA1") {
    const hmac = new HmacSha1();
    hmac.setKey(bytes);
    return (counter) => Promise.resolve(hmac.mac(counter).slice());
  }
  const key = await importOtpKey(bytes, algorithm);
  return (counter) => hotpMac(key, counter);
}
