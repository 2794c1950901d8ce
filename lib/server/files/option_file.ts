/**
 * The files that options name.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { flagOf, OptionFileError } from "../../config/option.ts";
import { describeSystemError } from "./system_error.ts";

/** An option that names a file of TLS. */
export type TlsFileOption = "tlsCert" | "tlsKey" | "guardTlsCa" | "guardTlsCert" | "guardTlsKey";

/** More than thousands of keys have, or the certificates of all authorities of a system. */
const MAX_FILE_BYTES = 1_048_576;

/**
 * Reads the bytes of a file that an option names, 1 MiB at most.
 *
 * @throws {OptionFileError} When it cannot be read; it names the option and the reason, not the path.
 */
export function readOptionFile(option: keyof Config, path: string): Buffer {
  let reason = "it has more than 1 MiB";
  try {
    if (statSync(path).size <= MAX_FILE_BYTES) return readFileSync(path);
  } catch (error) {
    reason = describeSystemError(error);
  }
  throw new OptionFileError(`the file of ${flagOf(option)} cannot be read: ${reason}`);
}

/**
 * Reads the text of a file that an option names, without the byte order mark that programs on Windows
 * put in front of it.
 *
 * @throws {OptionFileError} When it cannot be read; it names the option and the reason, not the path.
 */
export function readOptionText(option: keyof Config, path: string): string {
  return new TextDecoder().decode(readOptionFile(option, path));
}
