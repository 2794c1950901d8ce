/**
 * The Key URI that an authenticator app reads from a QR code.
 *
 * There is no standard for it; the Key URI Format page of the google-authenticator project is what
 * apps follow.
 *
 * @module
 */

import { DEFAULT_TOTP, type TotpParameters } from "./totp.ts";

/** What a Key URI says. */
export interface KeyUri extends TotpParameters {
  /** Who issues the account: the name over the code in the app. */
  readonly issuer: string;
  /** Whose account it is. */
  readonly account: string;
  /** The key in Base32 without padding. */
  readonly secret: string;
}

/**
 * A name as a Key URI can hold it. The Key URI page forbids colons in issuer and account, encoded or
 * not: some apps refuse such a URI, others cut the name.
 */
export function nameWithoutColons(name: string): string {
  if (!name.includes(":")) return name;
  const left = name.replace(/^:+|:+$/g, "").replace(/:\s+/g, " ").replaceAll(":", "-");
  return left.trim() === "" ? "-" : left;
}

/**
 * Writes a Key URI: `otpauth://totp/ISSUER:ACCOUNT?secret=KEY&issuer=ISSUER`.
 *
 * The issuer stands in both places, since some apps read only one. Algorithm, digits and period are
 * left out when they are the default: several apps refuse or misread what they do not expect.
 *
 * @throws {URIError} When a name holds a lone surrogate.
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
 * five more as they are, an apostrophe among them, which ends an attribute in single quotes.
 *
 * @throws {URIError} When the text holds a lone surrogate.
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
