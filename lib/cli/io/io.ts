/**
 * What commands read and write beside their options: standard input, files, variables that are not
 * ours; and how they fail.
 *
 * @module
 */

import { createReadStream } from "node:fs";
import { open, unlink } from "node:fs/promises";
import process from "node:process";
import { describeSystemError } from "../../server/files/system_error.ts";
import { writeStderr } from "./stderr.ts";
import { askLines, type Prompt } from "./prompt.ts";

/** More than any pin and secret together; what comes after it is not read. */
const MAX_INPUT_BYTES = 16_384;

/** A command could not do what it was told to; the message is a clause for a person. */
export class CommandError extends Error {
  /** The name of the class. */
  override readonly name = "CommandError";
}

/** Says on stderr, in sentences, what the user should know although the command goes on. */
export function warn(sentences: string): void {
  writeStderr(`authenticator: warning: ${sentences}\n`);
}

function ignore(): void {}

/**
 * Writes to standard output, and waits until all of it is written. A reader that has gone had enough.
 *
 * @throws {CommandError} When it cannot be written to.
 */
export async function writeOut(text: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      // It is told of twice, and where nobody listens, it ends the process.
      process.stdout.off("error", ignore).on("error", ignore).write(text, (error) => {
        if (error && !("code" in error && error.code === "EPIPE")) reject(error);
        else resolve();
      });
    });
  } catch (error) {
    throw new CommandError(`standard output cannot be written to: ${describeSystemError(error)}`);
  }
}

/**
 * The text of a file.
 *
 * @throws {CommandError} When it cannot be read, is too long or is not UTF-8.
 */
export async function readTextFile(path: string): Promise<string> {
  return await readText(createReadStream(path), path);
}

/**
 * The text of standard input. Anything but a terminal is read to its end.
 *
 * @param prompts The lines that a person at a terminal is asked for.
 * @throws {CommandError} When it cannot be read, is too long or is not UTF-8.
 */
export async function readStdin(prompts: readonly Prompt[]): Promise<string> {
  if (!process.stdin.isTTY) return await readText(process.stdin, "standard input");
  const typed = await askLines(prompts);
  if (typed.isInterrupted) throw new CommandError("interrupted");
  // In another charset several characters would be this one, and so several secrets the same.
  if (typed.lines.some((line) => line.includes("\uFFFD"))) {
    throw new CommandError("what was typed is not UTF-8 text");
  }
  return typed.lines.map((line) => `${line}\n`).join("");
}

/**
 * A secret from a file, or from standard input, without the line end behind it.
 *
 * @throws {CommandError} When it cannot be read, is too long or is not UTF-8.
 */
export async function readSecret(file: string | undefined): Promise<string> {
  const text = file === undefined
    ? await readStdin([{ what: "Secret", isShown: false }])
    : await readTextFile(file);
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
    // A byte order mark says how the text is written, and is no part of it: it is dropped.
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    throw new CommandError(`${name} is not UTF-8 text`);
  }
}

/** A text without the one line end that editors and `echo` put behind it. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** A file to write: its path, undefined for none, and what is to stand in it. */
export type NewFile = readonly [path: string | undefined, data: string | Uint8Array];

/**
 * Writes files that nobody else may read, all or none. One that exists is left as it is: it may be
 * the only picture of another account.
 *
 * @throws {CommandError} When one of them exists or cannot be written.
 */
export async function writeNewFiles(...files: readonly NewFile[]): Promise<void> {
  const made: string[] = [];
  for (const [path, data] of files) {
    if (path === undefined) continue;
    try {
      const file = await open(path, "wx", 0o600);
      made.push(path);
      await file.writeFile(data).finally(() => file.close());
    } catch (error) {
      await Promise.allSettled(made.map((path) => unlink(path)));
      throw new CommandError(`cannot write ${path}: ${describeSystemError(error)}`);
    }
  }
}

/** What the environment says under a name. */
export interface Variable {
  /** The value; undefined when there is none or it may not be read. */
  readonly value: string | undefined;
  /** Whether this program may know. */
  readonly readable: boolean;
}

/** Reads an environment variable that is not one of ours, which a runtime may forbid. */
export function readVariable(name: string): Variable {
  try {
    return { value: process.env[name], readable: true };
  } catch {
    return { value: undefined, readable: false };
  }
}
