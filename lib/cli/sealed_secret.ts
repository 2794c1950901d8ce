/**
 * Sealed secrets that a person types into a command.
 *
 * @module
 */

import type { Config } from "../config/options.ts";
import { OptionFileError } from "../config/option.ts";
import { openSecret, type SealKeys, UnopenedError } from "../sealing/seal_keys.ts";
import { isSealed } from "../sealing/sealed.ts";
import { sealKeysOf } from "../server/files/keys.ts";
import { CommandError } from "./io/io.ts";

const CURE = "run the command with authenticator-as-service, or type the secret itself";

/**
 * Opens a typed secret if it is sealed.
 *
 * @throws {CommandError} When it is sealed and cannot be opened, with the cause.
 */
export function openTyped(secret: string, config: Config): string {
  try {
    return openSecret(secret, keysFor(secret, config)).text;
  } catch (error) {
    if (!(error instanceof UnopenedError)) throw error;
    throw new CommandError(`the secret ${unopenedClause(error)}`);
  }
}

/**
 * Reads the keys for a typed secret; undefined for a plain one, which needs no file.
 *
 * @throws {CommandError} When the secret is sealed and there are no keys that can be used.
 */
export function keysFor(secret: string, config: Config): SealKeys | undefined {
  if (!isSealed(secret)) return undefined;
  let reason = "--seal-keys-file is not given";
  try {
    const keys = sealKeysOf(config);
    if (keys !== undefined) return keys;
  } catch (error) {
    if (!(error instanceof OptionFileError)) throw error;
    reason = error.message;
  }
  throw new CommandError(`the secret is sealed, and ${reason}; ${CURE}`);
}

/** Says why a secret cannot be opened, with the name of its key: a clause for the operator. */
export function unopenedClause({ code, keyId }: UnopenedError): string {
  const flag = "--seal-keys-file";
  switch (code) {
    case "no-keys":
      return `is sealed, and ${flag} is not given`;
    case "no-key-of-that-name":
      return `is sealed with the key ${keyId}, and the file of ${flag} has no key of that name`;
    case "not-authentic":
      return `is sealed, and the key ${keyId} does not open it: the secret was changed, or sealed ` +
        "with another key of that name";
    case "not-of-this-format":
      return "is sealed, and was changed or cut off";
  }
}
