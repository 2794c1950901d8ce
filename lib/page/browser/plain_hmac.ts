/**
 * HMAC-SHA-1 for pages over plain HTTP, where browsers offer no WebCrypto: the test authenticator and
 * the reasons then work in an office network too. It has the part of WebCrypto's interface that codes
 * need.
 *
 * @module
 */

const BLOCK_BYTES = 64;

const HAS_WEB_CRYPTO = crypto.subtle !== undefined;

/** Whether this browser computes codes of a hash on this page. */
export function computes(algorithm: string): boolean {
  return HAS_WEB_CRYPTO || algorithm === "SHA1";
}

/** Sets `crypto.subtle` where the browser has none. */
export function setUpHmac(): void {
  if (HAS_WEB_CRYPTO) return;
  const importKey = (_format: string, key: Uint8Array): Promise<Uint8Array> =>
    Promise.resolve(Uint8Array.from(key));
  const sign = (_name: string, key: Uint8Array, message: DataView): Promise<ArrayBuffer> =>
    Promise.resolve(hmac(key, new Uint8Array(message.buffer)));
  Object.defineProperty(crypto, "subtle", { value: { importKey, sign } });
}

/** Computes an HMAC-SHA-1 (RFC 2104 §2, RFC 3174). */
export function hmac(key: Uint8Array, message: Uint8Array): ArrayBuffer {
  const short = key.length > BLOCK_BYTES ? new Uint8Array(sha1(key)) : key;
  const padded = (pad: number): number[] =>
    Array.from({ length: BLOCK_BYTES }, (_, i) => (short[i] ?? 0) ^ pad);
  const inner = new Uint8Array(sha1(Uint8Array.of(...padded(0x36), ...message)));
  return sha1(Uint8Array.of(...padded(0x5c), ...inner));
}

/** Computes a SHA-1 (RFC 3174 §6.1). */
function sha1(message: Uint8Array): ArrayBuffer {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, message.length * 8);
  const hash = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let start = 0; start < padded.length; start += BLOCK_BYTES) {
    const words = Array.from({ length: 16 }, (_, i) => view.getUint32(start + 4 * i));
    let [a, b, c, d, e] = hash as [number, number, number, number, number];
    for (let t = 0; t < 80; t++) {
      if (t >= 16) {
        words.push(rotated(words[t - 3]! ^ words[t - 8]! ^ words[t - 14]! ^ words[t - 16]!, 1));
      }
      const [f, k] = roundOf(t, b, c, d);
      [a, b, c, d, e] = [rotated(a, 5) + f + e + k + words[t]! | 0, a, rotated(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((word, i) => hash[i] = hash[i]! + word | 0);
  }
  const digest = new DataView(new ArrayBuffer(20));
  hash.forEach((word, i) => digest.setUint32(4 * i, word));
  return digest.buffer;
}

function roundOf(t: number, b: number, c: number, d: number): readonly [f: number, k: number] {
  if (t < 20) return [b & c | ~b & d, 0x5a827999];
  if (t < 40) return [b ^ c ^ d, 0x6ed9eba1];
  if (t < 60) return [b & c | b & d | c & d, 0x8f1bbcdc];
  return [b ^ c ^ d, 0xca62c1d6];
}

function rotated(word: number, bits: number): number {
  return word << bits | word >>> 32 - bits;
}
