/**
 * Preflight check of the guard's store.
 *
 * @module
 */

import { readStoreFiles } from "../../server/files/tls.ts";
import type { Config } from "../../config/config.ts";
import { refusesNothing } from "../../guard/guard.ts";
import { askStore } from "../../guard/redis/operator.ts";
import { clauseOf } from "../../guard/redis/reasons.ts";

/** Least timeout of the store, in milliseconds; its URL may give a longer one. */
const STORE_TIMEOUT_MS = 2_000;

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
