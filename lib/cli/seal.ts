/**
 * Commands `seal` and `unseal`: secrets of whole tables, line by line.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import type { Config } from "../config/options.ts";
import { flagOf, UsageError } from "../config/option.ts";
import { Fault } from "../operations/fault.ts";
import { checkSecretCode } from "../operations/operations.ts";
import { openSecret, type SealKeys, UnopenedError } from "../sealing/seal_keys.ts";
import { isUtf16, UTF_16 } from "../server/files/option_file.ts";
import { sealKeysOf } from "../server/server.ts";
import { describeSystemError } from "../system/system_error.ts";
import { CommandError, readStdin, writeOut } from "./io/io.ts";
import { unopenedClause } from "./sealed_secret.ts";

/** Longest line in bytes: an id of any database, and the longest secret. */
const MAX_LINE_BYTES = 16_384;

/** Change of one secret, which is not empty. */
type Change = (secret: string, keys: SealKeys) => string;

/**
 * Seals the secrets of standard input, a line each, to standard output. A secret that the first key
 * has sealed stays as it is; one of another key is sealed anew.
 *
 * @returns The exit code.
 * @throws {UsageError} When there are no keys.
 * @throws {CommandError} At the first line that cannot be sealed; the lines before it are written.
 */
export async function sealCommand(config: Config): Promise<number> {
  return await changeLines("seal", config, (given, keys) => {
    const secret = openSecret(given, keys);
    checkSecretCode(secret.text, config);
    return keys.reseal(secret);
  });
}

/**
 * Opens the sealed secrets of standard input, a line each, to standard output. Any other secret
 * stays as it is.
 *
 * @returns The exit code.
 * @throws {UsageError} When there are no keys.
 * @throws {CommandError} At the first line that cannot be opened; the lines before it are written.
 */
export async function unsealCommand(config: Config): Promise<number> {
  return await changeLines("unseal", config, (secret, keys) => {
    const { text } = openSecret(secret, keys);
    checkSecretCode(text, config);
    return text;
  });
}

async function changeLines(command: string, config: Config, change: Change): Promise<number> {
  const keys = sealKeysOf(config);
  if (keys === undefined) throw new UsageError(`${command} needs ${flagOf("sealKeysFile")}`);
  let number = 0;
  for await (const lines of linesOfStdin()) {
    const changed: string[] = [];
    try {
      for (const line of lines) changed.push(changeLine(line, ++number, keys, change));
    } finally {
      await writeOut(changed.map((line) => `${line}\n`).join(""));
    }
  }
  return 0;
}

/** Yields the lines of standard input in groups as they arrive, without their line feeds. */
async function* linesOfStdin(): AsyncGenerator<readonly Buffer[]> {
  if (process.stdin.isTTY) {
    const typed = await readStdin([{ what: "Secret", isShown: false }]);
    yield [Buffer.from(typed.replace(/\n$/, ""))];
    return;
  }
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
      const bytes = Buffer.concat([rest, chunk]);
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        lines.push(bytes.subarray(start, end));
        start = end + 1;
      }
      rest = bytes.subarray(start);
      // The rest is too long to be a line: its reader refuses it.
      if (rest.length > MAX_LINE_BYTES) lines.push(rest);
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot read standard input: ${describeSystemError(error)}`);
  }
  if (rest.length > 0) yield [rest];
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Changes the secret of a line, alone or behind an id and a tab. */
function changeLine(bytes: Buffer, number: number, keys: SealKeys, change: Change): string {
  const parts = textOf(bytes, number).split("\t");
  if (parts.length > 2) {
    throw new CommandError(`line ${number} has two tabs: it must be SECRET, or ID, a tab, SECRET`);
  }
  const secret = parts.pop()!;
  const id = parts.map((part) => `${part}\t`).join("");
  if (secret === "") return id;
  try {
    return id + change(secret, keys);
  } catch (error) {
    throw new CommandError(`line ${number}: the secret ${clauseOf(error)}`);
  }
}

function textOf(bytes: Buffer, number: number): string {
  if (bytes.length > MAX_LINE_BYTES) {
    throw new CommandError(`line ${number} is longer than ${MAX_LINE_BYTES} bytes`);
  }
  if (number === 1 && isUtf16(bytes)) throw new CommandError(`standard input ${UTF_16}`);
  try {
    const text = decoder.decode(bytes).replace(/\r$/, "");
    return number === 1 ? text.replace(/^\uFEFF/, "") : text;
  } catch {
    throw new CommandError(`line ${number} is not UTF-8 text`);
  }
}

function clauseOf(error: unknown): string {
  if (error instanceof Fault && error.clause !== undefined) return error.clause;
  if (!(error instanceof UnopenedError)) throw error;
  return unopenedClause(error);
}
