/**
 * Input and output of commands beside their options: standard input and output, files, foreign
 * variables, and the error of a failed command.
 *
 * @module
 */

import { createReadStream } from "node:fs";
import { open, unlink } from "node:fs/promises";
import process from "node:process";
import { isUtf16, UTF_16 } from "../../server/files/option_file.ts";
import { describeSystemError, systemErrorCode } from "../../system/system_error.ts";
import { writeStderr, writeStdout } from "./output.ts";
import { askLines, type Prompt } from "./prompt.ts";

/** Maximum length of an input in bytes: more than any pin and secret together. */
const MAX_INPUT_BYTES = 16_384;

/** Failure of a command; the message is a clause for a person. */
export class CommandError extends Error {
  /** The name of the class. */
  override readonly name = "CommandError";
}

/** Prints a warning on stderr, in whole sentences. */
export function warn(sentences: string): void {
  writeStderr(`authenticator: warning: ${sentences}\n`);
}

/**
 * Writes to standard output, and resolves once all is written. A reader that is gone is no error.
 *
 * @throws {CommandError} When the write fails.
 */
export async function writeOut(text: string): Promise<void> {
  await writeStdout(text).catch((error) => {
    if (systemErrorCode(error) !== "EPIPE") throw unwritten(error);
  });
}

/**
 * Writes to standard output, and resolves once all is written. A reader that is gone is an error, since
 * it must read everything.
 *
 * @throws {CommandError} When the write fails.
 */
export async function writeAll(text: string): Promise<void> {
  await writeStdout(text).catch((error) => {
    throw unwritten(error);
  });
}

function unwritten(error: unknown): CommandError {
  return new CommandError(
    `standard output cannot be written to: ${describeSystemError(error)}`,
  );
}

/**
 * Reads standard input as it arrives.
 *
 * @throws {CommandError} When it cannot be read.
 */
export async function* stdinChunks(): AsyncGenerator<Uint8Array> {
  try {
    yield* process.stdin as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new CommandError(`cannot read standard input: ${describeSystemError(error)}`);
  }
}

/**
 * Reads the text of standard input: to its end, or line by line from a terminal.
 *
 * @param prompts The prompts at a terminal, one for each line.
 * @throws {CommandError} When it cannot be read, is too long or is not UTF-8.
 */
export async function readStdin(prompts: readonly Prompt[]): Promise<string> {
  if (!process.stdin.isTTY) return await readText(process.stdin, "standard input");
  const lines = await askLines(prompts);
  if (lines === undefined) throw new CommandError("interrupted");
  // U+FFFD replaces each invalid character, so different secrets would be equal.
  if (lines.some((line) => line.includes("\uFFFD"))) {
    throw new CommandError("what was typed is not UTF-8 text");
  }
  return lines.map((line) => `${line}\n`).join("");
}

/**
 * Reads a secret from a file or from standard input, without the line end after it.
 *
 * @throws {CommandError} When it cannot be read, is too long or is not UTF-8.
 */
export async function readSecret(file: string | undefined): Promise<string> {
  const text = file === undefined
    ? await readStdin([{ what: "Secret", isShown: false }])
    : await readText(createReadStream(file), file);
  return withoutLineEnd(text);
}

async function readText(source: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const bytes: number[] = [];
  try {
    for await (const chunk of source) {
      bytes.push(...chunk.subarray(0, MAX_INPUT_BYTES + 1));
      if (bytes.length > MAX_INPUT_BYTES) break;
    }
  } catch (error) {
    throw new CommandError(`cannot read ${name}: ${describeSystemError(error)}`);
  }
  if (bytes.length > MAX_INPUT_BYTES) throw new CommandError(`${name} is too long for a secret`);
  try {
    // The decoder drops a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    throw new CommandError(`${name} ${isUtf16(bytes) ? UTF_16 : "is not UTF-8 text"}`);
  }
}

/** Removes the one line end that editors and `echo` append. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** File to write: its path, undefined to write no file, and its content. */
export type NewFile = readonly [path: string | undefined, data: string | Uint8Array];

/**
 * Writes files that only this user can read. A failure removes them all. An existing file is never
 * overwritten: it may be the only picture of another account.
 *
 * @throws {CommandError} When a file exists or cannot be written.
 */
export async function writeNewFiles(...files: readonly NewFile[]): Promise<void> {
  const made: string[] = [];
  for (const [path, data] of files) {
    if (path === undefined) continue;
    try {
      const file = await open(path, "wx", 0o600);
      made.push(path);
      await file.writeFile(data).then(() => file.sync()).finally(() => file.close());
    } catch (error) {
      await Promise.allSettled(made.map((path) => unlink(path)));
      throw new CommandError(`cannot write ${path}: ${describeSystemError(error)}`);
    }
  }
}

/** Reads a foreign environment variable; undefined when it is unset, or the runtime forbids it. */
export function readVariable(name: string): string | undefined {
  try {
    return process.env[name];
  } catch {
    return undefined;
  }
}

/** Returns the names of all environment variables; none where the runtime forbids the list. */
export function variableNames(): readonly string[] {
  try {
    return Object.keys(process.env);
  } catch {
    return [];
  }
}
