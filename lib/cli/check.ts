/**
 * The command that shows the options in effect, and what is risky in them.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import process from "node:process";
import { type Config, flagOf, namesOf, OPTIONS, UsageError } from "../config.ts";
import { MIN_GUARD_KEY_BYTES } from "../guard/fingerprint.ts";
import { KeyFileError, parseKeys } from "../http/keys.ts";
import type { OptionSource } from "./command_line.ts";
import { readVariable, reasonOf, warn } from "./io.ts";
import {
  type FileFacts,
  fileRisks,
  optionRisks,
  variableRisks,
  WATCHED_VARIABLES,
} from "./risks.ts";

/**
 * Prints every option with its value and where that is from, and what is risky on stderr. What
 * stands in a file is never printed.
 *
 * @param print Writes lines to stdout.
 * @returns 0, whatever is risky.
 * @throws {UsageError} When the server could not start with these options.
 */
export function check(
  config: Config,
  sources: ReadonlyMap<string, OptionSource>,
  print: (text: string) => void,
): number {
  const files = factsOfFiles(config);
  const keyCounts = new Map(files.map(({ option, keyCount }) => [option, keyCount]));
  const rows = namesOf(OPTIONS).map((name) => {
    const keys = keyCounts.get(name);
    const note = keys === undefined ? "" : ` (${keys} ${keys === 1 ? "key" : "keys"})`;
    return [flagOf(name), shown(name, config) + note, sources.get(name) ?? "default"] as const;
  });
  print(table([["OPTION", "VALUE", "FROM"], ...rows]));
  const variables = WATCHED_VARIABLES.map(({ name }) => ({ name, ...readVariable(name) }));
  const risks = [...optionRisks(config), ...fileRisks(files), ...variableRisks(variables)];
  const hidden = variables.filter(({ readable }) => !readable).map(({ name }) => name);
  if (hidden.length > 0) {
    risks.push(`this program may not look at the environment for ${hidden.join(", ")}.`);
  }
  risks.forEach(warn);
  const problems = files.filter(({ problem }) => problem !== undefined);
  if (problems.length === 0) return 0;
  const sentences = problems.map(({ option, problem }) => `${flagOf(option)}: ${problem}`);
  throw new UsageError(`the server cannot start: ${sentences.join("; ")}`);
}

// A value that holds a password gives a text without it.
function shown(name: keyof Config, config: Config): string {
  if (name === "socketMode") return config.socketMode.toString(8).padStart(4, "0");
  return config[name] === undefined ? "-" : String(config[name]);
}

function table(rows: readonly (readonly [string, string, string])[]): string {
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const [first, second] = [width(0), width(1)];
  return rows
    .map(([option, value, from]) => `${option.padEnd(first)}  ${value.padEnd(second)}  ${from}`)
    .join("\n");
}

/** What a file must hold, by the option that names it: why it does not, as a clause. */
const FILES = {
  tlsCert: problemOfPem,
  tlsKey: problemOfPem,
  apiKeysFile: problemOfKeys,
  guardKeyFile: ({ length }: Uint8Array) =>
    length < MIN_GUARD_KEY_BYTES ? `it must hold ${MIN_GUARD_KEY_BYTES} bytes or more` : undefined,
};

function factsOfFiles(config: Config): readonly FileFacts[] {
  return namesOf(OPTIONS).flatMap((option) => {
    if (!isFileOption(option)) return [];
    const path = config[option];
    return path === undefined ? [] : [factsOf(option, path)];
  });
}

function isFileOption(option: keyof Config): option is keyof typeof FILES {
  return Object.hasOwn(FILES, option);
}

function factsOf(option: keyof typeof FILES, path: string): FileFacts {
  try {
    const content = readFileSync(path);
    // The bits of everybody; Windows has none, and shows the same for all files.
    const isPublic = process.platform !== "win32" && (statSync(path).mode & 0o004) !== 0;
    const problem = FILES[option](content);
    const isOfKeys = option === "apiKeysFile" && problem === undefined;
    const keyCount = isOfKeys ? parseKeys(content.toString("utf8")).length : undefined;
    return { option, problem, isPublic, keyCount };
  } catch (error) {
    const problem = `it cannot be read: ${reasonOf(error)}`;
    return { option, problem, isPublic: false, keyCount: undefined };
  }
}

function problemOfPem(content: Buffer): string | undefined {
  return content.includes("-----BEGIN ") ? undefined : "it holds nothing in PEM";
}

function problemOfKeys(content: Buffer): string | undefined {
  try {
    parseKeys(content.toString("utf8"));
    return undefined;
  } catch (error) {
    if (error instanceof KeyFileError) return error.message;
    throw error;
  }
}
