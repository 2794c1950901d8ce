/**
 * Kind of a text in the field of a secret: what people paste there, and what it means to this server.
 *
 * @module
 */

import { type SecretEncoding, secretKey } from "../../otp/secret.ts";

type Kind = readonly [form: RegExp, says: (secret: string, encoding: SecretEncoding) => string];

/** Kinds, the surest first. In an encoding that takes the text as it is meant, nothing is said. */
const KINDS: readonly Kind[] = [
  [
    /^\s*otpauth:/i,
    (secret, encoding) => {
      const key = /[?&]secret=([^&#\s]*)/i.exec(secret)?.[1] ?? "";
      return encoding === "base32"
        ? `This is a Key URI. The secret code is only its secret: ${key}`
        : `This is a Key URI: the whole of it would be the secret. ${meantBy(key)}`;
    },
  ],
  [
    /^[{(]?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[)}]?$/i,
    (_secret, encoding) =>
      encoding === "base32"
        ? "This is a GUID, and not Base32."
        : "This is a GUID, taken as text: hyphens, braces, and upper and lower case count. Always " +
          "send it in the same form.",
  ],
  [
    /^(?:[0-9a-f]{2}){16,}$/i,
    (_secret, encoding) =>
      encoding === "base32"
        ? "These are hexadecimal digits, and not Base32."
        : "These are hexadecimal digits, taken as text, not as the bytes that they stand for. Upper " +
          "and lower case count.",
  ],
  [
    /^(?:[A-Z2-7]{4}[ -]?){4,}[A-Z2-7]{0,4}=*$|^(?:[a-z2-7]{4} ){3,}[a-z2-7]{1,4}$/,
    (secret, encoding) => encoding === "base32" ? "" : setupKey(secret),
  ],
  [
    /^(?=.*[+/=])[\w+/-]{16,}={0,2}$/,
    (_secret, encoding) =>
      encoding === "base32"
        ? "This looks like Base64, and not Base32."
        : "This looks like Base64, taken as text, not as the bytes that it stands for.",
  ],
];

// A secret may look like one by chance, or be made of its letters on purpose.
function setupKey(secret: string): string {
  const says =
    "This looks like a setup key (Base32), and is taken as text: an app that has it as " +
    "its setup key shows other codes.";
  return textIn(secret) === "" ? says : `${says} ${meantBy(secret)}`;
}

function meantBy(key: string): string {
  const text = textIn(key);
  return text === ""
    ? "Its key is no text, which this server takes: start one with --secret-encoding base32."
    : `The secret code is the text that it was made from: ${text}`;
}

/** Text in ASCII whose Base32 a key is; empty when there is none. */
function textIn(key: string): string {
  const text = new TextDecoder().decode(secretKey(key, "base32"));
  return /^[\x20-\x7E]+$/.test(text) ? text : "";
}

/** Sentence about what a secret looks like; empty for a text like any other. */
export function kindOf(secret: string, encoding: SecretEncoding): string {
  return KINDS.find(([form]) => form.test(secret))?.[1](secret, encoding) ?? "";
}
