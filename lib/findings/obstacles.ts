/**
 * Preflight check of the guard's store.
 *
 * @module
 */

import { readStoreTls } from "../app/tls_files.ts";
import type { Config } from "../config/config.ts";
import { refusesNothing } from "../guard/guard.ts";
import { tryStore } from "../store/connect.ts";
import { probe, PROBE_PREFIX } from "../store/redis_store.ts";
import { storeFailure } from "../connection/store_failure.ts";

/** How long the store may take to answer, in milliseconds; longer where its URL says so. */
const STORE_PATIENCE_MS = 2_000;

/** Why the store of the guard could not be used, as clauses. */
export async function storeObstacles(config: Config): Promise<readonly string[]> {
  const { guard: url } = config;
  if (url === "memory" || refusesNothing(config)) return [];
  try {
    const patienceMs = Math.max(STORE_PATIENCE_MS, url.patienceMs);
    const options = { tls: readStoreTls(config), patienceMs };
    await tryStore(url, options, { probe, probePrefix: PROBE_PREFIX });
    return [];
  } catch (error) {
    return [`the store of the guard, ${url}, ${storeFailure(error).saying}`];
  }
}
