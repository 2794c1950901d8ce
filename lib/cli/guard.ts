/**
 * Commands `guard`: show and change the state of the guard, in a shared store or by the operator
 * port of a server.
 *
 * @module
 */

import { readGuardKey } from "../server/guard.ts";
import { readStoreFiles } from "../server/files/tls.ts";
import type { Config } from "../config/config.ts";
import { flagOf, UsageError } from "../config/option.ts";
import { fingerprintBy, shortName } from "../guard/fingerprint.ts";
import { guardRules, pinsOwed, refusalsOf } from "../guard/guard.ts";
import { secretKey } from "../otp/secret.ts";
import { askStore, type OperatedStore } from "../guard/redis/operator.ts";
import { clauseOf } from "../guard/redis/reasons.ts";
import type { StoreUrl } from "../guard/redis/store_url.ts";
import { CommandError, readSecret } from "./io/io.ts";
import { askName, askStatus, askUnlock } from "./operator_port.ts";

/** Timeout of a store, in milliseconds. */
const TIMEOUT_MS = 5000;

/** Number of secrets shown, with the most wrong pins first. */
const SHOWN_SECRETS = 10;

/** Writes a line to stdout. */
export type Print = (line: string) => void;

/**
 * Prints the name of a secret in the log; reads the secret from standard input.
 *
 * @returns The exit code.
 * @throws {CommandError} When no server answers.
 */
export async function guardName(config: Config, print: Print): Promise<number> {
  const { guardKeyFile } = config;
  if (guardKeyFile !== undefined) print(shortName(await fingerprintOf(config, guardKeyFile)));
  else print(await askName(config, await readSecret(undefined)));
  return 0;
}

/**
 * Ends the throttle of a secret, which it reads from standard input.
 *
 * @returns The exit code.
 * @throws {CommandError} When the store, or the server, does not answer.
 */
export async function guardUnlock(config: Config, print: Print): Promise<number> {
  const { guard, guardKeyFile } = config;
  if (guard === "memory") {
    const name = await askUnlock(config, await readSecret(undefined));
    print(`pins for secret=${name} are checked again`);
    return 0;
  }
  if (guardKeyFile === undefined) {
    throw new UsageError(`give ${flagOf("guardKeyFile")}: it names the secrets in the store`);
  }
  const fingerprint = await fingerprintOf(config, guardKeyFile);
  const wasKept = await atStore(guard, config, (store) => store.unlock(fingerprint));
  print(unlockedLine(shortName(fingerprint), wasKept));
  return 0;
}

function unlockedLine(name: string, wasKept: boolean): string {
  return wasKept
    ? `pins for secret=${name} are checked again, by every server within a second`
    : `nothing was remembered about secret=${name}`;
}

/**
 * Prints the numbers of remembered and of throttled secrets, and the secrets with the most wrong
 * pins.
 *
 * @returns The exit code.
 * @throws {CommandError} When the store, or the server, does not answer.
 */
export async function guardStatus(config: Config, print: Print): Promise<number> {
  const { guard } = config;
  if (guard !== "memory") await printStore(guard, config, print);
  else printCounts(await askStatus(config), print);
  return 0;
}

interface Row {
  readonly name: string;
  readonly wrong: number;
  readonly refusedSeconds: number;
}

async function printStore(url: StoreUrl, config: Config, print: Print): Promise<void> {
  const rules = guardRules(config);
  let count = 0;
  let refused = 0;
  let rows: Row[] = [];
  await atStore(url, config, async (store) => {
    for await (const { fingerprint, state, nowMs } of store.secrets()) {
      count++;
      const { toSomeMs } = refusalsOf(rules, state, nowMs);
      if (toSomeMs > 0) refused++;
      const wrong = pinsOwed(rules, state, nowMs);
      if (wrong === 0) continue;
      const refusedSeconds = Math.ceil(toSomeMs / 1000);
      rows.push({ name: shortName(fingerprint), wrong, refusedSeconds });
      if (rows.length >= 100 * SHOWN_SECRETS) rows = most(rows);
    }
  });
  printCounts({ entries: count, throttled: refused }, print);
  for (const { name, wrong, refusedSeconds } of most(rows)) {
    print(`secret=${name} wrong=${wrong} refused_seconds=${refusedSeconds}`);
  }
}

function most(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) => other.wrong - one.wrong).slice(0, SHOWN_SECRETS);
}

async function fingerprintOf(config: Config, guardKeyFile: string): Promise<string> {
  const { algorithm, secretEncoding } = config;
  const name = fingerprintBy(readGuardKey(guardKeyFile), algorithm);
  const key = secretKey(await readSecret(undefined), secretEncoding);
  if (key === undefined || key.length === 0) {
    throw new CommandError("the secret is empty or malformed");
  }
  return name(key);
}

// Acts on a store. Replaces an error by its reason, since its message may hold a password.
async function atStore<T>(
  url: StoreUrl,
  config: Config,
  act: (store: OperatedStore) => Promise<T>,
): Promise<T> {
  const files = readStoreFiles(config);
  try {
    return await askStore(url, { files, timeoutMs: TIMEOUT_MS }, act);
  } catch (error) {
    throw new CommandError(`the store, ${url}, ${clauseOf(error)}`);
  }
}

function printCounts(
  { entries, throttled }: { readonly entries: number; readonly throttled: number },
  print: Print,
): void {
  print(`secrets remembered: ${entries}`);
  print(`secrets whose pins are refused now: ${throttled}`);
}
