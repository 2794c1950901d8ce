/**
 * Reload of a running server's certificate and keys, with its log lines.
 *
 * @module
 */

import type { KeyFileOption, ServerKeys } from "../../server/files/keys.ts";
import type { ServerService } from "../../server/server.ts";
import {
  certificatesIn,
  readTls,
  tlsVersion,
  type Validity,
  validityOf,
} from "../../server/files/tls.ts";
import type { Config } from "../../config/options.ts";
import { UsageError } from "../../config/option.ts";
import type { KeyName } from "../../http/api_keys.ts";
import { ListenError } from "../../server/listen/error.ts";
import type { Listener } from "../../server/listen/listen.ts";
import type { Tls } from "../../server/runtime/runtime.ts";
import { reloadedRisks } from "../check/warnings.ts";
import { readVariable } from "../io/io.ts";

/** Renewable parts of a running server. */
export interface Renewable {
  /** The listener, which holds the certificate. */
  readonly listener: Pick<Listener, "renew">;
  /** The service, which holds the keys, the log, and the state for metrics and `status`. */
  readonly service: Pick<ServerService, "log" | "state"> & {
    readonly keys: Pick<ServerKeys, "renew">;
  };
  /** The certificate in use, with the version of its files; undefined without TLS. */
  readonly tls: Tls | undefined;
  /**
   * Reads the file of options again, and returns the variables whose lines differ.
   *
   * @throws {OptionFileError} When it cannot be used.
   */
  readonly changedOptions: () => readonly string[];
  /** The version of the certificate's files, taken before they were read. */
  readonly version: string;
}

/** Files of keys that are read again on SIGHUP, with the name of their keys. */
const KEY_FILES: readonly (readonly [option: KeyFileOption, what: string])[] = [
  ["apiKeysFile", "API keys"],
  ["sealKeysFile", "seal keys"],
];

/** Files of a running server that are read again. */
export class Reload {
  readonly #config: Config;
  readonly #parts: Renewable;
  #tls: Tls | undefined;
  /** The version of the files of the certificate in use. */
  #version: string;
  /** The reason that was last logged for a certificate that cannot be used. */
  #toldReason: string | undefined;
  #running: Promise<void> = Promise.resolve();

  /** Starts with the certificate in use. */
  constructor(config: Config, parts: Renewable) {
    this.#config = config;
    this.#parts = parts;
    this.#version = parts.version;
    this.#use(parts.tls);
  }

  /**
   * Rereads the certificate, the API keys and the seal keys. If a file is unusable, the old ones stay
   * in force and the server continues. Options cannot be changed: a changed file of options is a
   * failure, since a protection in it would not be in force.
   */
  all(): Promise<void> {
    return this.#inTurn(async () => {
      const keyFiles = KEY_FILES.filter(([option]) => this.#config[option] !== undefined);
      this.#parts.service.state.lastReload = { at: new Date().toISOString(), lines: [] };
      const isUnchanged = this.#checkOptions();
      if (this.#config.tlsCert === undefined && keyFiles.length === 0) {
        if (!isUnchanged) return;
        return this.#tell("info", "SIGHUP: there are no certificate and no keys to read again");
      }
      this.#toldReason = undefined;
      await this.#renewCertificate();
      for (const [option, what] of keyFiles) this.#renewKeys(option, what);
      for (const risk of reloadedRisks(this.#config)) this.#tell("warn", risk);
    });
  }

  /**
   * Rereads the certificate if its files are not those of the certificate in use. A failure is tried
   * again at each look, and logged once for each reason.
   */
  changedCertificate(): Promise<void> {
    return this.#inTurn(async () => {
      if (tlsVersion(this.#config) === this.#version) {
        // The files of the certificate in use are back: the next failure is a new one.
        this.#toldReason = undefined;
        return;
      }
      this.#parts.service.state.lastReload = { at: new Date().toISOString(), lines: [] };
      await this.#renewCertificate();
    });
  }

