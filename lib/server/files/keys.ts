/**
 * Files of keys: API keys of callers, and keys of sealed secrets.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { flagOf, OptionFileError } from "../../config/option.ts";
import type { Config } from "../../config/options.ts";
import {
  type CallerKey,
  type KeyName,
  KeyRing,
  parseKeys,
  sealKeyOfCallers,
} from "../../http/api_keys.ts";
import { parseSealKeys, type SealKey, SealKeys } from "../../sealing/seal_keys.ts";
import { KeyFileError } from "../../system/key_file.ts";
import { readOptionText } from "./option_file.ts";

/** Option with a file of keys that a running server reads again. */
export type KeyFileOption = "apiKeysFile" | "sealKeysFile";

/** Keys in force of a server, and their files. */
export class ServerKeys {
  readonly #config: Config;
  #callerKeys: readonly CallerKey[] | undefined;
  #secretKeys: readonly SealKey[] | undefined;
  /** API keys of callers; undefined when callers need none. */
  readonly callers: KeyRing | undefined;
  /** Keys of sealed secrets; undefined without them. */
  readonly secrets: SealKeys | undefined;

  /**
   * Reads the files.
   *
   * @throws {OptionFileError} When one cannot be used.
   */
  constructor(config: Config) {
    const { apiKeysFile, sealKeysFile } = config;
    this.#config = config;
    this.#callerKeys = apiKeysFile === undefined ? undefined : readKeys(apiKeysFile);
    this.#secretKeys = sealKeysFile === undefined ? undefined : readSealKeys(sealKeysFile);
    checkApart(this.#secretKeys, this.#callerKeys);
    this.callers = this.#callerKeys && new KeyRing(this.#callerKeys);
    this.secrets = this.#secretKeys && new SealKeys(this.#secretKeys, randomBytes);
  }

  /**
   * Reads the file of an option that is given, and replaces the keys in force.
   *
   * @returns The names of the keys, and whether they differ from the ones before.
   * @throws {OptionFileError} When the file cannot be used; the keys stay.
   */
  renew(
    option: KeyFileOption,
  ): { readonly names: readonly KeyName[]; readonly isChanged: boolean } {
    const path = this.#config[option]!;
    if (option === "apiKeysFile") {
      const keys = readKeys(path);
      checkApart(this.#secretKeys, keys);
      this.#callerKeys = keys;
      return { isChanged: this.callers!.replace(keys), names: this.callers!.names };
    }
    const keys = readSealKeys(path);
    checkApart(keys, this.#callerKeys);
    this.#secretKeys = keys;
    return { isChanged: this.secrets!.replace(keys), names: this.secrets!.names };
  }
}

/**
 * Reads the API keys.
 *
 * @throws {OptionFileError} When the file cannot be read or is invalid.
 */
export function readKeys(path: string): readonly CallerKey[] {
  return readKeyFile("apiKeysFile", path, parseKeys);
}

function readSealKeys(path: string): readonly SealKey[] {
  return readKeyFile("sealKeysFile", path, parseSealKeys);
}

// Refuses a key that is in both files.
function checkApart(
  sealKeys: readonly SealKey[] = [],
  callerKeys: readonly CallerKey[] = [],
): void {
  const name = sealKeyOfCallers(sealKeys, callerKeys);
  if (name === undefined) return;
  throw new OptionFileError(
    `the key ${name} of --seal-keys-file is a key of --api-keys-file too: callers ` +
      "have it, so make another",
  );
}

/**
 * Makes the ring of the keys of sealed secrets; undefined without the option.
 *
 * @throws {OptionFileError} When the file cannot be read or is invalid.
 */
export function sealKeysOf({ sealKeysFile }: Pick<Config, "sealKeysFile">): SealKeys | undefined {
  return sealKeysFile === undefined
    ? undefined
    : new SealKeys(readSealKeys(sealKeysFile), randomBytes);
}

function readKeyFile<Key>(
  option: KeyFileOption,
  path: string,
  parse: (text: string) => readonly Key[],
): readonly Key[] {
  const text = readOptionText(option, path);
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof KeyFileError) {
      throw new OptionFileError(`the file of ${flagOf(option)} cannot be used: ${error.message}`);
    }
    throw error;
  }
}
