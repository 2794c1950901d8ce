/**
 * Finder of the time step of a pin, and its check against WebCrypto; codes of many steps.
 *
 * @module
 */

import { hash } from "node:crypto";
import { type CounterHmac, HmacSha1 } from "./hmac_sha1.ts";
import {
  codeOf,
  equalInConstantTime,
  hotp,
  importOtpKey,
  matchTimeStep,
  type OtpAlgorithm,
  type TotpCheck,
  type TotpParameters,
} from "./totp.ts";

/**
 * Finds the time step of a code among those of a window, as `matchTimeStep` does.
 *
 * @returns Distance to the current step; undefined when no step matches.
 */
export type FindTimeStep = (key: Uint8Array, check: TotpCheck) => number | undefined;

function finderOver(hmac: CounterHmac): FindTimeStep {
  return (key, check) => matchTimeStep(hmac, key, check);
}

/** Length of a block and of a digest in bytes: B and L in RFC 2104. */
const LENGTHS = { SHA256: [64, 32], SHA512: [128, 64] } as const;

/** HMAC of counters over the platform's hash, for the hashes that few services choose. */
class PlatformHmac implements CounterHmac {
  readonly #blockBytes: number;
  readonly #inner: Uint8Array;
  readonly #outer: Uint8Array;
  readonly #counter: DataView;

  constructor(private readonly algorithm: keyof typeof LENGTHS) {
    const [blockBytes, digestBytes] = LENGTHS[algorithm];
    this.#blockBytes = blockBytes;
    this.#inner = new Uint8Array(blockBytes + 8);
    this.#outer = new Uint8Array(blockBytes + digestBytes);
    this.#counter = new DataView(this.#inner.buffer, blockBytes);
  }

  setKey(key: Uint8Array): void {
    // RFC 2104 §2: a key longer than the block is hashed.
    const short = key.length > this.#blockBytes ? this.#hash(key) : key;
    for (let i = 0; i < this.#blockBytes; i++) {
      const byte = short[i] ?? 0;
      this.#inner[i] = byte ^ 0x36;
      this.#outer[i] = byte ^ 0x5c;
    }
  }

  mac(counter: number): Uint8Array {
    this.#counter.setUint32(0, counter / 2 ** 32);
    this.#counter.setUint32(4, counter);
    this.#outer.set(this.#hash(this.#inner), this.#blockBytes);
    return this.#hash(this.#outer);
  }

  clear(): void {
    this.#inner.fill(0);
    this.#outer.fill(0);
  }

  #hash(bytes: Uint8Array): Uint8Array {
    return hash(this.algorithm, bytes, "buffer");
  }
}

const HMACS: Readonly<Record<OtpAlgorithm, CounterHmac>> = {
  SHA1: new HmacSha1(),
  SHA256: new PlatformHmac("SHA256"),
  SHA512: new PlatformHmac("SHA512"),
};

/** Finders by the hash of the codes. */
export const FINDERS: Readonly<Record<OtpAlgorithm, FindTimeStep>> = {
  SHA1: finderOver(HMACS.SHA1),
  SHA256: finderOver(HMACS.SHA256),
  SHA512: finderOver(HMACS.SHA512),
};

/** Parameters of the code of a time step. */
export type CodeParameters = Pick<TotpParameters, "algorithm" | "digits">;

/** Computes the codes of some time steps in a row, from the first, without waiting. */
export function codesFrom(
  key: Uint8Array,
  first: number,
  count: number,
  { algorithm, digits }: CodeParameters,
): readonly string[] {
  const hmac = HMACS[algorithm];
  hmac.setKey(key);
  const codes = Array.from({ length: count }, (_, i) => codeOf(hmac.mac(first + i), digits));
  hmac.clear();
  return codes;
}

/**
 * Whether a code is that of a time step, by WebCrypto alone: no mistake in a finder makes a wrong
 * code right.
 *
 * @throws {Error} When WebCrypto computes no code.
 */
export async function isCodeOf(
  key: Uint8Array<ArrayBuffer>,
  step: number,
  code: string,
  { algorithm, digits }: CodeParameters,
): Promise<boolean> {
  return equalInConstantTime(code, await hotp(await importOtpKey(key, algorithm), step, digits));
}

/** A finder and WebCrypto compute different codes; the message is a clause for a person. */
export class FinderError extends Error {
  /** The name of the class. */
  override readonly name = "FinderError";

  /** Makes an error. */
  constructor(algorithm: OtpAlgorithm) {
    super(`the codes of ${algorithm} that Authenticator and WebCrypto compute here are different`);
  }
}

/** Key and time step of the self-check, any of them. */
const CHECKED_KEY = new Uint8Array(20).fill(0x5a);
const CHECKED_STEP = 60_000_000;

/**
 * Checks that a finder matches the code that WebCrypto computes, and no other.
 *
 * @throws {FinderError} When it does not.
 */
export async function checkFinder(
  find: FindTimeStep,
  { algorithm, digits }: CodeParameters,
): Promise<void> {
  const findNow = (code: string): number | undefined =>
    find(CHECKED_KEY, { code, step: CHECKED_STEP, window: 1, digits });
  let isRight = false;
  try {
    const code = await hotp(await importOtpKey(CHECKED_KEY, algorithm), CHECKED_STEP, digits);
    const other = String((Number(code) + 1) % 10 ** digits).padStart(digits, "0");
    isRight = findNow(code) === 0 && findNow(other) === undefined;
  } catch {
    // Without a code of either, they differ.
  }
  if (!isRight) throw new FinderError(algorithm);
}
