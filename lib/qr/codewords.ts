/**
 * Codewords of a symbol, from segments: bit stream with padding, error correction, and interleaving
 * of blocks (ISO/IEC 18004:2015 clauses 7.4 to 7.6).
 *
 * @module
 */

import { blockLayout, type ErrorCorrectionLevel } from "./tables.ts";
import { countIndicatorBits, MODE_INDICATOR_BITS, MODE_ROWS, type Segment } from "./segments.ts";

const TERMINATOR_BITS = 4;

/**
 * Returns all codewords of a symbol of `version` 1 to 40 at `level` with `segments`, in order of
 * placement. The caller has checked that the segments fit.
 */
export function codewordSequence(
  segments: readonly Segment[],
  version: number,
  level: ErrorCorrectionLevel,
): Uint8Array {
  const { blocks, ecCodewords, dataCodewords } = blockLayout(version, level);
  const data = dataCodewordsOf(segments, version, dataCodewords);
  const sequence = new Uint8Array(dataCodewords + blocks * ecCodewords);
  // The shorter blocks come first; each of the others has one more data codeword (clause 7.6).
  const shortLength = Math.floor(dataCodewords / blocks);
  const shortBlocks = blocks - dataCodewords % blocks;
  let start = 0;
  for (let block = 0; block < blocks; block++) {
    const end = start + shortLength + (block < shortBlocks ? 0 : 1);
    for (let i = 0; i < shortLength; i++) sequence[i * blocks + block] = data[start + i]!;
    if (block >= shortBlocks) {
      sequence[shortLength * blocks + block - shortBlocks] = data[end - 1]!;
    }
    const ecWords = ecWordsOf(data.subarray(start, end), ecCodewords);
    for (let i = 0; i < ecCodewords; i++) {
      sequence[dataCodewords + i * blocks + block] = ecWords[i >>> 2]! >>> 24 - 8 * (i & 3);
    }
    start = end;
  }
  return sequence;
}

/**
 * Writes the bit stream of `segments`, terminated and padded to `count` codewords (clauses 7.4.9,
 * 7.4.10).
 */
function dataCodewordsOf(segments: readonly Segment[], version: number, count: number): Uint8Array {
  const stream = new BitStream(count);
  for (const { mode, values } of segments) {
    stream.append(MODE_ROWS[mode].indicator, MODE_INDICATOR_BITS);
    const countBits = countIndicatorBits(mode, version);
    if (countBits > 0) stream.append(values.length, countBits);
    APPEND_VALUES[mode](stream, values);
  }
  stream.append(0, Math.min(TERMINATOR_BITS, stream.freeBits));
  stream.append(0, stream.freeBits % 8);
  for (let pad = 0xec; stream.freeBits > 0; pad ^= 0xec ^ 0x11) stream.append(pad, 8);
  return stream.codewords;
}

const APPEND_VALUES: Readonly<
  Record<Segment["mode"], (stream: BitStream, values: Uint8Array) => void>
> = {
  numeric: appendNumeric,
  alphanumeric: appendAlphanumeric,
  byte: appendBytes,
  eci: appendBytes,
};

/** Encodes three digits in 10 bits; the remaining two in 7, or one in 4 (clause 7.4.3). */
function appendNumeric(stream: BitStream, digits: Uint8Array): void {
  let i = 0;
  for (; i + 3 <= digits.length; i += 3) {
    stream.append(digits[i]! * 100 + digits[i + 1]! * 10 + digits[i + 2]!, 10);
  }
  if (i + 2 === digits.length) stream.append(digits[i]! * 10 + digits[i + 1]!, 7);
  else if (i + 1 === digits.length) stream.append(digits[i]!, 4);
}

/** Encodes two characters in 11 bits; a remaining one in 6 (clause 7.4.4). */
function appendAlphanumeric(stream: BitStream, values: Uint8Array): void {
  let i = 0;
  for (; i + 2 <= values.length; i += 2) stream.append(values[i]! * 45 + values[i + 1]!, 11);
  if (i < values.length) stream.append(values[i]!, 6);
}

