/** Base32 (RFC 4648 §6) by another way than the one under test: over the bits as text. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The Base32 of bytes, or of the UTF-8 of a text, without padding. */
export function referenceBase32(data: string | Uint8Array): string {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => ALPHABET[parseInt(group.padEnd(5, "0"), 2)])
    .join("");
}

/** The bytes, at least one, of upper-case Base32 of any length; undefined when it has none. */
export function bytesOfBase32(text: string): Uint8Array | undefined {
  const digits = [...text].map((character) => ALPHABET.indexOf(character));
  if (digits.includes(-1) || digits.length < 2) return undefined;
  const bits = digits.map((digit) => digit.toString(2).padStart(5, "0")).join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return Uint8Array.from(bytes, (byte) => parseInt(byte, 2));
}
