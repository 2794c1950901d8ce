/**
 * Readings of a secret: the ways by which an app and a caller get different keys from it.
 *
 * @module
 */

import { type SecretEncoding, secretKey } from "../secret.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Sentences about a secret, and the app's keys, or the texts that the server makes into keys. */
type Reading = readonly [
  says: string,
  meant: (sent: string) => readonly (string | Bytes | undefined)[],
];

/** All readings, the likeliest first, by the questions that users of such services ask most. */
export const READINGS = {
  "as-configured": ["", (sent) => [sent]],
  "key-uri": [
    "The secret that is sent is a whole otpauth address. Send the text that its secret was made " +
    "from, or pair the app again; if all your secrets are Base32, send only its secret, and start " +
    "the server with --secret-encoding base32.",
    (sent) => [secretKey(KEY_URI.exec(sent)?.[1] ?? "", "base32")],
  ],
  // One of the next two readings, in the server's encoding, repeats the first key.
  "base32": [
    "The app takes the secret as Base32, and the server takes it as text. If this is the setup " +
    "key, send the secret that it was made from. Otherwise pair the app with the setup key that " +
    "Pair returns, not with the secret itself; or, if all your secrets are Base32, start the " +
    "server with --secret-encoding base32.",
    (sent) => [secretKey(sent, "base32")],
  ],
  "text": [
    "The app takes the secret as text, and the server takes it as Base32. Start the server " +
    "without --secret-encoding base32, or pair the app again.",
    (sent) => [secretKey(sent, "text")],
  ],
  "trimmed": [
    "The app has the secret without the spaces, line breaks or invisible characters around it. Send " +
    "it without them.",
    (sent) => [sent.trim(), sent.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, "")],
  ],
  // Add line ends, and also replace the present ones: SOAP turns CR LF into LF (XML 1.0 §2.11).
  "line-end": [
    "The app was paired with other line breaks or spaces after the secret than are sent now. Pair " +
    "again without them, or always send the same.",
    (sent) => [
      ...["\n", "\r\n", " ", "\n\n", "\r\n\r\n"].map((end) => sent.trimEnd() + end),
      ...["\n", "\r\n", " "].map((end) => sent + end),
    ],
  ],
  "quotes": [
    "The secret has quotes around it in one place and not in the other. Send it exactly as it was " +
    "when the app was paired.",
    (sent) => [sent.replace(/^\s*(["'`])(.*)\1\s*$/s, "$2"), `"${sent}"`, `'${sent}'`],
  ],
  "backslash": [
    "A backslash was put before quotes or backslashes of the secret, now or when the app was paired. " +
    "Send it as it is.",
    (sent) => [sent.replace(/\\(.)/gs, "$1"), sent.replace(/[\\"']/g, "\\$&")],
  ],
  "plus": [
    "A plus sign became a space on the way, or a space a plus sign. Percent-encode the secret in " +
    "the query or the form: a plus sign is %2B, a space is %20.",
    (sent) => [sent.replaceAll("+", " "), sent.replaceAll(" ", "+")],
  ],
  "guid": [
    "The secret is a GUID, and the app has it with other hyphens, braces or case. Always send it in " +
    "the form that it had when the app was paired.",
    otherGuids,
  ],
  "html": [
    "The secret was escaped for HTML (&amp; for an ampersand) now or when the app was paired. Send " +
    "it as it is.",
    (sent) => [
      HTML_ESCAPES.reduceRight((text, [plain, escape]) => text.replaceAll(escape, plain), sent),
      HTML_ESCAPES.reduce((text, [plain, escape]) => text.replaceAll(plain, escape), sent),
    ],
  ],
  "percent": [
    "The secret was percent-encoded one time too many or too few, now or when the app was paired. " +
    "Encode it exactly once.",
    (sent) => [tried(() => decodeURIComponent(sent)), encodeURIComponent(sent.toWellFormed())],
  ],
  "case": [
    "The app has the secret with different upper and lower case. Send it exactly as it was when " +
    "the app was paired.",
    (sent) => [sent.toUpperCase(), sent.toLowerCase()],
  ],
  "cut": [
    "The app has only the beginning of the secret. Look for a field that was too short when the app " +
    "was paired, and pair again.",
    (sent) => [16, 20, 32, 50, 64].map((length) => sent.slice(0, length)),
  ],
  "delimiter": [
    "The app has the secret only up to its & or #, which ended it in an address. Percent-encode the " +
    "secret, and pair the app again.",
    (sent) => [sent.replace(/[&#].*/s, "")],
  ],
  "hex": [
    "The app takes the secret as hexadecimal, and the server takes it as it is written. Pair the " +
    "app with the setup key that Pair returns.",
    (sent) => [bytesOfHex(sent)],
  ],
  "base64": [
    "The app takes the secret as Base64, and the server takes it as it is written. Pair the app " +
    "with the setup key that Pair returns.",
    (sent) => [tried(() => bytesOfBase64(sent))],
  ],
  "normalization": [
    "A letter with an accent is one character in one place and two in the other (Unicode NFC and " +
    "NFD). Send the secret in the form it had when the app was paired.",
    (sent) => [sent.normalize("NFC"), sent.normalize("NFD")],
  ],
  // The second one is UTF-8 that a program took for ISO 8859-1 and encoded again.
  "latin-1": [
    "A letter outside ASCII was sent in ISO 8859-1 in one place and in UTF-8 in the other. Send " +
    "UTF-8 everywhere.",
    (sent) => [
      /^[\0-\xFF]*$/.test(sent) ? Uint8Array.from(unitsOf(sent)) : undefined,
      encoder.encode(String.fromCharCode(...encoder.encode(sent))),
    ],
  ],
  "utf-16": [
    "The app has the secret as UTF-16, as Encoding.Unicode makes it in .NET. Pair the app with the " +
    "setup key that Pair returns.",
    (sent) => [false, true].map((isLittleEndian) => utf16(sent, isLittleEndian)),
  ],
} satisfies Readonly<Record<string, Reading>>;

/** Name of a reading. */
export type SecretReading = keyof typeof READINGS;

/** A key that an app may have. */
export interface KeyReading {
  /** Key, at least one byte. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Reading of the secret. */
  readonly secret: SecretReading;
}

/**
 * Lists all keys that an app may have, each once, the likeliest first.
 *
 * @param sent Secret as sent by the caller.
 * @param encoding Encoding that the server uses.
 */
export function keyReadings(sent: string, encoding: SecretEncoding): readonly KeyReading[] {
  const readings = new Map<string, KeyReading>();
  for (const [secret, [, meant]] of Object.entries(READINGS)) {
    for (const what of meant(sent)) {
      const bytes = typeof what === "string" ? secretKey(what, encoding) : what;
      if (!bytes?.length || readings.has(bytes.join())) continue;
      readings.set(bytes.join(), { bytes, secret: secret as SecretReading });
    }
  }
  return [...readings.values()];
}

const encoder = new TextEncoder();

const KEY_URI = /^\s*otpauth:\/\/[^?]*\?(?:[^#]*&)?secret=([^&#\s]*)/i;

const HTML_ESCAPES: readonly (readonly [plain: string, escape: string])[] = [
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["'", "&apos;"],
];

// Formats N, D, B and P of .NET and COM, in both cases.
function otherGuids(sent: string): readonly string[] {
  const digits = sent.replace(/[\s{}()-]/g, "");
  if (!/^[0-9a-f]{32}$/i.test(digits)) return [];
  return [digits, digits.toLowerCase(), digits.toUpperCase()].flatMap((each) => {
    const hyphenated = each.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    return [each, hyphenated, `{${hyphenated}}`, `(${hyphenated})`];
  });
}

function bytesOfHex(sent: string): Bytes | undefined {
  const digits = sent.replace(/^0x|[\s:-]/gi, "");
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g)!, (byte) => parseInt(byte, 16));
}

// Decodes Base64 and Base64url (RFC 4648 §4 and §5), with or without padding.
function bytesOfBase64(sent: string): Bytes {
  const digits = sent.trim().replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  return Uint8Array.from(unitsOf(atob(digits)));
}

function utf16(text: string, isLittleEndian: boolean): Bytes {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  unitsOf(text).forEach((unit, i) => view.setUint16(2 * i, unit, isLittleEndian));
  return new Uint8Array(view.buffer);
}

function unitsOf(text: string): readonly number[] {
  return text.split("").map((unit) => unit.charCodeAt(0));
}

function tried<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
