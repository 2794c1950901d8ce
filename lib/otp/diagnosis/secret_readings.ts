/**
 * The ways in which an app and a caller come to have different keys from one secret, each with the
 * key that the app then has.
 *
 * @module
 */

import { type SecretEncoding, secretKey } from "../secret.ts";

/** How the secret has to be taken for the pin to be a code; causes.ts has a sentence for each. */
export type SecretReading =
  | "as-configured"
  | "key-uri"
  | "other-encoding"
  | "trimmed"
  | "line-end"
  | "quotes"
  | "plus"
  | "guid"
  | "html"
  | "percent"
  | "case"
  | "hex"
  | "base64"
  | "normalization"
  | "latin-1"
  | "utf-16";

/** Bytes in a buffer that WebCrypto takes. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A key that an app may have. */
export interface KeyReading {
  /** The key, at least one byte. */
  readonly bytes: Bytes;
  /** How it comes from the secret. */
  readonly secret: SecretReading;
}

/**
 * All keys that an app may have, each once and the likeliest first, by the questions that users of
 * such services ask most.
 *
 * @param secretCode The secret as the caller sends it.
 * @param encoding How the server takes it.
 */
export function keyReadings(secretCode: string, encoding: SecretEncoding): readonly KeyReading[] {
  // Texts that were meant, of which keys are made as the server makes them, or keys.
  const ways: readonly (readonly [SecretReading, ...(string | Bytes | undefined)[]])[] = [
    ["as-configured", secretCode],
    ["key-uri", secretKey(secretInUri(secretCode), "base32")],
    ["other-encoding", secretKey(secretCode, encoding === "text" ? "base32" : "text")],
    ["trimmed", secretCode.trim()],
    // In place of those that are there as well: of CR LF in a form, SOAP makes LF (XML 1.0 §2.11).
    [
      "line-end",
      ...["\n", "\r\n", " ", "\n\n", "\r\n\r\n"].map((end) => secretCode.trimEnd() + end),
      ...["\n", "\r\n", " "].map((end) => secretCode + end),
    ],
    ["quotes", secretCode.replace(/^\s*(["'`])(.*)\1\s*$/s, "$2")],
    ["plus", secretCode.replaceAll("+", " "), secretCode.replaceAll(" ", "+")],
    ["guid", ...otherGuids(secretCode)],
    ["html", htmlUnescaped(secretCode), htmlEscaped(secretCode)],
    ["percent", percentDecoded(secretCode), encodeURIComponent(secretCode.toWellFormed())],
    ["case", secretCode.toUpperCase(), secretCode.toLowerCase()],
    ["hex", bytesOfHex(secretCode)],
    ["base64", bytesOfBase64(secretCode)],
    ["normalization", secretCode.normalize("NFC"), secretCode.normalize("NFD")],
    ["latin-1", bytesOfLatin1(secretCode), readAsLatin1(secretCode)],
    ["utf-16", bytesOfUtf16(secretCode)],
  ];
  const readings = new Map<string, KeyReading>();
  for (const [secret, ...meant] of ways) {
    for (const what of meant) {
      const bytes = typeof what === "string" ? secretKey(what, encoding) : what;
      if (bytes === undefined || bytes.length === 0) continue;
      const name = bytes.join();
      if (!readings.has(name)) readings.set(name, { bytes, secret });
    }
  }
  return [...readings.values()];
}

function secretInUri(text: string): string {
  return /^\s*otpauth:\/\/[^?]*\?(?:[^#]*&)?secret=([^&#\s]*)/i.exec(text)?.[1] ?? "";
}

const GUID =
  /^\s*\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?\s*$/i;

// As .NET and COM write them: in the formats N, D and B.
function otherGuids(text: string): readonly string[] {
  const [, ...groups] = GUID.exec(text) ?? [];
  if (groups.length === 0) return [];
  const hyphenated = groups.join("-");
  return [groups.join(""), hyphenated, `{${hyphenated}}`];
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function htmlEscaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character]!);
}

function htmlUnescaped(text: string): string {
  const characters = Object.entries(HTML_ESCAPES);
  return text.replaceAll("&apos;", "'").replace(
    /&(?:amp|lt|gt|quot|#39);/g,
    (escape) => characters.find(([, other]) => other === escape)![0],
  );
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bytesOfHex(text: string): Bytes | undefined {
  const digits = text.replace(/^0x|[\s:-]/gi, "");
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g)!, (byte) => parseInt(byte, 16));
}

// Base64 and Base64url (RFC 4648 §4 and §5), with or without padding.
function bytesOfBase64(text: string): Bytes | undefined {
  const digits = text.trim().replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(digits), (character) => character.charCodeAt(0));
}

function bytesOfLatin1(text: string): Bytes | undefined {
  return /^[\0-\xFF]*$/.test(text)
    ? Uint8Array.from(text, (character) => character.charCodeAt(0))
    : undefined;
}

// What a program makes of UTF-8 that it takes for ISO 8859-1 and encodes as UTF-8 once more.
function readAsLatin1(text: string): Bytes {
  const encoder = new TextEncoder();
  return encoder.encode(String.fromCharCode(...encoder.encode(text)));
}

// What Encoding.Unicode of .NET makes of a text.
function bytesOfUtf16(text: string): Bytes {
  return Uint8Array.from(
    { length: 2 * text.length },
    (_, i) => text.charCodeAt(i >> 1) >> (i % 2 === 0 ? 0 : 8),
  );
}
