/**
 * Commands `guard`, and the guard's part of `status`: show and change the state of the guard, in a
 * shared store or by the operator port of a server.
 *
 * @module
 */

import { readGuardKey } from "../server/keyed_guard.ts";
import { readStoreFiles } from "../server/files/tls.ts";
import type { Config } from "../config/options.ts";
import { UsageError } from "../config/option.ts";
import { fingerprintBy, shortName } from "../guard/fingerprint.ts";
import { guardRules, pinsOwed, throttleTimes } from "../guard/guard.ts";
import { noKeyClause, secretKey } from "../otp/secret.ts";
import { openSecret, type SealKeys, UnopenedError } from "../sealing/seal_keys.ts";
import type { StoreClient } from "../guard/redis/connect.ts";
import { sampleSecrets, unlockSecret, withStore } from "../guard/redis/operator.ts";
import { storeClause } from "../guard/redis/reasons.ts";
import type { StoreUrl } from "../guard/redis/store_url.ts";
import type { OptionsOf } from "./args/commands.ts";
import { csvLine, type CsvRecord, csvRecords, recordError } from "./io/csv.ts";
import { CommandError, readSecret, stdinChunks, warn, writeAll } from "./io/io.ts";
import type { GuardStatus } from "../telemetry/status.ts";
import { askName, askUnlock, NoServerError } from "./operator_port.ts";
import { keysFor, openTyped, unopenedClause } from "./sealed_secret.ts";

/** Number of secrets shown, with the most wrong pins first. */
const SHOWN_SECRETS = 10;

/** Writes a line to stdout. */
export type Print = (line: string) => void;

/**
 * Prints the name in the log of a secret, plain or sealed, from standard input, or of each secret of a
 * table.
 *
 * @returns The exit code.
 * @throws {CommandError} When no server answers, or the secret cannot be opened.
 */
export async function guardName(
  config: Config,
  { csv }: OptionsOf<"guard name">,
  print: Print,
): Promise<number> {
  const nameOf = namerOf(config);
  if (csv) return await nameTable(config, nameOf);
  print(await nameOf(openTyped(await readSecret(undefined), config)));
  return 0;
}

function namerOf(config: Config): (secret: string) => string | Promise<string> {
  const { guardKeyFile } = config;
  if (guardKeyFile === undefined) return (secret) => askName(config, secret);
  const fingerprint = fingerprintsBy(config, guardKeyFile);
  return (secret) => shortName(fingerprint(secret));
}

/**
 * Writes for each record the name of its secret, which is empty for a secret that cannot be opened, and
 * its other fields.
 */
async function nameTable(
  config: Config,
  nameOf: (secret: string) => string | Promise<string>,
): Promise<number> {
  let exitCode = 0;
  let keys: SealKeys | undefined;
  const lineOf = async (record: CsvRecord): Promise<string> => {
    const secret = record.fields.at(-1)!;
    let name = "";
    try {
      keys ??= keysFor(secret, config);
      if (secret !== "") name = await nameOf(openSecret(secret, keys).text);
    } catch (error) {
      if (!(error instanceof UnopenedError)) throw error;
      const { message } = recordError(record, `has a secret that ${unopenedClause(error)}`);
      warn(`${message}.`);
      exitCode = 1;
    }
    return csvLine([name, ...record.fields.slice(0, -1)]);
  };
  for await (const records of csvRecords(stdinChunks())) {
    for (const record of records) await writeAll(await lineOf(record));
  }
  return exitCode;
}

/**
 * Ends the throttle of a secret, which it reads from standard input. It asks the server where it can,
 * whose log then names the secret, and else the store.
 *
 * @returns The exit code.
 * @throws {CommandError} When the store, or the server, does not answer, or the secret cannot be
 * opened.
 */
export async function guardUnlock(config: Config, print: Print): Promise<number> {
  const { guard, guardKeyFile, metricsPort } = config;
  if (guard !== "memory" && guardKeyFile === undefined) {
    throw new UsageError("give --guard-key-file: it names the secrets in the store");
  }
  if (guardKeyFile !== undefined) readGuardKey(guardKeyFile);
  const secret = openTyped(await readSecret(undefined), config);
  const atServer = guard === "memory" || metricsPort !== undefined
    ? await askUnlock(config, secret).catch((error: Error) => {
      if (guard === "memory") throw error;
      if (!(error instanceof NoServerError)) {
        warn(`${error.message}; so the log of that server has no line of this.`);
      }
    })
    : undefined;
  if (atServer !== undefined) {
    print(unlockedLine(atServer.name, atServer.remembered, guard !== "memory"));
    return 0;
  }
  const fingerprint = fingerprintsBy(config, guardKeyFile!)(secret);
  const wasKept = await atStore(
    guard as StoreUrl,
    config,
    (store) => unlockSecret(store, fingerprint),
  );
  print(unlockedLine(shortName(fingerprint), wasKept, true));
  return 0;
}

