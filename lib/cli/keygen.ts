/**
 * Command `keygen`: makes keys, and never overwrites one.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { open, stat } from "node:fs/promises";
import process from "node:process";
import { UsageError } from "../config/option.ts";
import { parseKeys } from "../http/api_keys.ts";
import { parseSealKeys } from "../sealing/seal_keys.ts";
import { readOptionText } from "../server/files/option_file.ts";
import { isKeyName, KeyFileError, keyLines, keyNameOf } from "../system/key_file.ts";
import { describeSystemError, systemErrorCode } from "../system/system_error.ts";
import type { CommandOf } from "./args/parse.ts";
import type { Print } from "./guard_commands.ts";
import { CommandError, writeNewFiles } from "./io/io.ts";
import { writeStderr } from "./io/output.ts";

const KEY_BYTES = 32;

/** Files of named keys: their option, the parser of the server, and whether a name can have two keys. */
const KEY_FILES = {
  seal: { option: "sealKeysFile", parse: parseSealKeys, mayRepeat: false },
  // Two keys of a caller are valid while it changes from one to the other.
  api: { option: "apiKeysFile", parse: parseKeys, mayRepeat: true },
} as const;

/**
 * Makes a key, in a new file or as the last line of one that exists.
 *
 * @returns The exit code.
 * @throws {UsageError} When the name is not one.
 * @throws {CommandError} When the file cannot be used or written; it stays as it was.
 */
export async function keygen(
  { keyKind, file, ...words }: CommandOf<"keygen">,
  print: Print,
): Promise<number> {
  const bytes = randomBytes(KEY_BYTES);
  const { name = keyNameOf(bytes) } = words;
  if (keyKind === "guard") {
    await writeNewFiles([file, `${bytes.toString("base64")}\n`]);
    say(`${file} is made.${RIGHTS}`);
    return 0;
  }
  if (!isKeyName(name)) {
    throw new UsageError(
      "NAME must begin with a letter, and have letters, digits, dots, hyphens and underscores, " +
        "64 at most",
    );
  }
  const key = bytes.toString("hex");
  const line = `${name}:${key}\n`;
  if (await isThere(file)) {
    await append(file, lineToAppend(keyKind, file, name, line));
    say(`${name} is the last key of ${file}${keyKind === "seal" ? "; the first seals" : ""}.`);
  } else {
    await writeNewFiles([file, line]);
    say(`${file} is made, with the key ${name}.${RIGHTS}`);
  }
  if (keyKind === "api") print(key);
  return 0;
}

function say(sentences: string): void {
  writeStderr(`authenticator: ${sentences}\n`);
}

const RIGHTS = process.platform === "win32" ? " It has the rights of its folder." : "";

async function isThere(file: string): Promise<boolean> {
  try {
    if ((await stat(file)).isFile()) return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw new CommandError(`cannot read ${file}: ${describeSystemError(error)}`);
  }
  throw new CommandError(`${file} is not a file`);
}

function lineToAppend(
  keyKind: keyof typeof KEY_FILES,
  file: string,
  name: string,
  line: string,
): string {
  const { option, parse, mayRepeat } = KEY_FILES[keyKind];
  const text = readOptionText(option, file);
  const begin = text === "" || /[\r\n]$/.test(text) ? "" : "\n";
  try {
    const others = keyLines(text + begin + line).slice(0, -1);
    if (!mayRepeat && others.some((other) => other.name === name)) {
      throw new CommandError(`${file} has a key ${name} already: give another NAME`);
    }
    parse(text + begin + line);
    return begin + line;
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new CommandError(`${file} cannot be used, and stays as it is: ${error.message}`);
  }
}

// One write, which leaves owner, group, mode and links of the file. A line that had no room is taken
// back: a part of it would make the file unusable.
async function append(file: string, text: string): Promise<void> {
  try {
    const handle = await open(file, "a");
    try {
      const { size } = await handle.stat();
      const written = handle.write(text).then(({ bytesWritten }) => bytesWritten === text.length);
      if (!await written.catch(() => false)) {
        await handle.truncate(size);
        throw new CommandError(`cannot write ${file}: is there room on the disk?`);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot write ${file}: ${describeSystemError(error)}`);
  }
}
