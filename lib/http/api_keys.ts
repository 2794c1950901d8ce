/**
 * Callers' keys: whether a request shows one of those that the operator gave out, and whose it is.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { Fault } from "../operations/fault.ts";

/** The fewest and the most characters in a key. */
const KEY_LENGTH = { min: 16, max: 256 };

/** What may stand before a key as the name of its caller. */
const NAME = /^([A-Za-z][A-Za-z0-9._-]*):(.*)$/;

const MAX_NAME_LENGTH = 64;

/** The value of `WWW-Authenticate` for a request without a key: Basic first, for older callers. */
export const CHALLENGE =
  'Basic realm="Authenticator", charset="UTF-8", Bearer realm="Authenticator"';

/** A file of keys that cannot be used; the message is a clause for a person. */
export class KeyFileError extends Error {
  /** The name of the class. */
  override readonly name = "KeyFileError";
}

/** A key that was given out. */
export interface CallerKey {
  /** The name of the caller that has it; several keys may have one. Undefined where it has none. */
  readonly name: string | undefined;
  /** The key. */
  readonly key: string;
}

/**
 * Reads a file of keys: one on a line, behind the name of its caller and a colon or alone; empty
 * lines and lines that begin with `#` are passed over.
 *
 * @throws {KeyFileError} When a key is too short, too long or not printable ASCII, or has two names or
 * one that is too long, or there is none; it names the line, never what stands there.
 */
export function parseKeys(text: string): readonly CallerKey[] {
  const keys: CallerKey[] = [];
  const nameOf = new Map<string, string | undefined>();
  for (const { line, number } of linesOf(text)) {
    const [, name, key = line] = NAME.exec(line) ?? [];
    const { min, max } = KEY_LENGTH;
    if (key.length < min || key.length > max || !/^[\x21-\x7E]+$/.test(key)) {
      throw new KeyFileError(
        `line ${number} must ${name === undefined ? "be" : "have after its name"} a key of ` +
          `${min} to ${max} printable ASCII characters, no spaces`,
      );
    }
    if (name !== undefined && name.length > MAX_NAME_LENGTH) {
      throw new KeyFileError(
        `line ${number} has a name of more than ${MAX_NAME_LENGTH} characters`,
      );
    }
    // Whoever takes it from one caller would leave it with the other, and nobody could tell who sends it.
    if (nameOf.has(key) && nameOf.get(key) !== name) {
      throw new KeyFileError(
        `line ${number} has a key that is above it with another name or none`,
      );
    }
    nameOf.set(key, name);
    keys.push({ name, key });
  }
  if (keys.length === 0) throw new KeyFileError("it has no keys");
  return keys;
}

/**
 * Lines of a file of keys that are one key with a colon in it and without a name: whoever wrote them
 * may have meant what stands before the colon as a name, which it cannot be.
 *
 * @returns Their numbers, from 1.
 */
export function doubtfulLines(text: string): readonly number[] {
  return linesOf(text).flatMap(({ line, number }) =>
    line.includes(":") && !NAME.test(line) ? [number] : []
  );
}

// Those that are not passed over.
function linesOf(text: string): readonly { readonly line: string; readonly number: number }[] {
  return text.split(/\r\n?|\n/)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line !== "" && !line.startsWith("#"));
}

/** Who sends a request. */
export interface Caller {
  /** The name of its key; undefined where that has none. */
  readonly name: string | undefined;
  /** What no other caller has: the name, or the digest of a key that has none. */
  readonly id: string;
}

/** The keys in force. Others may take their place while requests are answered. */
export class KeyRing {
  #known: readonly (Caller & { readonly digest: Buffer })[] = [];

  /** Puts keys in force. */
  constructor(keys: readonly CallerKey[]) {
    this.replace(keys);
  }

  /** Puts keys in the place of those in force. */
  replace(keys: readonly CallerKey[]): void {
    this.#known = keys.flatMap(({ name, key }) => {
      // A key from before there were names may have a colon in it: the whole line is one as well.
      const shown = name === undefined ? [key] : [key, `${name}:${key}`];
      const id = name ?? digest(key).toString("base64url");
      return shown.map((text) => ({ name, id, digest: digest(text) }));
    });
  }

  /**
   * Tells who sends a request.
   *
   * A key is accepted as `X-Api-Key`, as `Authorization: Bearer`, and as the password of
   * `Authorization: Basic` with any user name, which is what SOAP stacks send most easily. Digests
   * are compared, each with every key, so that the time taken tells neither a length nor which key
   * it was.
   *
   * @returns undefined when it shows none of the keys.
   */
  callerOf(request: Request): Caller | undefined {
    const shown = digest(shownKey(request) ?? "");
    return this.#known.filter(({ digest }) => timingSafeEqual(digest, shown))[0];
  }
}

/** The ring of keys that may be bare; undefined where there are none. */
export function keyRingOf(keys: readonly string[] | KeyRing = []): KeyRing | undefined {
  if (keys instanceof KeyRing) return keys;
  if (keys.length === 0) return undefined;
  return new KeyRing(keys.map((key) => ({ name: undefined, key })));
}

// Whoever closes the dialog that a browser opens for the challenge reads this.
const KEY_WANTED =
  "An API key is required: as X-Api-Key, as a Bearer token, or in HTTP Basic with any user name and the key as password.";

/**
 * Checks that a request shows a key.
 *
 * @throws {Fault} When it does not.
 */
export function checkKey(request: Request, keys: KeyRing): Caller {
  const caller = keys.callerOf(request);
  if (caller === undefined) throw new Fault("unauthorized", KEY_WANTED);
  return caller;
}

function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function shownKey(request: Request): string | undefined {
  const own = request.headers.get("x-api-key");
  // An empty one shows none, as many stacks send it that have a place for it.
  if (own) return own;
  const [, scheme, credentials] =
    /^(Basic|Bearer) +(\S+)$/i.exec(request.headers.get("authorization")?.trim() ?? "") ?? [];
  if (scheme === undefined || credentials === undefined) return undefined;
  if (scheme.toLowerCase() === "bearer") return credentials;
  // RFC 7617 §2: the first colon ends the user name.
  const userAndPassword = Buffer.from(credentials, "base64").toString("utf8");
  const colon = userAndPassword.indexOf(":");
  return colon < 0 ? undefined : userAndPassword.slice(colon + 1);
}
