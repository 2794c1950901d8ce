/**
 * The command that shows the options in effect, and what is risky in them.
 *
 * @module
 */

import type { Config } from "../../config/config.ts";
import { flagOf, namesOf, OptionFileError } from "../../config/option.ts";
import { OPTIONS, optionText } from "../../config/options.ts";
import type { OptionSource } from "../args/parse.ts";
import { readGuardKey } from "../../server/guard.ts";
import { certificateFindings, findRisks } from "./warnings.ts";
import { CommandError, warn } from "../io/io.ts";
import { storeObstacles } from "./preflight.ts";
import { readKeys } from "../../server/server.ts";
import type { CallerKey } from "../../http/api_keys.ts";
import { keysInWords } from "../serve/reload.ts";
import { readStoreTls, readTls } from "../../server/files/tls.ts";

/**
 * Prints every option with its value and where that is from, and what is risky on stderr. What
 * stands in a file is never printed. It reads the files and asks the store.
 *
 * @param print Writes lines to stdout.
 * @returns 0, whatever is risky.
 * @throws {OptionFileError} When the server could not start with these options.
 * @throws {CommandError} When it could not serve with them here and now.
 */
export async function check(
  config: Config,
  sources: ReadonlyMap<string, OptionSource>,
  print: (text: string) => void,
): Promise<number> {
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
  findRisks(config, sources).forEach(warn);
  if (problems.length > 0) {
    throw new OptionFileError(`the server cannot start: ${problems.join("; ")}`);
  }
  const { expired, expiring } = certificateFindings(config, Date.now());
  expiring.forEach(warn);
  const obstacles = [
    ...expired,
    ...await storeObstacles(config),
  ];
  if (obstacles.length > 0) throw new CommandError(obstacles.join("; "));
  return 0;
}

function table(rows: readonly (readonly [string, string, string])[]): string {
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const [first, second] = [width(0), width(1)];
  return rows
    .map(([option, value, from]) => `${option.padEnd(first)}  ${value.padEnd(second)}  ${from}`)
    .join("\n");
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
      if (!(error instanceof OptionFileError)) throw error;
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
