/**
 * Files of keys: a key a line, with or behind a name and a colon.
 *
 * @module
 */

import { hash } from "node:crypto";

/** Name and key on one line, with a colon between. */
const NAMED = /^([A-Za-z][A-Za-z0-9._-]*):(.*)$/;

const MAX_NAME_LENGTH = 64;

/** Whether a text can be the name of a key. */
export function isKeyName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && NAMED.exec(`${text}:`)?.[1] === text;
}

/**
 * Name of a key: `k` and 32 bits of its SHA-256, so that keys of one name are one key, on whichever
 * machine they were made.
 */
export function keyNameOf(key: Uint8Array): string {
  return `k${hash("sha256", key, "hex").slice(0, 8)}`;
}

/** Unusable file of keys; the message is a clause for a person. */
export class KeyFileError extends Error {
  /** Class name. */
  override readonly name = "KeyFileError";
}

/** Line of a file of keys. */
export interface KeyLine {
  /** The line without its end. */
  readonly line: string;
  /** Line number, from 1. */
  readonly number: number;
  /** Name before the key; undefined for a line without one. */
  readonly name: string | undefined;
  /** The key: the text behind the name and its colon, or the whole line. */
  readonly key: string;
}

/**
 * Reads the lines of a file of keys. Empty lines and lines that begin with `#` are skipped.
 *
 * @throws {KeyFileError} When a name is too long, or there are no lines. The message gives the line
 * number, never the line.
 */
export function keyLines(text: string): readonly KeyLine[] {
  const lines = text.split(/\r\n?|\n/)
    .map((line, index) => {
      const [, name, key = line] = NAMED.exec(line) ?? [];
      return { line, number: index + 1, name, key };
    })
    .filter(({ line }) => line !== "" && !line.startsWith("#"));
  const long = lines.find(({ name = "" }) => name.length > MAX_NAME_LENGTH);
  if (long !== undefined) {
    throw new KeyFileError(
      `line ${long.number} has a name of more than ${MAX_NAME_LENGTH} characters`,
    );
  }
  if (lines.length === 0) throw new KeyFileError("it has no keys");
  return lines;
}

/** Recognizes a key of one character repeated, which is plainly not random. */
export function isOneCharacter(key: string): boolean {
  return /^(.)\1*$/s.test(key);
}
