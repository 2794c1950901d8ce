/**
 * Command `check`: shows the options in effect and their risks.
 *
 * @module
 */

import type { Config } from "../../config/options.ts";
import { flagOf, namesOf, OptionFileError } from "../../config/option.ts";
import { OPTIONS, optionText } from "../../config/options.ts";
import type { ConfigFiles } from "../args/config_file.ts";
import type { CommandOf } from "../args/parse.ts";
import { readGuardKey } from "../../server/keyed_guard.ts";
import { findRisks } from "./warnings.ts";
import { readVariable, warn } from "../io/io.ts";
import { checkUnit } from "./unit.ts";
import { checkStore, checkSystem, tryAddresses } from "./preflight.ts";
import { ServerKeys } from "../../server/files/keys.ts";
import type { KeyName } from "../../http/api_keys.ts";
import { keysInWords } from "../serve/reload.ts";
import { readStoreFiles, readTls } from "../../server/files/tls.ts";

/**
 * Prints every option with its value and source, and the risks on stderr. It reads the files, probes
 * the store and tries the addresses, and never prints the content of a file.
 *
 * @param print Writes lines to stdout.
 * @returns 0, even with risks.
 * @throws {OptionFileError} When a server cannot start with these options.
 * @throws {CommandError} When a server could not serve with them now.
 */
export async function check(
  { config, sources, files, options: { unit } }: CommandOf<"check">,
  print: (text: string) => void,
): Promise<number> {
  checkSystem(config);
  if (unit !== undefined) return checkOfUnit(unit, config, files);
  const { names, problems } = readFiles(config);
  const rows = namesOf(OPTIONS).map((name) => {
    const counted = names.get(name);
    const note = counted === undefined ? "" : ` (${keysInWords(counted)})`;
    return [
      flagOf(name),
      (optionText(name, config) ?? "-") + note,
      sources.get(name) ?? "default",
    ] as const;
  });
  print(table([["OPTION", "VALUE", "FROM"], ...rows]));
  findRisks(config, sources, Date.now()).forEach(warn);
  const { obstacles: places, servers } = await tryAddresses(config);
  servers.forEach(warn);
  const reasons = [...problems, ...places];
  if (reasons.length > 0) {
    throw new OptionFileError(`the server cannot start: ${reasons.join("; ")}`);
  }
  await checkStore(config);
  return 0;
}

function checkOfUnit(unit: string, config: Config, files: ConfigFiles | undefined): number {
  const { problems, risks } = checkUnit({
    unit,
    config,
    lines: files?.lines ?? new Map(),
    env: readVariable,
  });
  risks.forEach(warn);
  if (problems.length > 0) throw new OptionFileError(problems.join("; "));
  return 0;
}

function table(rows: readonly (readonly [string, string, string])[]): string {
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const [first, second] = [width(0), width(1)];
  return rows
    .map(([option, value, from]) => `${option.padEnd(first)}  ${value.padEnd(second)}  ${from}`)
    .join("\n");
}

// Reads the files of the options, as `serve` does. Problems are reasons against a start, as clauses.
function readFiles(config: Config): {
  readonly names: ReadonlyMap<keyof Config, readonly KeyName[]>;
  readonly problems: readonly string[];
} {
  const { guardKeyFile } = config;
  const names = new Map<keyof Config, readonly KeyName[]>();
  const problems: string[] = [];
  const attempt = (read: () => unknown): void => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof OptionFileError)) throw error;
      problems.push(error.message);
    }
  };
  attempt(() => readTls(config));
  attempt(() => {
    const { callers, secrets } = new ServerKeys(config);
    if (callers !== undefined) names.set("apiKeysFile", callers.names);
    if (secrets !== undefined) names.set("sealKeysFile", secrets.names);
  });
  attempt(() => guardKeyFile && readGuardKey(guardKeyFile));
  attempt(() => readStoreFiles(config));
  return { names, problems };
}
