/**
 * HOTP (RFC 4226) and TOTP (RFC 6238) over WebCrypto, which is what this project is to stand on: a
 * synchronous HMAC would be faster, but is no part of the web platform. Time is an argument
 * everywhere.
 *
 * @module
 */

/** The hash of the HMAC, by the name that a Key URI gives it. */
export type OtpAlgorithm = "SHA1" | "SHA256" | "SHA512";

/** What the two sides must agree on beside the key. */
export interface TotpParameters {
  /** The hash of the HMAC (RFC 6238 §1.2); default SHA1. */
  readonly algorithm: OtpAlgorithm;
  /** Digits in a code, 6 to 8 (RFC 4226 §5.3); default 6. */
  readonly digits: number;
  /** Seconds in a time step, the X of RFC 6238 §4.1; default 30. T0 is always 0. */
  readonly period: number;
}

/** What RFC 6238 and every authenticator app take when nothing is said. */
export const DEFAULT_TOTP: TotpParameters = { algorithm: "SHA1", digits: 6, period: 30 };

const WEB_CRYPTO: Readonly<Record<OtpAlgorithm, HmacImportParams>> = {
  SHA1: { name: "HMAC", hash: "SHA-1" },
  SHA256: { name: "HMAC", hash: "SHA-256" },
  SHA512: { name: "HMAC", hash: "SHA-512" },
};

/**
 * Makes key bytes ready for use.
 *
 * @param key At least one byte. Any length is allowed; HMAC hashes keys longer than its block.
 * @throws {RangeError} When the key is empty: WebCrypto would refuse it with an error of its own,
 * which differs between runtimes.
 */
export async function importOtpKey(
  key: Uint8Array<ArrayBuffer>,
  algorithm: OtpAlgorithm,
): Promise<CryptoKey> {
  if (key.length === 0) throw new RangeError("The key is empty");
  return await crypto.subtle.importKey("raw", key, WEB_CRYPTO[algorithm], false, ["sign"]);
}

/**
 * The code of a counter (RFC 4226 §5.3).
 *
 * @param counter A whole number from 0 to 2^53 - 1.
 * @param digits From 6 to 8.
 * @returns The code with its leading zeros.
 */
export async function hotp(key: CryptoKey, counter: number, digits: number): Promise<string> {
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, messageOf(counter)));
  // Dynamic truncation: the low 4 bits of the last byte say where 31 bits are taken from.
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf;
  const truncated = mac.getUint32(offset) & 0x7fffffff;
  return String(truncated % 10 ** digits).padStart(digits, "0");
}

/** How many messages are kept: those of the widest window, with room to spare. */
const KEPT_MESSAGES = 256;

// Checks at one time are of the same few counters, and to make a message takes V8 longer than all else
// here but the signature. They tell nothing: a counter is a time, and no secret is in it.
const kept: { readonly counter: number; readonly message: DataView<ArrayBuffer> }[] = [];

/** The 8 bytes that the HMAC is of; nothing writes to them any more. */
function messageOf(counter: number): DataView<ArrayBuffer> {
  const known = kept[counter % KEPT_MESSAGES];
  if (known?.counter === counter) return known.message;
  const message = new DataView(new ArrayBuffer(8));
  // Each takes the lowest 32 bits of the whole part of what it is given.
  message.setUint32(0, counter / 2 ** 32);
  message.setUint32(4, counter);
  kept[counter % KEPT_MESSAGES] = { counter, message };
  return message;
}

/**
 * The time step a moment lies in (RFC 6238 §4.2).
 *
 * @param timeMs Milliseconds since 1970-01-01T00:00:00Z.
 * @param period Seconds in a time step.
 */
export function timeStep(timeMs: number, period: number): number {
  return Math.floor(timeMs / 1000 / period);
}

/** The widest window that an option sets, in time steps: half an hour and more on each side. */
export const MAX_WINDOW = 100;

/** A question: is this a code of one of these time steps? */
export interface TotpCheck {
  /** What was typed; anything but exactly the digits of a code matches nothing. */
  readonly code: string;
  /** The current time step. */
  readonly step: number;
  /** Time steps accepted on each side of the current one (RFC 6238 §5.2), 0 to 100. */
  readonly window: number;
  /** Of these, the nearest that is looked at; 0, the current one, unless given. */
  readonly nearest?: number;
  /** Digits in a code, 6 to 8. */
  readonly digits: number;
}

/**
 * Finds the time step whose code was given.
 *
 * For text of as many digits as a code has, every step that is looked at is computed and compared,
 * whichever matches: so the time taken tells nothing about the pin, not even where a guard keeps the
 * answer back (RFC 4226 §7.3). Nothing is computed for other text.
 *
 * @returns The distance to the current step, from -window to window, the nearest if there are two;
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
 * Whether a code is that of the current time step, which is a third of the work of looking at its
 * neighbours too.
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
 * Whether two texts are equal, compared to the last character whatever the first one is.
 *
 * Both lengths are public (the number of digits).
 */
function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
