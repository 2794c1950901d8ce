/**
 * Preflight checks of the system and of the guard's store.
 *
 * @module
 */

import process from "node:process";
import { readStoreFiles } from "../../server/files/tls.ts";
import type { Config } from "../../config/config.ts";
import { flagOf, UsageError } from "../../config/option.ts";
import { refusesNothing } from "../../guard/guard.ts";
import { askStore } from "../../guard/redis/operator.ts";
import { clauseOf } from "../../guard/redis/reasons.ts";

/** Least timeout of the store, in milliseconds; its URL may give a longer one. */
const STORE_TIMEOUT_MS = 2_000;

/**
 * Checks that the system has what the options ask for.
 *
 * @throws {UsageError} When an option needs a Unix system, and this is Windows.
 */
export function checkSystem(config: Config, platform: string = process.platform): void {
  if (platform !== "win32") return;
  const needsUnix = config.socket !== undefined ? "socket" : config.sharePort && "sharePort";
  if (needsUnix) throw new UsageError(`${flagOf(needsUnix)} needs a Unix system`);
}

/** Finds the reasons that prevent use of the guard's store, as clauses. */
export async function storeObstacles(config: Config): Promise<readonly string[]> {
  const { guard: url } = config;
  if (url === "memory" || refusesNothing(config)) return [];
  try {
    const options = { files: readStoreFiles(config), timeoutMs: STORE_TIMEOUT_MS };
    await askStore(url, options, (store) => store.probe());
    return [];
  } catch (error) {
    return [`the store of the guard, ${url}, ${clauseOf(error)}`];
  }
}
