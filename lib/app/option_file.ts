/**
 * The files that options name.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { flagOf, UsageError } from "../config/option.ts";
import { reasonOf } from "./reason.ts";

/**
 * The bytes of a file that an option names.
 *
 * @throws {UsageError} When it cannot be read; it names the option and the reason, not the path.
 */
export function readOptionFile(option: keyof Config, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`the file of ${flagOf(option)} cannot be read: ${reasonOf(error)}`);
  }
}