function unlockedLine(name: string, wasKept: boolean, isShared: boolean): string {
  if (!wasKept) return `nothing was remembered of this secret, secret=${name}`;
  const soon = isShared ? ", by every server within a second" : "";
  return `pins for secret=${name} are checked again${soon}`;
}

/**
 * Lines of the numbers of remembered and of throttled secrets, and with a shared store of the
 * secrets with the most wrong pins.
 *
 * @param inMemory The counts of a server's guard in memory.
 * @throws {CommandError} When the store does not answer.
 */
export async function guardLines(
  inMemory: GuardStatus | undefined,
  config: Config,
): Promise<readonly string[]> {
  const { guard } = config;
  if (inMemory !== undefined) return countLines(inMemory);
  if (guard === "memory") return [];
  const rules = guardRules(config);
  const { secrets, total, errors } = await atStore(
    guard,
    config,
    (store) => sampleSecrets(store, guard.database),
  );
  const rows = secrets.map(([fingerprint, { state, nowMs }]) => ({
    name: shortName(fingerprint),
    wrong: pinsOwed(rules, state, nowMs),
    refusedSeconds: Math.ceil(throttleTimes(rules, state, nowMs).toSomeMs / 1000),
  }));
  const throttled = rows.filter(({ refusedSeconds }) => refusedSeconds > 0).length;
  const most = rows.filter(({ wrong }) => wrong > 0)
    .toSorted((one, other) => other.wrong - one.wrong)
    .slice(0, SHOWN_SECRETS);
  const read = secrets.length;
  return [
    ...(total === read
      ? countLines({ entries: read, throttled })
      : estimateLines({ read, throttled, total })),
    ...errors.map((error) => `not counted: the store of the guard, ${storeClause(error)}`),
    ...most.map(({ name, wrong, refusedSeconds }) =>
      `secret=${name} wrong=${wrong} refused_seconds=${refusedSeconds}`
    ),
  ];
}

function estimateLines({ read, throttled, total }: {
  readonly read: number;
  readonly throttled: number;
  readonly total: number | undefined;
}): readonly string[] {
  const [some, refused] = total === undefined
    ? [`more than ${read}`, `at least ${throttled}`]
    : [`about ${total}`, `about ${Math.round(throttled * total / read)}`];
  return [
    `secrets remembered: ${some}; ${read} were read, from which the rest is estimated`,
    `secrets whose pins are refused now: ${refused}`,
  ];
}

/**
 * Makes the function that returns the fingerprint of a secret, and throws a `CommandError` for one that
 * has no key.
 *
 * @throws {OptionFileError} When the file of the guard key cannot be used.
 */
export function fingerprintsBy(config: Config, guardKeyFile: string): (secret: string) => string {
  const name = fingerprintBy(readGuardKey(guardKeyFile), config.algorithm);
  return (secret) => {
    const key = secretKey(secret, config.secretEncoding);
    if (key === undefined) throw new CommandError(`the secret ${noKeyClause(secret)}`);
    return name(key);
  };
}

/**
 * Acts on the shared store of the guard.
 *
 * @throws {CommandError} When the store fails: with the reason, since the message of the store's
 * error may hold a password.
 * @throws {OptionFileError} When a file of the options cannot be used.
 */
export async function atStore<T>(
  url: StoreUrl,
  config: Config,
  act: (store: StoreClient) => Promise<T>,
): Promise<T> {
  const files = readStoreFiles(config);
  try {
    return await withStore(url, files, act);
  } catch (error) {
    throw new CommandError(`the store of the guard, ${url}, ${storeClause(error)}`);
  }
}

function countLines({ entries, throttled }: GuardStatus): readonly string[] {
  return [`secrets remembered: ${entries}`, `secrets whose pins are refused now: ${throttled}`];
}
