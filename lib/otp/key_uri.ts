/**
 * The Key URI, which an authenticator app reads from a QR code, and the setup code to type instead.
 *
 * There is no standard for it; apps follow the Key URI Format page of the google-authenticator
 * project.
 *
 * @module
 */

import { encodeBase32 } from "@std/encoding/base32";
import { DEFAULT_TOTP, type TotpParameters } from "./totp.ts";

/** Contents of a Key URI. */
export interface KeyUri extends TotpParameters {
  /** Issuer of the account, the name over the code in the app. */
  readonly issuer: string;
  /** Account name. */
  readonly account: string;
  /** Key in Base32 without padding. */
  readonly secret: string;
}

/**
 * Makes a name fit for a Key URI. The Key URI page forbids colons in issuer and account, even
 * encoded: some apps refuse such a URI, others cut the name.
 */
export function nameWithoutColons(name: string): string {
  if (!name.includes(":")) return name;
  const left = name.replace(/^:+|:+$/g, "").replace(/:\s+/g, " ").replaceAll(":", "-");
  return left.trim() === "" ? "-" : left;
}

/**
 * Writes a Key URI: `otpauth://totp/ISSUER:ACCOUNT?secret=KEY&issuer=ISSUER`.
 *
 * The issuer is in both places, since some apps read only one. Default algorithm, digits and period
 * are left out: several apps refuse or misread parameters that they do not expect.
 *
 * @throws {URIError} When a name has a lone surrogate.
 */
export function formatKeyUri(uri: KeyUri): string {
  const issuer = percentEncode(nameWithoutColons(uri.issuer));
  const optional = (["algorithm", "digits", "period"] as const)
    .filter((name) => uri[name] !== DEFAULT_TOTP[name])
    .map((name) => `&${name}=${uri[name]}`);
  const account = percentEncode(nameWithoutColons(uri.account));
  return `otpauth://totp/${issuer}:${account}` +
    `?secret=${uri.secret}&issuer=${issuer}${optional.join("")}`;
}

/**
 * Percent-encodes all but the unreserved characters of RFC 3986 §2.3. `encodeURIComponent` leaves
 * five more, among them the apostrophe, which ends an attribute in single quotes.
 *
 * @throws {URIError} When the text has a lone surrogate.
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Makes the setup code of key bytes: Base32 (RFC 4648 §6) in upper case, without padding or blanks.
 * Users type it into an authenticator app, and it is the `secret` of a Key URI.
 */
export function setupCode(key: Uint8Array): string {
  return encodeBase32(key).replace(/=+$/, "");
}
