/**
 * The ways in which an app and a caller come to have different keys from one secret, each with the
 * key that the app then has.
 *
 * @module
 */

import { type SecretEncoding, secretKey } from "../otp/secret.ts";

/** How the secret has to be taken for the pin to be a code. */
export type SecretReading =
  /** As the server takes it. */
  | "as-configured"
  /** It is the whole Key URI, and the app has the key inside. */
  | "key-uri"
  /** As Base32 where the server takes text, and the other way round. */
  | "other-encoding"
  /** Without the white space around it. */
  | "trimmed"
  /** With other line ends or spaces after it. */
  | "line-end"
  /** Without the quotes around it. */
  | "quotes"
  /** With a space where a plus sign stands, or the other way round. */
  | "plus"
  /** With its percent-encoding undone, or encoded once more. */
  | "percent"
  /** In capital or in small letters. */
  | "case"
  /** As the bytes that its hexadecimal digits stand for. */
  | "hex"
  /** As the bytes that its Base64 stands for. */
  | "base64"
  /** In another Unicode normalisation form, where `é` is one character or two. */
  | "normalization"
  /** As ISO 8859-1 instead of UTF-8, or read so and encoded again. */
  | "latin-1";

/** A key that an app may have. */
export interface KeyReading {
  /** The key, at least one byte. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How it comes from the secret. */
  readonly secret: SecretReading;
  /** How surprising that is, in bits: each bit halves how often it is the reason. */
  readonly surprise: number;
}

interface Way {
  readonly secret: SecretReading;
  readonly surprise: number;
  /** Other texts that were meant; a key is made from each as the server makes it. */
  readonly texts?: (secretCode: string) => readonly string[];
  /** Other bytes that were meant. */
  readonly keys?: (
    secretCode: string,
    encoding: SecretEncoding,
  ) => readonly (Uint8Array<ArrayBuffer> | undefined)[];
}

// What decides is the order; it follows the questions that users of such services ask most.
const WAYS: readonly Way[] = [
  { secret: "as-configured", surprise: 0, texts: (secretCode) => [secretCode] },
  {
    secret: "key-uri",
    surprise: 1,
    keys: (secretCode) => [secretKey(secretInUri(secretCode), "base32")],
  },
  {
    secret: "other-encoding",
    surprise: 2,
    keys: (secretCode, encoding) => [
      secretKey(secretCode, encoding === "text" ? "base32" : "text"),
    ],
  },
  { secret: "trimmed", surprise: 3, texts: (secretCode) => [secretCode.trim()] },
  {
    secret: "line-end",
    surprise: 3,
    // In place of those that are there as well: of CR LF in a form, SOAP makes LF (XML 1.0 §2.11).
    texts: (secretCode) => [
      ...["\n", "\r\n", " ", "\n\n", "\r\n\r\n"].map((end) => secretCode.trimEnd() + end),
      ...["\n", "\r\n", " "].map((end) => secretCode + end),
    ],
  },
  {
    secret: "quotes",
    surprise: 3,
    texts: (secretCode) => [secretCode.replace(/^\s*(["'`])(.*)\1\s*$/s, "$2")],
  },
  {
    secret: "plus",
    surprise: 4,
    texts: (secretCode) => [secretCode.replaceAll("+", " "), secretCode.replaceAll(" ", "+")],
  },
  {
    secret: "percent",
    surprise: 4,
    texts: (secretCode) => [
      percentDecoded(secretCode),
      encodeURIComponent(secretCode.toWellFormed()),
    ],
  },
  {
    secret: "case",
    surprise: 5,
    texts: (secretCode) => [secretCode.toUpperCase(), secretCode.toLowerCase()],
  },
  { secret: "hex", surprise: 5, keys: (secretCode) => [bytesOfHex(secretCode)] },
  { secret: "base64", surprise: 5, keys: (secretCode) => [bytesOfBase64(secretCode)] },
  {
    secret: "normalization",
    surprise: 5,
    texts: (secretCode) => [secretCode.normalize("NFC"), secretCode.normalize("NFD")],
  },
  {
    secret: "latin-1",
    surprise: 5,
    keys: (secretCode) => [bytesOfLatin1(secretCode), readAsLatin1(secretCode)],
  },
];

/**
 * All keys that an app may have, the most plausible first and each once.
 *
 * @param secretCode The secret as the caller sends it.
 * @param encoding How the server takes it.
 */
export function keyReadings(secretCode: string, encoding: SecretEncoding): readonly KeyReading[] {
  const readings = new Map<string, KeyReading>();
  for (const { secret, surprise, texts, keys } of WAYS) {
    const found = [
      ...(texts?.(secretCode) ?? []).map((text) => secretKey(text, encoding)),
      ...(keys?.(secretCode, encoding) ?? []),
    ];
    for (const bytes of found) {
      if (bytes === undefined || bytes.length === 0) continue;
      const name = bytes.join();
      if (!readings.has(name)) readings.set(name, { bytes, secret, surprise });
    }
  }
  return [...readings.values()];
}

function secretInUri(text: string): string {
  return /^\s*otpauth:\/\/[^?]*\?(?:[^#]*&)?secret=([^&#\s]*)/i.exec(text)?.[1] ?? "";
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bytesOfHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.replace(/^0x|[\s:-]/gi, "");
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g)!, (byte) => parseInt(byte, 16));
}

// Base64 and Base64url (RFC 4648 §4 and §5), with or without padding.
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.trim().replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(digits), (character) => character.charCodeAt(0));
}

function bytesOfLatin1(text: string): Uint8Array<ArrayBuffer> | undefined {
  return /^[\0-\xFF]*$/.test(text)
    ? Uint8Array.from(text, (character) => character.charCodeAt(0))
    : undefined;
}

// What a program makes of UTF-8 that it takes for ISO 8859-1 and encodes as UTF-8 once more.
function readAsLatin1(text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  return encoder.encode(String.fromCharCode(...encoder.encode(text)));
}
