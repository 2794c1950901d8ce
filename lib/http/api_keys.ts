/**
 * API keys: the file of keys, the keys in force, and the check of a request's key.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import type { SealKey } from "../sealing/seal_keys.ts";
import { KeyFileError, keyLines } from "../system/key_file.ts";

/** Length limits of a key, in characters. */
const KEY_LENGTH = { min: 16, max: 256 };

/**
 * Value of `WWW-Authenticate` for a request without a key; Basic comes first, for older callers.
 */
export const CHALLENGE =
  'Basic realm="Authenticator", charset="UTF-8", Bearer realm="Authenticator"';

/** A key from the key file. */
export interface CallerKey {
  /** Name of the caller, which several keys may share; undefined for a key without a name. */
  readonly name: string | undefined;
  /** The key. */
  readonly key: string;
}

/**
 * Reads a key file: one key a line, alone or behind the caller's name and a colon. Empty lines and
 * lines that begin with `#` are skipped.
 *
 * @throws {KeyFileError} When a key is too short, too long or not printable ASCII, a key has two
 * names, a name is too long, or there are no keys. The message gives the line number, never the
 * line.
 */
export function parseKeys(text: string): readonly CallerKey[] {
  const keys: CallerKey[] = [];
  const nameOf = new Map<string, string | undefined>();
  for (const { number, name, key } of keyLines(text)) {
    const { min, max } = KEY_LENGTH;
    if (key.length < min || key.length > max || !/^[\x21-\x7E]+$/.test(key)) {
      throw new KeyFileError(
        `line ${number} must ${name === undefined ? "be" : "have after its name"} a key of ` +
          `${min} to ${max} printable ASCII characters, no spaces`,
      );
    }
    // Refuse one key under two names: it could not be revoked for one caller alone, and log lines
    // could not tell the callers apart.
    if (nameOf.has(key) && nameOf.get(key) !== name) {
      throw new KeyFileError(
        `line ${number} has a key that is above it with another name or none`,
      );
    }
    nameOf.set(key, name);
    keys.push({ name, key });
  }
  return keys;
}

/**
 * Finds a seal key that is an API key too: callers would have the key of the secrets in their
 * database.
 *
 * @returns Its name; undefined without one.
 */
export function sealKeyOfCallers(
  sealKeys: readonly SealKey[],
  callerKeys: readonly CallerKey[],
): string | undefined {
  const held = new Set(callerKeys.map(({ key }) => key.toLowerCase()));
  return sealKeys.find(({ key }) => held.has(key.toString("hex")))?.name;
}

/** Name of a key; null for a key without one. */
export type KeyName = string | null;

/** The sender of a request. */
export interface Caller {
  /** Name of the caller; undefined when its key has no name. */
  readonly name: string | undefined;
  /** Unique id of the caller: its name, or else the digest of its key. */
  readonly id: string;
}

/** The keys in force; they can be replaced while requests are answered. */
export class KeyRing {
  #known: readonly (Caller & { readonly digest: Buffer })[] = [];
  #names: readonly KeyName[] = [];

  /** Makes a ring of the first keys. */
  constructor(keys: readonly CallerKey[]) {
    this.replace(keys);
  }

  /** Names of the keys, one for each key. */
  get names(): readonly KeyName[] {
    return this.#names;
  }

  /**
   * Replaces the keys in force.
   *
   * @returns Whether they differ from the ones before.
   */
  replace(keys: readonly CallerKey[]): boolean {
    const before = this.#known;
    this.#names = keys.map(({ name = null }) => name);
    this.#known = keys.flatMap(({ name, key }) => {
      // Accept the whole line as a key too: keys from before keys had names may contain a colon.
      const shown = name === undefined ? [key] : [key, `${name}:${key}`];
      const id = name ?? digest(key).toString("base64url");
      return shown.map((text) => ({ name, id, digest: digest(text) }));
    });
    return before.length !== this.#known.length ||
      this.#known.some(({ name, digest }, i) =>
        name !== before[i]!.name || !timingSafeEqual(digest, before[i]!.digest)
      );
  }

  /**
   * Finds the caller of a request by its key.
   *
   * Keys are read from `X-Api-Key`, from `Authorization: Bearer`, and from the password of
   * `Authorization: Basic` with any user name; the last is the easiest for SOAP stacks. Every key
   * is compared, by digest in constant time, so that the duration reveals neither a key's length
   * nor which key matched.
   *
   * @returns undefined when the request shows no valid key.
   */
  callerOf(request: Request): Caller | undefined {
    const shown = digest(shownKey(request) ?? "");
    return this.#known.filter(({ digest }) => timingSafeEqual(digest, shown))[0];
  }
}

function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function shownKey(request: Request): string | undefined {
  const own = request.headers.get("x-api-key");
  // An empty field counts as absent: many stacks always send it.
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
