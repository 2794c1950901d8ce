/**
 * Files of options.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import type { Config } from "../../config/options.ts";
import { flagOf, hiddenFlaw, OptionFileError } from "../../config/option.ts";
import { describeSystemError } from "../../system/system_error.ts";

/** Option with a file of TLS. */
export type TlsFileOption = "tlsCert" | "tlsKey" | "guardTlsCa" | "guardTlsCert" | "guardTlsKey";

/** Option with a file: of the service, `--config`, or `--ca` of the command `compare`. */
export type FileOption = keyof Config | "config" | "ca";

/** Largest file in bytes: room for thousands of keys, or for all CA certificates of a system. */
const MAX_FILE_BYTES = 1_048_576;

/** Bytes of pipes by path: a pipe gives its bytes once, and several readers need them. */
const PIPES = new Map<string, Buffer>();

/**
 * Reads the bytes of an option's file, 1 MiB at most. A pipe is read once, at the first call.
 *
 * @throws {OptionFileError} When it cannot be read; the message has the option and the reason, not
 * the path.
 */
export function readOptionFile(option: FileOption, path: string): Buffer {
  let reason = "it has more than 1 MiB";
  try {
    const isPipe = statSync(path).isFIFO();
    const bytes = isPipe && PIPES.get(path) || readBytes(path);
    if (bytes.length <= MAX_FILE_BYTES) {
      if (isPipe) PIPES.set(path, bytes);
      return bytes;
    }
  } catch (error) {
    const flaw = hiddenFlaw(path);
    reason = describeSystemError(error) + (flaw && `; its path ${flaw}`);
  }
  throw new OptionFileError(`the file of ${flagOf(option)} cannot be read: ${reason}`);
}

// Reads a file, and one byte more than the limit at most: a pipe or a device has no size.
function readBytes(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return Buffer.from(bytes.subarray(0, length));
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the text of an option's file, without the byte order mark of programs on Windows.
 *
 * @throws {OptionFileError} When it cannot be read or is UTF-16; the message has the option and the
 * reason, not the path.
 */
export function readOptionText(option: FileOption, path: string): string {
  const bytes = readOptionFile(option, path);
  if (isUtf16(bytes)) throw new OptionFileError(`the file of ${flagOf(option)} ${UTF_16}`);
  return new TextDecoder().decode(bytes);
}

/** Clause about a file in a folder where every user can replace it. */
export const IN_OPEN_FOLDER = "is in a folder that every user of this machine can write to";

/**
 * Clause about the bits that let every user of this machine replace the content of a file; undefined on
 * Windows, where they are the same for all files, and for a path of no file.
 */
export function writableByOthers(path: string): string | undefined {
  if (process.platform === "win32") return undefined;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return undefined;
    if ((stat.mode & 0o002) !== 0) return "can be written by every user of this machine";
    // Resolve links: the folder of a ConfigMap's link lets all write, and is mounted read-only.
    const folder = statSync(dirname(realpathSync(path)));
    // In a folder with the sticky bit, users replace only files of their own.
    return (folder.mode & 0o1002) === 0o002 ? IN_OPEN_FOLDER : undefined;
  } catch {
    return undefined;
  }
}

/** Clause about a text file in UTF-16, which PowerShell's `>` writes. */
export const UTF_16 = "is UTF-16: save it as UTF-8, in PowerShell with Set-Content -Encoding utf8";

/** Whether a text begins with a byte order mark of UTF-16. */
export function isUtf16([first, second]: Uint8Array | readonly number[]): boolean {
  return first === 0xFF && second === 0xFE || first === 0xFE && second === 0xFF;
}
