/**
 * HOTP (RFC 4226) and TOTP (RFC 6238) over WebCrypto, to stay on the web platform; a synchronous
 * HMAC would be faster but is not part of it. Time is an argument everywhere.
 *
 * @module
 */

/** Hash of the HMAC, by its name in a Key URI. */
export type OtpAlgorithm = "SHA1" | "SHA256" | "SHA512";

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
): Promise<CryptoKey> {
  if (key.length === 0) throw new RangeError("The key is empty");
  return await crypto.subtle.importKey("raw", key, WEB_CRYPTO[algorithm], false, ["sign"]);
}

/**
 * Computes the code of a counter (RFC 4226 §5.3).
 *
 * @param counter Integer from 0 to 2^53 - 1.
 * @param digits From 6 to 8.
 * @returns Code with its leading zeros.
 */
export async function hotp(key: CryptoKey, counter: number, digits: number): Promise<string> {
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, hotpMessage(counter)));
  // Dynamic truncation: the low 4 bits of the last byte give the offset of the 31 bits to take.
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf;
  const truncated = mac.getUint32(offset) & 0x7fffffff;
  return String(truncated % 10 ** digits).padStart(digits, "0");
}

/** Returns the HMAC message of a counter, 8 bytes. */
export function hotpMessage(counter: number): DataView<ArrayBuffer> {
  const message = new DataView(new ArrayBuffer(8));
  // setUint32 takes the lowest 32 bits of the whole part of its argument.
  message.setUint32(0, counter / 2 ** 32);
  message.setUint32(4, counter);
  return message;
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
  /** Distance of the nearest step to check; default 0, the current step. */
  readonly nearest?: number;
  /** Digits of a code, 6 to 8. */
  readonly digits: number;
}

/**
 * Finds the time step of a code.
 *
 * For text with the right number of digits, the code of every step is computed and compared, so
 * that the time taken reveals nothing about the pin, even when a guard withholds the answer (RFC
 * 4226 §7.3). For other text, no code is computed.
 *
 * @returns Distance to the current step, from -window to window, the nearest if there are two;
 * undefined when no step matches.
 */
export async function matchTimeStep(
  key: CryptoKey,
  { code, step, window, nearest = 0, digits }: TotpCheck,
): Promise<number | undefined> {
  if (!isCode(code, digits)) return undefined;
  const distances = nearest === 0 ? [0] : [];
  for (let distance = Math.max(nearest, 1); distance <= window; distance++) {
    distances.push(-distance, distance);
  }
  const possible = distances.filter((distance) => step + distance >= 0);
  const codes = await Promise.all(possible.map((distance) => hotp(key, step + distance, digits)));
  const matches = codes.map((candidate) => equalInConstantTime(code, candidate));
  const first = matches.indexOf(true);
  return first < 0 ? undefined : possible[first];
}

/**
 * Whether a code is that of the current time step. It costs a third of a check with both
 * neighbours.
 */
export async function matchesCurrentStep(
  key: CryptoKey,
  { code, step, digits }: Pick<TotpCheck, "code" | "step" | "digits">,
): Promise<boolean> {
  return isCode(code, digits) && equalInConstantTime(code, await hotp(key, step, digits));
}

function isCode(text: string, digits: number): boolean {
  return text.length === digits && /^[0-9]+$/.test(text);
}

/**
 * Whether two texts are equal, in time independent of their characters.
 *
 * Both lengths are public (the number of digits).
 */
function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
