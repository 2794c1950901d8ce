/**
 * Kind of a text in the field of a secret: what people paste there, and what it means to this server.
 *
 * @module
 */

import { secretKey } from "../../otp/secret.ts";
import { DEFAULT_TOTP, type TotpParameters } from "../../otp/totp.ts";
import { isSealed } from "../../sealing/sealed.ts";
import type { ScriptSettings } from "../shared/settings.ts";

const EXPORT = "This is an export of an app, which holds several secrets. Pair each account again.";

type Sentence = string | ((secret: string, settings: ScriptSettings) => string);

type Kind = readonly [form: RegExp, forText: Sentence, forBase32: Sentence];

/** Kinds, the surest first. In an encoding that takes the text as it is meant, nothing is said. */
const KINDS: readonly Kind[] = [
  [/^\s*otpauth-migration:/i, EXPORT, EXPORT],
  [/^\s*otpauth:/i, keyUri, keyUri],
  [
    /^[{(]?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[)}]?$/i,
    "This is a GUID, taken as text: hyphens, braces, and upper and lower case count. Always send it " +
    "in the same form.",
    "This is a GUID, and not Base32.",
  ],
  [
    /^(?:[A-Z2-7]{4}[ -]?){4,}[A-Z2-7]{0,4}=*$|^(?=.*[ 2-7])(?:[a-z2-7]{4} ?){4,}[a-z2-7]{0,4}=*$/,
    setupKey,
    "",
  ],
  [
    /^(?:0x)?(?:[0-9a-f]{2}){16,}$/i,
    "These are hexadecimal digits, taken as text, not as the bytes that they stand for. Upper and " +
    "lower case count.",
    "These are hexadecimal digits, and not Base32.",
  ],
  [
    /^(?=.*[+/=])(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9=])[\w+/-]{16,}={0,2}$/,
    "This looks like Base64, taken as text, not as the bytes that it stands for.",
    "This looks like Base64, and not Base32.",
  ],
];

function keyUri(
  uri: string,
  { secretEncoding, algorithm, digits, period }: ScriptSettings,
): string {
  const parameter = (name: string): string | undefined =>
    new RegExp(`[?&]${name}=([^&#\\s]*)`, "i").exec(uri)?.[1];
  const key = parameter("secret");
  if (!key) return "This is a Key URI without a secret.";
  const settings = { algorithm, digits: String(digits), period: String(period) };
  const others = Object.entries(settings).filter(([name, ours]) => {
    const theirs = parameter(name) ?? String(DEFAULT_TOTP[name as keyof TotpParameters]);
    return theirs.toUpperCase() !== ours;
  });
  const differs = /^\s*otpauth:\/\/hotp/i.test(uri)
    ? " It is of a counter-based account, whose codes this server does not check."
    : others.length === 0
    ? ""
    : ` Its codes differ from this server's, by ${others.map(([name]) => name).join(", ")}.`;
  return secretEncoding === "base32"
    ? `This is a Key URI, and not Base32.${differs} The secret code is only its secret: ${key}`
    : `This is a Key URI: the whole of it would be the secret.${differs} ${meantBy(key)}`;
}

// A secret may look like one by chance, or be made of its letters on purpose.
function setupKey(secret: string): string {
  const says =
    "This looks like a setup key (Base32), and is taken as text: give the app the setup key that " +
    "Pair returns, and not this.";
  return textIn(secret) === ""
    ? says
    : `${says} If it is a setup key that Pair returned, send what it was made from: ${
      textIn(secret)
    }`;
}

function meantBy(key: string): string {
  const text = textIn(key);
  return text === ""
    ? "This server takes text, and its key is none: pair the app again. If all your secrets are " +
      "Base32, start the server with --secret-encoding base32."
    : `The secret code is the text that it was made from: ${text}`;
}

/** Text in ASCII whose Base32 a key is; empty when there is none. */
function textIn(key: string): string {
  const text = new TextDecoder().decode(secretKey(key, "base32"));
  return /^[\x20-\x7E]+$/.test(text) ? text : "";
}

/** Sentence about a sealed secret. */
export const SEALED: string =
  "This secret is sealed. Only a server with its key can open it, so this page computes no codes of " +
  "it, and no reasons of a wrong pin.";

/** Key bytes of a secret as far as a browser has them: of a sealed one, it has none. */
export function keyIn(
  secret: string,
  { secretEncoding }: ScriptSettings,
): Uint8Array<ArrayBuffer> | undefined {
  return isSealed(secret) ? undefined : secretKey(secret, secretEncoding);
}

/** Sentence about what a secret looks like; empty for a text like any other. */
export function kindOf(secret: string, settings: ScriptSettings): string {
  if (isSealed(secret)) return SEALED;
  const [, forText, forBase32] = KINDS.find(([form]) => form.test(secret)) ?? [/./, "", ""];
  const says = settings.secretEncoding === "base32" ? forBase32 : forText;
  return typeof says === "string" ? says : says(secret, settings);
}
