/**
 * Keys of sealed secrets: the file of keys, and the keys in force.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { KeyFileError, keyLines } from "../system/key_file.ts";
import {
  decrypt,
  encrypt,
  IV_BYTES,
  KEY_BYTES,
  keyIdIn,
  partsOf,
  protectedHeader,
  textOf,
} from "./jwe.ts";

/** A key of sealed secrets. */
export interface SealKey {
  /** Name, which each sealed text of the key has as its `kid`. */
  readonly name: string;
  /** The key: 32 bytes. */
  readonly key: Buffer;
}

/**
 * Reads a file of keys: `NAME:KEY` a line, KEY in hexadecimal. Empty lines and lines that begin with
 * `#` are skipped.
 *
 * @throws {KeyFileError} When a line is anything else, or a name or a key stands twice. The message
 * gives the line number, never the line.
 */
export function parseSealKeys(text: string): readonly SealKey[] {
  const keys: SealKey[] = [];
  for (const { number, name, key: digits } of keyLines(text)) {
    if (name === undefined || !/^[0-9A-Fa-f]*$/.test(digits) || digits.length !== 2 * KEY_BYTES) {
      throw new KeyFileError(
        `line ${number} must be a name, a colon, and a key of ${2 * KEY_BYTES} hexadecimal digits`,
      );
    }
    const key = Buffer.from(digits, "hex");
    if (keys.some((other) => other.name === name)) {
      throw new KeyFileError(`line ${number} has a name that is above it`);
    }
    if (keys.some((other) => timingSafeEqual(other.key, key))) {
      throw new KeyFileError(`line ${number} has a key that is above it`);
    }
    keys.push({ name, key });
  }
  return keys;
}

/** Causes why a sealed text cannot be opened. */
export const UNOPENED = [
  "no-key-of-that-name",
  "not-authentic",
  "not-of-this-format",
] as const;

/** Cause why a sealed text cannot be opened. */
export type Unopened = typeof UNOPENED[number];

/** Sealed text that cannot be opened. */
export class UnopenedError extends Error {
  /** Class name. */
  override readonly name = "UnopenedError";

  /**
   * Makes the error.
   *
   * @param keyId Name of the text's key, as its author wrote it; undefined in another format.
   */
  constructor(readonly code: Unopened, readonly keyId?: string) {
    super(code);
  }
}

/** An opened text. */
export interface Opened {
  /** The text. */
  readonly text: string;
  /** Whether the key that seals now has sealed it. */
  readonly isCurrent: boolean;
}

interface HeldKey extends SealKey {
  /** Protected header of what the key has sealed, and its bytes. */
  readonly header: string;
  readonly headerBytes: Buffer;
}

/** The keys in force; they can be replaced while requests are answered. */
export class SealKeys {
  readonly #randomBytes: (length: number) => Uint8Array;
  #keys: readonly HeldKey[] = [];

  /**
   * Makes a ring of the first keys.
   *
   * @param randomBytes Source of random bytes for cryptography.
   */
  constructor(keys: readonly SealKey[], randomBytes: (length: number) => Uint8Array) {
    this.#randomBytes = randomBytes;
    this.replace(keys);
  }

  /** Names of the keys; the first seals. */
  get names(): readonly string[] {
    return this.#keys.map(({ name }) => name);
  }

  /**
   * Replaces the keys in force.
   *
   * @param keys At least one.
   * @returns Whether they, or their order, differ from the ones before.
   */
  replace(keys: readonly SealKey[]): boolean {
    const before = this.#keys;
    this.#keys = keys.map(({ name, key }) => {
      const header = protectedHeader(name);
      return { name, key, header, headerBytes: Buffer.from(header) };
    });
    return before.length !== keys.length ||
      keys.some(({ name, key }, i) =>
        name !== before[i]!.name || !timingSafeEqual(key, before[i]!.key)
      );
  }

  /** Seals a text with the first key. */
  seal(text: string): string {
    const { header, key } = this.#keys[0]!;
    return encrypt(text, header, key, this.#randomBytes(IV_BYTES));
  }

  /**
   * Opens a sealed text.
   *
   * @throws {UnopenedError} When it cannot be opened.
   */
  open(sealed: string): Opened {
    const parts = partsOf(sealed);
    if (parts === undefined) throw new UnopenedError("not-of-this-format");
    const held = this.#keyOf(parts.header);
    const isOurs = held.header === parts.header;
    const bytes = decrypt(parts, held.key, isOurs ? held.headerBytes : Buffer.from(parts.header));
    if (bytes === undefined) throw new UnopenedError("not-authentic", held.name);
    const text = textOf(bytes);
    if (text === undefined) throw new UnopenedError("not-of-this-format", held.name);
    return { text, isCurrent: held === this.#keys[0] };
  }

  #keyOf(header: string): HeldKey {
    // A header as this server writes it needs no reading.
    const own = this.#keys.find((held) => held.header === header);
    if (own !== undefined) return own;
    const keyId = keyIdIn(header);
    if (keyId === undefined) throw new UnopenedError("not-of-this-format");
    const named = this.#keys.find(({ name }) => name === keyId);
    if (named === undefined) throw new UnopenedError("no-key-of-that-name", keyId);
    return named;
  }
}
