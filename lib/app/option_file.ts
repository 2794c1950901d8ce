/**
 * The files that options name.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { flagOf, OptionFileError } from "../config/option.ts";
import { reasonOf } from "./reason.ts";

/** An option that names a file of TLS. */
export type TlsFileOption = "tlsCert" | "tlsKey" | "guardTlsCa" | "guardTlsCert" | "guardTlsKey";

/**
 * The bytes of a file that an option names.
 *
 * @throws {OptionFileError} When it cannot be read; it names the option and the reason, not the path.
 */
export function readOptionFile(option: keyof Config, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new OptionFileError(`the file of ${flagOf(option)} cannot be read: ${reasonOf(error)}`);
  }
}

/**
 * Refuses files whose reader may have to wait for ever: a server that reads a pipe again answers
 * nobody meanwhile, and does not even end.
 *
 * @throws {OptionFileError} When one is a pipe or a device; it names the option, not the path.
 */
export function mustNotWait(
  config: Config,
  ...options: readonly (TlsFileOption | "apiKeysFile")[]
): void {
  const waiting = options.find((option) => waits(config[option] ?? ""));
  if (waiting === undefined) return;
  throw new OptionFileError(
    `the file of ${flagOf(waiting)} cannot be read again: it is a pipe or a device`,
  );
}

function waits(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isFIFO() || stats.isCharacterDevice();
  } catch {
    // Who reads it says why it cannot be read.
    return false;
  }
}
