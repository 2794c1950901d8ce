/**
 * The files that options name.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { flagOf, OptionFileError } from "../config/option.ts";
import { reasonOf } from "./reason.ts";

/** An option that names a file of TLS. */
export type TlsFileOption = "tlsCert" | "tlsKey" | "guardTlsCa" | "guardTlsCert" | "guardTlsKey";

/** More than thousands of keys have, or the certificates of all authorities of a system. */
const MAX_FILE_BYTES = 1_048_576;

/** How long a pipe may take to its end: what writes to it may ask somebody for a password. */
const PIPE_PATIENCE_MS = 60_000;

const PIPE_PAUSE_MS = 10;

/**
 * The bytes of a file that an option names, 1 MiB at most. A pipe is read to its end as well, as a
 * shell makes one of `<(…)`.
 *
 * @param patienceMs How long that may take, in milliseconds.
 * @throws {OptionFileError} When it cannot be read; it names the option and the reason, not the path.
 */
export function readOptionFile(
  option: keyof Config,
  path: string,
  patienceMs: number = PIPE_PATIENCE_MS,
): Buffer {
  let reason: string;
  try {
    const bytes = readBounded(path, patienceMs);
    if (bytes !== undefined && bytes.length <= MAX_FILE_BYTES) return bytes;
    reason = bytes === undefined
      ? "it is a pipe or a device that did not end within a minute"
      : "it has more than 1 MiB";
  } catch (error) {
    reason = reasonOf(error);
  }
  throw new OptionFileError(`the file of ${flagOf(option)} cannot be read: ${reason}`);
}

/**
 * The text of a file that an option names, without the byte order mark that programs on Windows put
 * in front of it.
 *
 * @throws {OptionFileError} When it cannot be read; it names the option and the reason, not the path.
 */
export function readOptionText(option: keyof Config, path: string): string {
  return new TextDecoder().decode(readOptionFile(option, path));
}

// One byte more than it may have, where it has more; undefined where that takes too long. The size that
// the system tells is no help: that of a pipe or a device is 0.
function readBounded(path: string, patienceMs: number): Buffer | undefined {
  // Else a pipe that nobody writes to would not even be opened. Windows has no such pipes.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    const untilMs = performance.now() + patienceMs;
    let length = 0;
    while (length < bytes.length) {
      const read = readSome(file, bytes.subarray(length));
      // Who writes to a pipe with a name may come after its reader; who has one without was there before.
      const isEnd = read === 0 && (length > 0 || isInherited(path) || !fstatSync(file).isFIFO());
      if (isEnd) break;
      length += read ?? 0;
      if (read) continue;
      if (performance.now() >= untilMs) return undefined;
      pause();
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

// Undefined where there is nothing yet.
function readSome(file: number, bytes: Uint8Array): number | undefined {
  try {
    return readSync(file, bytes);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "EAGAIN") return undefined;
    throw error;
  }
}

function isInherited(path: string): boolean {
  return /^\/(?:dev\/(?:fd\/|stdin$)|proc\/)/.test(path);
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_PAUSE_MS);
}

/**
 * Refuses files whose reader may have to wait: a server that waits for a pipe when it reads again
 * answers nobody meanwhile, and does not even end.
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
