/**
 * Callers' keys: whether a request shows one of those that the operator gave out.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { Fault } from "../service/fault.ts";

/** The fewest and the most characters in a key. */
const KEY_LENGTH = { min: 16, max: 256 };

/** The value of `WWW-Authenticate` for a request without a key: Basic first, for older callers. */
export const CHALLENGE =
  'Basic realm="Authenticator", charset="UTF-8", Bearer realm="Authenticator"';

/** A file of keys that cannot be used; the message is a clause for a person. */
export class KeyFileError extends Error {
  /** The name of the class. */
  override readonly name = "KeyFileError";
}

/**
 * Reads a file of keys: one on a line; empty lines and lines that begin with `#` are passed over.
 *
 * @throws {KeyFileError} When a key is too short, too long or not printable ASCII, or there is none;
 * it names the line, never what stands there.
 */
export function parseKeys(text: string): readonly string[] {
  const keys: string[] = [];
  text.split(/\r\n?|\n/).forEach((line, index) => {
    if (line === "" || line.startsWith("#")) return;
    if (
      line.length < KEY_LENGTH.min || line.length > KEY_LENGTH.max || !/^[\x21-\x7E]+$/.test(line)
    ) {
      const { min, max } = KEY_LENGTH;
      throw new KeyFileError(
        `line ${index + 1} must be a key of ${min} to ${max} printable ASCII characters, no spaces`,
      );
    }
    keys.push(line);
  });
  if (keys.length === 0) throw new KeyFileError("it must hold a key");
  return keys;
}

/**
 * Makes a check of requests.
 *
 * A key is accepted as `X-Api-Key`, as `Authorization: Bearer`, and as the password of
 * `Authorization: Basic` with any user name, which is what SOAP stacks send most easily. Digests are
 * compared, each with every key, so that the time taken tells neither a length nor which key it was.
 *
 * @param keys The keys; with none, every request is let in.
 */
export function createKeyCheck(keys: readonly string[]): (request: Request) => boolean {
  if (keys.length === 0) return () => true;
  const digests = keys.map(digest);
  return (request) => {
    const shown = digest(shownKey(request) ?? "");
    return digests.map((known) => timingSafeEqual(known, shown)).includes(true);
  };
}

// Whoever closes the dialog that a browser opens for the challenge reads this.
const KEY_WANTED =
  "An API key is required: as X-Api-Key, as a Bearer token, or in HTTP Basic with any user name and the key as password.";

/**
 * Checks that a request shows a key.
 *
 * @param hasKey Whether it does.
 * @throws {Fault} When it does not.
 */
export function checkKey(request: Request, hasKey: (request: Request) => boolean): void {
  if (!hasKey(request)) throw new Fault("unauthorized", KEY_WANTED);
}

function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function shownKey(request: Request): string | undefined {
  const own = request.headers.get("x-api-key");
  if (own !== null) return own;
  const [, scheme, credentials] =
    /^(Basic|Bearer) +(\S+)$/i.exec(request.headers.get("authorization")?.trim() ?? "") ?? [];
  if (scheme === undefined || credentials === undefined) return undefined;
  if (scheme.toLowerCase() === "bearer") return credentials;
  // RFC 7617 §2: the first colon ends the user name.
  const userAndPassword = Buffer.from(credentials, "base64").toString("utf8");
  const colon = userAndPassword.indexOf(":");
  return colon < 0 ? undefined : userAndPassword.slice(colon + 1);
}
