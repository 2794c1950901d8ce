/**
 * HMAC-SHA-1 (RFC 2104, RFC 3174) of counters. It is synchronous, which WebCrypto is not, and works
 * on pages over plain HTTP, where browsers offer no WebCrypto.
 *
 * @module
 */

/** HMAC of counters, under one key after the other. */
export interface CounterHmac {
  /** Sets the key: any bytes, of any length. */
  readonly setKey: (key: Uint8Array) => void;
  /**
   * Computes the HMAC of a counter: of its 8 bytes (RFC 4226 §5.2).
   *
   * @param counter Integer from 0 to 2^53 - 1.
   * @returns The same array in each call.
   */
  readonly mac: (counter: number) => Uint8Array;
  /** Removes the key, and all that was computed with it, from memory. */
  readonly clear: () => void;
}

/** Block length of SHA-1 in bytes: B in RFC 2104. */
const BLOCK_BYTES = 64;

/** Words of the hash's state, and of a digest. */
const STATE_WORDS = 5;

/** HMAC-SHA-1 of counters. All space is made at once: the key costs two blocks, and each counter two. */
export class HmacSha1 implements CounterHmac {
  /** States of the hash after the key's blocks. */
  readonly #inner = new Int32Array(STATE_WORDS);
  readonly #outer = new Int32Array(STATE_WORDS);
  readonly #state = new Int32Array(STATE_WORDS);
  /** Message schedule of a block (RFC 3174 §6.1, W). */
  readonly #schedule = new Int32Array(80);
  readonly #block = new Uint8Array(BLOCK_BYTES);
  readonly #mac = new Uint8Array(4 * STATE_WORDS);

  /** Sets the key. */
  setKey(key: Uint8Array): void {
    this.#block.fill(0);
    // RFC 2104 §2: a key longer than the block is hashed.
    if (key.length > BLOCK_BYTES) this.#hash(key, this.#block);
    else this.#block.set(key);
    this.#beginWith(0x36363636, this.#inner);
    this.#beginWith(0x5c5c5c5c, this.#outer);
  }

  /** Computes the HMAC of a counter. */
  mac(counter: number): Uint8Array {
    const schedule = this.#schedule;
    schedule[0] = Math.floor(counter / 2 ** 32);
    schedule[1] = counter;
    this.#finish(this.#inner, 2);
    for (let i = 0; i < STATE_WORDS; i++) schedule[i] = this.#state[i]!;
    this.#finish(this.#outer, STATE_WORDS);
    writeWords(this.#state, this.#mac);
    return this.#mac;
  }

  /** Removes the key from memory. */
  clear(): void {
    this.#inner.fill(0);
    this.#outer.fill(0);
    this.#state.fill(0);
    this.#schedule.fill(0);
    this.#block.fill(0);
    this.#mac.fill(0);
  }

  /** Processes the block of the key, xored with a pad. */
  #beginWith(pad: number, state: Int32Array): void {
    const schedule = this.#schedule;
    setInitial(state);
    readBlock(this.#block, 0, schedule);
    for (let t = 0; t < 16; t++) schedule[t] = schedule[t]! ^ pad;
    compress(state, schedule);
  }

  /** Hashes some words after the key's block: padding and length (RFC 3174 §4). */
  #finish(begun: Int32Array, words: number): void {
    const [state, schedule] = [this.#state, this.#schedule];
    schedule[words] = 0x80000000;
    for (let t = words + 1; t < 15; t++) schedule[t] = 0;
    schedule[15] = 8 * (BLOCK_BYTES + 4 * words);
    for (let i = 0; i < STATE_WORDS; i++) state[i] = begun[i]!;
    compress(state, schedule);
  }

  /** Computes the SHA-1 of a long key. */
  #hash(message: Uint8Array, digest: Uint8Array): void {
    const [state, schedule] = [this.#state, this.#schedule];
    const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
    padded.set(message);
    padded[message.length] = 0x80;
    setInitial(state);
    for (let start = 0; start < padded.length; start += BLOCK_BYTES) {
      readBlock(padded, start, schedule);
      if (start + BLOCK_BYTES === padded.length) schedule[15] = 8 * message.length;
      compress(state, schedule);
    }
    padded.fill(0);
    writeWords(state, digest);
  }
}

function setInitial(state: Int32Array): void {
  state[0] = 0x67452301;
  state[1] = 0xefcdab89;
  state[2] = 0x98badcfe;
  state[3] = 0x10325476;
  state[4] = 0xc3d2e1f0;
}

function readBlock(bytes: Uint8Array, start: number, schedule: Int32Array): void {
  for (let t = 0; t < 16; t++) {
    const i = start + 4 * t;
    schedule[t] = bytes[i]! << 24 | bytes[i + 1]! << 16 | bytes[i + 2]! << 8 | bytes[i + 3]!;
  }
}

function writeWords(words: Int32Array, bytes: Uint8Array): void {
  for (let i = 0; i < 4 * STATE_WORDS; i++) bytes[i] = words[i >> 2]! >>> 24 - 8 * (i & 3);
}

/** Processes the block in a schedule (RFC 3174 §6.1). */
function compress(state: Int32Array, w: Int32Array): void {
  for (let t = 16; t < 80; t++) {
    const word = w[t - 3]! ^ w[t - 8]! ^ w[t - 14]! ^ w[t - 16]!;
    w[t] = word << 1 | word >>> 31;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  for (let t = 0; t < 80; t++) {
    const next = ((a << 5 | a >>> 27) + e | 0) + (round(t, b, c, d) + w[t]! | 0) | 0;
    e = d;
    d = c;
    c = b << 30 | b >>> 2;
    b = a;
    a = next;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
}

/** Returns f(t; B, C, D) + K(t) (RFC 3174 §5). */
function round(t: number, b: number, c: number, d: number): number {
  if (t < 20) return (d ^ b & (c ^ d)) + 0x5a827999 | 0;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1 | 0;
  if (t < 60) return (b & c | d & (b | c)) + 0x8f1bbcdc | 0;
  return (b ^ c ^ d) + 0xca62c1d6 | 0;
}
