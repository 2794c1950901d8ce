/**
 * The command that shows the options in effect, and what is risky in them.
 *
 * @module
 */

import { statSync } from "node:fs";
import process from "node:process";
import { type Config, flagOf, namesOf, OPTIONS, optionText, UsageError } from "../config.ts";
import type { OptionSource } from "../command_line/command_line.ts";
import { readGuardKey } from "../app/guard.ts";
import { readVariable, warn } from "./io.ts";
import {
  type FileFacts,
  fileRisks,
  optionRisks,
  variableRisks,
  WATCHED_VARIABLES,
} from "./risks.ts";
import { readKeys } from "../app/service.ts";
import type { CallerKey } from "../http/keys.ts";
import { keysInWords } from "./reload.ts";
import { readStoreTls, readTls } from "../app/tls_files.ts";

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
  const { keys, problems } = readFiles(config);
  const counted = keys === undefined ? "" : ` (${keysInWords(keys)})`;
  const rows = namesOf(OPTIONS).map((name) => {
    const note = name === "apiKeysFile" ? counted : "";
    return [
      flagOf(name),
      (optionText(name, config) ?? "-") + note,
      sources.get(name) ?? "default",
    ] as const;
  });
  print(table([["OPTION", "VALUE", "FROM"], ...rows]));
  const variables = WATCHED_VARIABLES.map(({ name }) => ({ name, ...readVariable(name) }));
  const risks = [
    ...optionRisks(config, sources),
    ...fileRisks(factsOfFiles(config)),
    ...variableRisks(variables),
  ];
  const hidden = variables.filter(({ readable }) => !readable).map(({ name }) => name);
  if (hidden.length > 0) {
    risks.push(`this program may not look at the environment for ${hidden.join(", ")}.`);
  }
  risks.forEach(warn);
  if (problems.length === 0) return 0;
  throw new UsageError(`the server cannot start: ${problems.join("; ")}`);
}

function table(rows: readonly (readonly [string, string, string])[]): string {
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const [first, second] = [width(0), width(1)];
  return rows
    .map(([option, value, from]) => `${option.padEnd(first)}  ${value.padEnd(second)}  ${from}`)
    .join("\n");
}

/** The options that name files, which the command that serves reads before it listens. */
const FILE_OPTIONS = [
  ...["tlsCert", "tlsKey", "apiKeysFile", "guardKeyFile"] as const,
  ...["guardTlsCa", "guardTlsCert", "guardTlsKey"] as const,
];

function factsOfFiles(config: Config): readonly FileFacts[] {
  return FILE_OPTIONS.flatMap((option) => {
    const path = config[option];
    return path === undefined ? [] : [{ option, isPublic: isPublic(path) }];
  });
}

// The bits of everybody; Windows has none, and shows the same for all files. A file that cannot be
// looked at cannot be read either, which its reader says.
function isPublic(path: string): boolean {
  if (process.platform === "win32") return false;
  try {
    return (statSync(path).mode & 0o004) !== 0;
  } catch {
    return false;
  }
}

/** What came of reading the files as the command that serves does. */
interface Reading {
  /** The keys that callers may show; undefined when they need none, or none can be read. */
  readonly keys: readonly CallerKey[] | undefined;
  /** Why the server cannot start, as clauses. */
  readonly problems: readonly string[];
}

function readFiles(config: Config): Reading {
  const { apiKeysFile, guardKeyFile } = config;
  const problems: string[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  attempt(() => readTls(config));
  const keys = attempt(() => apiKeysFile === undefined ? undefined : readKeys(apiKeysFile));
  attempt(() => guardKeyFile === undefined ? undefined : readGuardKey(guardKeyFile));
  attempt(() => readStoreTls(config));
  return { keys, problems };
}
