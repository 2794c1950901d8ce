/**
 * HOTP (RFC 4226) and TOTP (RFC 6238): codes over WebCrypto, and the search for the time step of a
 * code over a synchronous HMAC. Time is an argument everywhere.
 *
 * @module
 */

import type { CounterHmac } from "./hmac_sha1.ts";

/** Hash of the HMAC, by its name in a Key URI. */
export type OtpAlgorithm = "SHA1" | "SHA256" | "SHA512";

/** Key of an HMAC in WebCrypto, whose type not every configuration names. */
export type OtpKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Parameters that both sides must share beside the key. */
export interface TotpParameters {
  /** Hash of the HMAC (RFC 6238 §1.2); default SHA1. */
  readonly algorithm: OtpAlgorithm;
  /** Digits of a code, 6 to 8 (RFC 4226 §5.3); default 6. */
  readonly digits: number;
  /** Seconds in a time step, the X of RFC 6238 §4.1; default 30. T0 is always 0. */
  readonly period: number;
}

/** Defaults of RFC 6238 and of every authenticator app. */
export const DEFAULT_TOTP: TotpParameters = { algorithm: "SHA1", digits: 6, period: 30 };

const WEB_CRYPTO: Readonly<Record<OtpAlgorithm, HmacImportParams>> = {
  SHA1: { name: "HMAC", hash: "SHA-1" },
  SHA256: { name: "HMAC", hash: "SHA-256" },
  SHA512: { name: "HMAC", hash: "SHA-512" },
};

/**
 * Imports key bytes.
 *
 * @param key At least one byte, of any length; HMAC hashes keys longer than its block.
 * @throws {RangeError} When the key is empty: the errors of WebCrypto differ between runtimes.
 */
export async function importOtpKey(
  key: Uint8Array<ArrayBuffer>,
  algorithm: OtpAlgorithm,
): Promise<OtpKey> {
  if (key.length === 0) throw new RangeError("The key is empty");
  return await crypto.subtle.importKey("raw", key, WEB_CRYPTO[algorithm], false, ["sign"]);
}

/**
 * Computes the HMAC of a counter: of its 8 bytes (RFC 4226 §5.2).
 *
 * @param counter Integer from 0 to 2^53 - 1.
 */
export async function hotpMac(key: OtpKey, counter: number): Promise<Uint8Array<ArrayBuffer>> {
  const message = new DataView(new ArrayBuffer(8));
  // setUint32 takes the lowest 32 bits of the whole part of its argument.
  message.setUint32(0, counter / 2 ** 32);
  message.setUint32(4, counter);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
}

/**
 * Computes the code of a counter (RFC 4226 §5.3).
 *
 * @param counter Integer from 0 to 2^53 - 1.
 * @param digits From 6 to 8.
 * @returns Code with its leading zeros.
 */
export async function hotp(key: OtpKey, counter: number, digits: number): Promise<string> {
  return codeOf(await hotpMac(key, counter), digits);
}

/** Returns the code of an HMAC, with its leading zeros. */
export function codeOf(mac: Uint8Array, digits: number): string {
  return String(truncated(mac) % 10 ** digits).padStart(digits, "0");
}

/**
 * Truncates an HMAC to 31 bits (RFC 4226 §5.3, dynamic truncation): the low 4 bits of the last byte
 * give their offset.
 */
export function truncated(mac: Uint8Array): number {
  const offset = mac[mac.length - 1]! & 0xf;
  return (mac[offset]! & 0x7f) << 24 | mac[offset + 1]! << 16 | mac[offset + 2]! << 8 |
    mac[offset + 3]!;
}

/**
 * Returns the time step of a moment (RFC 6238 §4.2).
 *
 * @param timeMs Milliseconds since 1970-01-01T00:00:00Z.
 * @param period Seconds in a time step.
 */
export function timeStep(timeMs: number, period: number): number {
  return Math.floor(timeMs / 1000 / period);
}

/** Widest window of the option, in time steps: half an hour or more on each side. */
export const MAX_WINDOW = 100;

/**
 * Widest window to advise, in time steps: RFC 6238 §5.2 recommends one, and two allow for a poor
 * clock. A wider one makes pins easier to guess, and hides a wrong clock.
 */
export const MAX_ADVISABLE_WINDOW = 2;

/** Input of a check: a code and the accepted time steps. */
export interface TotpCheck {
  /** Code as typed; text other than exactly the right number of digits matches no step. */
  readonly code: string;
  /** Current time step. */
  readonly step: number;
  /** Time steps accepted on each side of the current one (RFC 6238 §5.2), 0 to 100. */
  readonly window: number;
  /** Digits of a code, 6 to 8. */
  readonly digits: number;
}

/**
 * Finds the time step of a code, without waiting.
 *
 * For text with the right number of digits, the code of every step is computed and compared in
 * constant time, so that the time taken reveals nothing about the pin, even when a guard withholds
 * the answer (RFC 4226 §7.3). For other text, no code is computed.
 *
 * @param hmac HMAC of the codes' hash; it forgets the key at the end.
 * @returns Distance to the current step, from -window to window, the nearest if there are two;
 * undefined when no step matches.
 */
export function matchTimeStep(
  hmac: CounterHmac,
  key: Uint8Array,
  { code, step, window, digits }: TotpCheck,
): number | undefined {
  if (code.length !== digits || !/^[0-9]+$/.test(code)) return undefined;
  const [number, modulus] = [Number(code), 10 ** digits];
  // All bits of `isNone` set mean no match. The nearest step comes last. Nothing branches on a code.
  let [isNone, found] = [-1, 0];
  const compare = (distance: number): void => {
    // Before the first step there is none; a clock without time has none at all.
    if (!(step + distance >= 0)) return;
    const difference = truncated(hmac.mac(step + distance)) % modulus ^ number;
    const differs = (difference | -difference) >> 31;
    isNone &= differs;
    found = found & differs | distance & ~differs;
  };
  try {
    hmac.setKey(key);
    for (let distance = window; distance > 0; distance--) {
      compare(distance);
      compare(-distance);
    }
    compare(0);
  } finally {
    hmac.clear();
  }
  return isNone === 0 ? found : undefined;
}

/** Whether two codes of the same length are equal, in time independent of their digits. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
