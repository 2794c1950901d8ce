/** The Key URI at the defaults of the server, by a construction of the tests' own. */

import { referenceBase32 } from "./reference_base32.ts";

/** The Key URI of a pairing; neither name may hold a colon. */
export function referenceKeyUri(issuer: string, account: string, secret: string): string {
  const [first, second] = [issuer, account].map(percentEncode);
  return `otpauth://totp/${first}:${second}?secret=${referenceBase32(secret)}&issuer=${first}`;
}

// All but the unreserved characters of RFC 3986 §2.3, byte by byte.
function percentEncode(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9._~-]/.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
