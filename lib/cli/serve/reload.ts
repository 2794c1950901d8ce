/**
 * Reload of a running server's certificate and API keys, with its log lines.
 *
 * @module
 */

import type { Service } from "../../server/server.ts";
import { readTls } from "../../server/files/tls.ts";
import type { Config } from "../../config/config.ts";
import { UsageError } from "../../config/option.ts";
import type { CallerKey } from "../../http/api_keys.ts";
import type { Listener } from "../../server/listen/listen.ts";
import type { Log } from "../../telemetry/log.ts";

/** Renewable parts of a running server. */
export interface Renewable {
  /** The listener, which holds the certificate. */
  readonly listener: Pick<Listener, "renew">;
  /** The service, which holds the API keys and the log. */
  readonly service: Pick<Service, "renewKeys" | "log">;
}

/**
 * Rereads the certificate and the API keys. If a file is unusable, the old ones stay in force and
 * the server continues.
 */
export function reload(config: Config, { listener, service }: Renewable): void {
  const { log } = service;
  if (config.tlsCert === undefined && config.apiKeysFile === undefined) {
    return log.info("SIGHUP: there are no certificate and no API keys to read again");
  }
  orKeep("the old certificate is kept", log, () => {
    const tls = readTls(config);
    if (tls !== undefined && listener.renew(tls)) {
      log.info("new connections use the renewed certificate");
    }
  });
  orKeep("the old API keys are kept", log, () => {
    const keys = service.renewKeys();
    if (keys !== undefined) log.info(`the API keys were read again: ${keysInWords(keys)}`);
  });
}

function orKeep(kept: string, log: Log, renew: () => void): void {
  try {
    renew();
  } catch (error) {
    if (error instanceof UsageError) log.warn(`${kept}: ${error.message}`);
    else log.error(kept, error);
  }
}

/** Counts API keys by name, for instance `3 keys: billing (2), 1 without a name`. */
export function keysInWords(keys: readonly CallerKey[]): string {
  const counts = new Map<string | undefined, number>();
  for (const { name } of keys) counts.set(name, (counts.get(name) ?? 0) + 1);
  const total = `${keys.length} ${keys.length === 1 ? "key" : "keys"}`;
  const bare = counts.get(undefined);
  counts.delete(undefined);
  if (counts.size === 0) return total;
  const names = [...counts].map(([name, count]) => count === 1 ? name : `${name} (${count})`);
  return `${total}: ${[...names, ...(bare ? [`${bare} without a name`] : [])].join(", ")}`;
}