/** Encodes 8 bits each (clause 7.4.5; for an ECI assignment number below 128, clause 7.4.2). */
function appendBytes(stream: BitStream, bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) stream.append(bytes[i]!, 8);
}

/** Writer of bits, most significant first, into a fixed number of codewords. */
class BitStream {
  readonly codewords: Uint8Array;
  #length = 0;
  // The lowest `#length % 8` bits wait until their codeword is full.
  #pending = 0;

  constructor(codewordCount: number) {
    this.codewords = new Uint8Array(codewordCount);
  }

  get freeBits(): number {
    return 8 * this.codewords.length - this.#length;
  }

  /** Appends the lowest `bits` (0 to 16) of `value`; its higher bits must be zero. */
  append(value: number, bits: number): void {
    let waiting = this.#length % 8 + bits;
    let index = this.#length >>> 3;
    this.#pending = this.#pending << bits | value;
    for (; waiting >= 8; waiting -= 8) {
      this.codewords[index++] = this.#pending >>> waiting - 8;
    }
    this.#length += bits;
  }
}

// GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 (clause 7.5.2). The powers of 2 are stored twice in a
// row, so that a sum of two logarithms needs no reduction modulo 255.
const POWERS = new Uint8Array(2 * 255);
const LOGARITHMS = new Uint8Array(256);
let power = 1;
for (let exponent = 0; exponent < 255; exponent++) {
  POWERS[exponent] = POWERS[exponent + 255] = power;
  LOGARITHMS[power] = exponent;
  power = power << 1 ^ (power >>> 7) * 0x11d;
}

function multiply(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : POWERS[LOGARITHMS[a]! + LOGARITHMS[b]!]!;
}

/**
 * Computes the coefficients of the generator polynomial of `degree` (annex A), highest power first,
 * without the leading 1: (x - 2^0)(x - 2^1)…(x - 2^(degree - 1)).
 */
function generatorPolynomial(degree: number): Uint8Array {
  const coefficients = new Uint8Array(degree + 1);
  coefficients[0] = 1;
  for (let root = 0; root < degree; root++) {
    // Go up from the low end, so that the coefficients read are still those before this
    // multiplication.
    for (let i = root + 1; i > 0; i--) {
      coefficients[i]! ^= multiply(coefficients[i - 1]!, POWERS[root]!);
    }
  }
  return coefficients.subarray(1);
}

const multiplesByDegree: (Int32Array | undefined)[] = [];

/**
 * Computes the multiples by 0 to 255 of the generator polynomial of `degree` 7 to 30, each in
 * ⌈degree / 4⌉ words of four coefficients, the highest power in the highest byte; cached for each
 * of the 13 degrees.
 */
function generatorMultiples(degree: number): Int32Array {
  const known = multiplesByDegree[degree];
  if (known !== undefined) return known;
  const words = degree + 3 >>> 2;
  const multiples = new Int32Array(256 * words);
  generatorPolynomial(degree).forEach((coefficient, i) => {
    for (let factor = 0; factor < 256; factor++) {
      multiples[factor * words + (i >>> 2)]! |= multiply(coefficient, factor) << 24 - 8 * (i & 3);
    }
  });
  multiplesByDegree[degree] = multiples;
  return multiples;
}

/**
 * Computes the `count` error correction codewords of a block of data, four in a word, the first in
 * the highest byte: the remainder after division by the generator polynomial (clause 7.5.2).
 */
function ecWordsOf(block: Uint8Array, count: number): Int32Array {
  const multiples = generatorMultiples(count);
  const words = count + 3 >>> 2;
  // The last word is never written and shifts zeros in.
  const register = new Int32Array(words + 1);
  for (let at = 0; at < block.length; at++) {
    const multiple = (block[at]! ^ register[0]! >>> 24) * words;
    for (let i = 0; i < words; i++) {
      register[i] = (register[i]! << 8 | register[i + 1]! >>> 24) ^ multiples[multiple + i]!;
    }
  }
  return register;
}
