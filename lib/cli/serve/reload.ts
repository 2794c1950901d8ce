/**
 * Reload of a running server's certificate and API keys, with its log lines.
 *
 * @module
 */

import { statSync } from "node:fs";
import type { Service } from "../../server/server.ts";
import { certificatesIn, readTls, validityOf } from "../../server/files/tls.ts";
import type { Config } from "../../config/config.ts";
import { UsageError } from "../../config/option.ts";
import type { CallerKey } from "../../http/api_keys.ts";
import type { Listener } from "../../server/listen/listen.ts";
import type { Tls } from "../../server/runtime/runtime.ts";
import type { Log } from "../../telemetry/log.ts";

/** Renewable parts of a running server. */
export interface Renewable {
  /** The listener, which holds the certificate. */
  readonly listener: Pick<Listener, "renew">;
  /** The service, which holds the API keys, the log, and the expiry for `/metrics`. */
  readonly service: Pick<Service, "renewKeys" | "log" | "certificateUntilMs">;
  /** The certificate in use; undefined without TLS. */
  readonly tls: Tls | undefined;
}

/** Files of a running server that are read again. */
export class Reload {
  readonly #config: Config;
  readonly #parts: Renewable;
  #tls: Tls | undefined;
  #versions: string;

  /** Starts with the certificate in use. */
  constructor(config: Config, parts: Renewable) {
    this.#config = config;
    this.#parts = parts;
    this.#versions = this.#versionsNow();
    this.#use(parts.tls);
  }

  /**
   * Rereads the certificate and the API keys. If a file is unusable, the old ones stay in force and
   * the server continues.
   */
  all(): void {
    const { service } = this.#parts;
    if (this.#config.tlsCert === undefined && this.#config.apiKeysFile === undefined) {
      return service.log.info("SIGHUP: there are no certificate and no API keys to read again");
    }
    this.#versions = this.#versionsNow();
    this.#renewCertificate();
    orKeep("the old API keys are kept", service.log, () => {
      const keys = service.renewKeys();
      if (keys !== undefined) {
        service.log.info(`the API keys were read again: ${keysInWords(keys)}`);
      }
    });
  }

  /** Rereads the certificate if its files have changed since they were last looked at. */
  changedCertificate(): void {
    const versions = this.#versionsNow();
    if (versions === this.#versions) return;
    this.#versions = versions;
    this.#renewCertificate();
  }

  #renewCertificate(): void {
    const { listener, service: { log } } = this.#parts;
    orKeep("the old certificate is kept", log, () => {
      const tls = readTls(this.#config);
      if (tls === undefined) return;
      const isSame = tls.cert === this.#tls?.cert && tls.key === this.#tls.key;
      if (!isSame && !listener.renew(tls)) return;
      this.#use(tls);
      const { clause, isUrgent } = validityOf(certificatesIn(tls.cert)[0]!, Date.now());
      const line = `the certificate was read again${
        isSame ? ", the same as before" : ""
      }: it ${clause}`;
      if (isUrgent) log.warn(line);
      else log.info(line);
    });
  }

  #use(tls: Tls | undefined): void {
    this.#tls = tls;
    if (tls === undefined) return;
    this.#parts.service.certificateUntilMs = validityOf(certificatesIn(tls.cert)[0]!, 0).untilMs;
  }

  #versionsNow(): string {
    return [this.#config.tlsCert, this.#config.tlsKey].map((path) => {
      try {
        const { mtimeMs, size, ino } = statSync(path!);
        return `${mtimeMs} ${size} ${ino}`;
      } catch {
        return "none";
      }
    }).join();
  }
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
