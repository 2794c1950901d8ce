/**
 * Keys of sealed secrets: the file of keys, and the keys in force.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { utf8Text } from "../system/foreign_text.ts";
import { isOneCharacter, KeyFileError, keyLines } from "../system/key_file.ts";
import { decrypt, encrypt, IV_BYTES, KEY_BYTES, keyIdIn, partsOf, protectedHeader } from "./jwe.ts";
import { isSealed, withoutBlanks } from "./sealed.ts";

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
 * @throws {KeyFileError} When a line is anything else, a name or a key stands twice, or a key is one
 * digit repeated, which a page showed or a person typed. The message gives the line number, never the
 * line.
 */
export function parseSealKeys(text: string): readonly SealKey[] {
  const keys: SealKey[] = [];
  for (const { number, name, key: digits } of keyLines(text)) {
    if (name === undefined || !/^[0-9A-Fa-f]*$/.test(digits) || digits.length !== 2 * KEY_BYTES) {
      throw new KeyFileError(
        `line ${number} must be a name, a colon, and a key of ${2 * KEY_BYTES} hexadecimal digits`,
      );
    }
    if (isOneCharacter(digits.toLowerCase())) {
      throw new KeyFileError(`line ${number} has one digit repeated: a key must be random`);
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
  "no-keys",
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
   * @param keyId Name of the text's key; undefined where the text does not say it.
   */
  constructor(readonly code: Unopened, readonly keyId?: string) {
    super(code);
  }
}

/** Forms of a secret: plain, sealed with the first key, or with another. */
export const SECRET_FORMS = ["plain", "sealed", "older-key"] as const;

/** Form of a secret. */
export type SecretForm = typeof SECRET_FORMS[number];

/** A secret, opened if it was sealed. */
export interface OpenedSecret {
  /** The secret itself. */
  readonly text: string;
  /** Its form as given. */
  readonly form: SecretForm;
  /** The text as given; of a sealed one without the blanks around it. */
  readonly given: string;
}

/**
 * Opens a secret if it is sealed.
 *
 * @param keys The keys in force; undefined where there are none.
 * @throws {UnopenedError} When it is sealed and cannot be opened.
 */
export function openSecret(secret: string, keys: SealKeys | undefined): OpenedSecret {
  if (!isSealed(secret)) return { text: secret, form: "plain", given: secret };
  if (keys === undefined) throw new UnopenedError("no-keys");
  return keys.open(withoutBlanks(secret));
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

  /** Seals a secret with the first key; one that the key has sealed stays as it was given. */
  reseal({ text, form, given }: OpenedSecret): string {
    return form === "sealed" ? given : this.seal(text);
  }

  /**
   * Opens a sealed text. Only the header of a key, byte for byte, opens: nothing of a stranger's JSON
   * is read.
   *
   * @throws {UnopenedError} When it cannot be opened.
   */
  open(sealed: string): OpenedSecret {
    const parts = partsOf(sealed);
    if (parts === undefined) throw new UnopenedError("not-of-this-format");
    const held = this.#keys.find(({ header }) => header === parts.header);
    if (held === undefined) {
      const keyId = keyIdIn(parts.header);
      throw new UnopenedError(
        keyId === undefined ? "not-of-this-format" : "no-key-of-that-name",
        keyId,
      );
    }
    const bytes = decrypt(parts, held.key, held.headerBytes);
    if (bytes === undefined) throw new UnopenedError("not-authentic", held.name);
    const text = utf8Text(bytes);
    if (text === undefined) throw new UnopenedError("not-of-this-format", held.name);
    return { text, form: held === this.#keys[0] ? "sealed" : "older-key", given: sealed };
  }
}
