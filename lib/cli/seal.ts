/**
 * Commands `seal` and `unseal`: one secret, or the secrets of a table as CSV.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Config } from "../config/options.ts";
import { UsageError } from "../config/option.ts";
import { Fault } from "../operations/fault.ts";
import { checkSecretCode } from "../operations/operations.ts";
import {
  type OpenedSecret,
  openSecret,
  type SealKeys,
  type SecretForm,
  UnopenedError,
} from "../sealing/seal_keys.ts";
import { sealKeysOf } from "../server/files/keys.ts";
import type { OptionsOf } from "./args/commands.ts";
import { fileRisksOf } from "./check/warnings.ts";
import { csvLine, type CsvRecord, csvRecords, END, recordError } from "./io/csv.ts";
import { CommandError, readSecret, stdinChunks, warn, writeAll } from "./io/io.ts";
import { writeStderr } from "./io/output.ts";
import { unopenedClause } from "./sealed_secret.ts";

/** One of the two commands. */
interface Direction {
  /** Makes the new value of a secret. */
  readonly change: (secret: OpenedSecret, keys: SealKeys) => string;
  /** Past participle for the counts, by the form that a secret had. */
  readonly outcomes: Readonly<Record<SecretForm, string>>;
  /** Clause about a secret that the command would change; undefined for another. */
  readonly flaws: Readonly<Record<SecretForm, string | undefined>>;
}

const DIRECTIONS: Readonly<Record<"seal" | "unseal", Direction>> = {
  // A secret that the first key has sealed stays as it is; one of another key is sealed anew.
  seal: {
    change: (secret, keys) => keys.reseal(secret),
    outcomes: { "plain": "sealed", "older-key": "sealed anew", "sealed": "left as it was" },
    flaws: {
      "plain": "is not sealed",
      "older-key": "is not sealed with the first key",
      "sealed": undefined,
    },
  },
  unseal: {
    change: ({ text }) => text,
    outcomes: { "sealed": "opened", "older-key": "opened", "plain": "left as it was" },
    flaws: { "sealed": "is sealed", "older-key": "is sealed", "plain": undefined },
  },
};

/**
 * Seals or opens the secret of standard input, or those of a table.
 *
 * @returns The exit code.
 * @throws {UsageError} When there are no keys.
 * @throws {CommandError} At the first secret that cannot be sealed or opened; the records before it are
 * written, without the last one.
 */
export async function sealCommand(
  name: "seal" | "unseal",
  config: Config,
  { csv, check }: OptionsOf<"seal">,
): Promise<number> {
  const direction = DIRECTIONS[name];
  const keys = sealKeysOf(config);
  if (keys === undefined) throw new UsageError(`${name} needs --seal-keys-file`);
  fileRisksOf(config, ["sealKeysFile"]).forEach(warn);
  if (check && !csv) throw new UsageError("--check needs --csv");
  if (check) return await checkTable(direction, keys);
  if (csv) return await changeTable(direction, keys, config);
  const secret = openedSecret(await readSecret(undefined), keys, config);
  if (typeof secret === "string") throw new CommandError(`the secret ${secret}`);
  await writeAll(`${direction.change(secret, keys)}\n`);
  return 0;
}

/** Refuses texts with a line `\.`, at which psql 15 ends its input, even in quotes. */
function checkLines(record: CsvRecord, texts: readonly string[]): void {
  if (texts.some((text) => /\n\\\.\r?\n/.test(text))) {
    throw recordError(record, "has a line \\. in it, at which psql takes its input for ended");
  }
}

/**
 * Writes for each record its new value, its other fields, and the SHA-256 of its old value. In this
 * order, the cut part of a record is never the new value of a record that matches. The last record
 * has `end` in place of the SHA-256: without it, something failed, and a program that reads the records
 * must change nothing.
 */
async function changeTable(direction: Direction, keys: SealKeys, config: Config): Promise<number> {
  const counts = new Counts([...Object.values(direction.outcomes), "empty"]);
  let width = 0;
  const changedLine = (record: CsvRecord): string => {
    const given = secretOf(record);
    width = record.fields.length;
    checkLines(record, record.fields);
    const digest = createHash("sha256").update(given).digest("hex");
    const lineOf = (changed: string): string =>
      csvLine([changed, ...record.fields.slice(0, -1), digest]);
    if (given === "") {
      counts.add("empty");
      return lineOf("");
    }
    const secret = openedSecret(given, keys, config);
    if (typeof secret === "string") throw recordError(record, `has a secret that ${secret}`);
    checkLines(record, [secret.text]);
    counts.add(direction.outcomes[secret.form]);
    return lineOf(direction.change(secret, keys));
  };
  for await (const records of csvRecords(stdinChunks(), true)) {
    const lines: string[] = [];
    try {
      for (const record of records) lines.push(changedLine(record));
    } finally {
      await writeAll(lines.join(""));
    }
  }
  await writeAll(csvLine([...Array.from({ length: width }, () => ""), END]));
  counts.print();
  return 0;
}

/** Reads a table to its end, and fails if the command would change a secret in it. */
async function checkTable({ flaws }: Direction, keys: SealKeys): Promise<number> {
  const counts = new Counts(["right", "wrong", "empty"]);
  let first: CommandError | undefined;
  for await (const records of csvRecords(stdinChunks(), true)) {
    for (const record of records) {
      const given = secretOf(record);
      const secret = openedSecret(given, keys);
      const flaw = typeof secret === "string" ? secret : flaws[secret.form];
      const isWrong = given !== "" && flaw !== undefined;
      counts.add(given === "" ? "empty" : isWrong ? "wrong" : "right");
      if (isWrong) first ??= recordError(record, `has a secret that ${flaw}`);
    }
  }
  counts.print();
  if (first !== undefined) throw first;
  return 0;
}

function secretOf({ fields }: CsvRecord): string {
  return fields.at(-1)!;
}

/**
 * Opens a secret if it is sealed.
 *
 * @param config Options to check the secret by; undefined for no check.
 * @returns A clause about a secret that cannot be opened or is not one.
 */
function openedSecret(given: string, keys: SealKeys, config?: Config): OpenedSecret | string {
  try {
    const secret = openSecret(given, keys);
    if (config !== undefined) checkSecretCode(secret.text, config);
    return secret;
  } catch (error) {
    if (error instanceof Fault && error.clause !== undefined) return error.clause;
    if (error instanceof UnopenedError) return unopenedClause(error);
    throw error;
  }
}

/** Numbers of records by outcome. */
class Counts {
  readonly #counts: Map<string, number>;

  constructor(outcomes: readonly string[]) {
    this.#counts = new Map(outcomes.map((outcome) => [outcome, 0]));
  }

  add(outcome: string): void {
    this.#counts.set(outcome, this.#counts.get(outcome)! + 1);
  }

  print(): void {
    const shown = [...this.#counts].map(([outcome, count]) => `${count} ${outcome}`);
    writeStderr(`authenticator: ${shown.join(", ")}.\n`);
  }
}
