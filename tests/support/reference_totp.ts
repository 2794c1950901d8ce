/**
 * HOTP by another way than the one under test: node:crypto, and arithmetic on the bytes as RFC 4226
 * §5.4 writes it. Every pin in the tests comes from here.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/** What a code depends on beside key and counter. */
export interface ReferenceOptions {
  /** The hash, as node:crypto knows it but in upper case. */
  readonly algorithm: "SHA1" | "SHA256" | "SHA512";
  /** Digits in a code. */
  readonly digits: number;
}

/** The code of a counter. */
export function referenceHotp(
  key: string | Uint8Array,
  counter: number,
  { algorithm, digits }: ReferenceOptions = { algorithm: "SHA1", digits: 6 },
): string {
  const message = Buffer.alloc(8);
  message.writeUInt32BE(Math.floor(counter / 2 ** 32), 0);
  message.writeUInt32BE(counter % 2 ** 32, 4);
  const mac = createHmac(algorithm.toLowerCase(), key).update(message).digest();
  const o = mac[mac.length - 1]! % 16;
  const code = (mac[o]! % 128) * 2 ** 24 + mac[o + 1]! * 2 ** 16 + mac[o + 2]! * 2 ** 8 +
    mac[o + 3]!;
  return `00000000${code}`.slice(-digits);
}

/** The pin of a secret now, or of another time step, at the defaults of the server. */
export function pinOf(secret: string, distance = 0, nowMs = Date.now()): string {
  return referenceHotp(secret, Math.floor(nowMs / 30_000) + distance);
}

/** A pin that is wrong now and for ten minutes, also with a window of ten time steps. */
export function wrongPinOf(secret: string, nowMs = Date.now()): string {
  const right = Array.from({ length: 42 }, (_, i) => pinOf(secret, i - 11, nowMs));
  return codeOutside(right, 6);
}

/** The lowest code that is not among others. */
export function codeOutside(codes: readonly string[], digits: number): string {
  return codes.concat("").map((_, i) => String(i).padStart(digits, "0"))
    .find((code) => !codes.includes(code))!;
}