  // A renewal may take a second where the port cannot be shared.
  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#running = this.#running.then(act, act);
    return this.#running;
  }

  async #renewCertificate(): Promise<void> {
    const version = tlsVersion(this.#config);
    try {
      const tls = readTls(this.#config);
      if (tls === undefined) return;
      const isSame = tls.cert === this.#tls?.cert && tls.key === this.#tls.key;
      if (!isSame && !await this.#parts.listener.renew(tls)) return;
      this.#version = version;
      this.#toldReason = undefined;
      this.#use(tls);
      const { clause, isUrgent } = validityIn(tls);
      const isCopy = isSame && isCredential(this.#config.tlsCert!);
      const text = isSame ? "the certificate is unchanged" : "the certificate was read again";
      this.#tell(isUrgent || isCopy ? "warn" : "info", `${text}: it ${clause}${copyNote(isCopy)}`);
    } catch (error) {
      const used = this.#tls && `, which ${validityIn(this.#tls).clause},`;
      const kept = `the old certificate${used ?? ""} is kept`;
      const reason = `${kept} ${error instanceof Error ? error.message : ""}`;
      if (reason === this.#toldReason) return this.#note(`${kept}, as before`);
      this.#toldReason = reason;
      this.#tellFailure(kept, error);
    }
  }

  #renewKeys(option: KeyFileOption, what: string): void {
    try {
      const { names, isChanged } = this.#parts.service.keys.renew(option);
      const isCopy = !isChanged && isCredential(this.#config[option]!);
      const text = `the ${what} ${isChanged ? "were read again" : "are unchanged"}`;
      this.#tell(isCopy ? "warn" : "info", `${text}: ${keysInWords(names)}${copyNote(isCopy)}`);
    } catch (error) {
      this.#tellFailure(`the old ${what} are kept`, error);
    }
  }

  /** Whether the file of options is as it was at the start. */
  #checkOptions(): boolean {
    const kept = "the old options are kept";
    try {
      const changed = this.#parts.changedOptions();
      if (changed.length === 0) return true;
      const names = new Intl.ListFormat("en-GB").format(changed);
      throw new UsageError(`a restart is needed, since the file of --config has changed: ${names}`);
    } catch (error) {
      this.#tellFailure(kept, error);
      return false;
    }
  }

  #tell(level: "info" | "warn", line: string): void {
    this.#parts.service.log[level](line);
    this.#note(line);
  }

  #tellFailure(kept: string, error: unknown): void {
    const { log, state } = this.#parts.service;
    const isExpected = error instanceof UsageError || error instanceof ListenError;
    const line = isExpected ? `${kept}: ${error.message}` : kept;
    this.#note(line);
    state.refusedReloads++;
    if (isExpected) log.warn(line);
    else log.error(kept, error);
  }

  #note(line: string): void {
    const { state } = this.#parts.service;
    const { lastReload: last } = state;
    if (last !== undefined) state.lastReload = { ...last, lines: [...last.lines, line] };
  }

  #use(tls: Tls | undefined): void {
    this.#tls = tls;
    if (tls === undefined) return;
    this.#parts.service.state.certificateUntilMs = validityIn(tls).untilMs;
  }
}

function validityIn({ cert }: Tls): Validity {
  return validityOf(certificatesIn(cert)[0]!, Date.now());
}

// Whether a file is a credential of systemd, which copies it when the unit starts.
function isCredential(path: string): boolean {
  const folder = readVariable("CREDENTIALS_DIRECTORY");
  return !!folder && path.startsWith(`${folder}/`);
}

function copyNote(isCopy: boolean): string {
  return isCopy ? "; the file is systemd's copy of the start: to use a newer one, restart" : "";
}

/** Counts keys by name, for instance `3 keys: billing (2), 1 without a name`. */
export function keysInWords(names: readonly KeyName[]): string {
  const counts = new Map<KeyName, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const total = `${names.length} ${names.length === 1 ? "key" : "keys"}`;
  const bare = counts.get(null);
  counts.delete(null);
  if (counts.size === 0) return total;
  const counted = [...counts].map(([name, count]) => count === 1 ? name : `${name} (${count})`);
  return `${total}: ${[...counted, ...(bare ? [`${bare} without a name`] : [])].join(", ")}`;
}
