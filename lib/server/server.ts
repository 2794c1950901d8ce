/**
 * Assembly of the service from its options: the handlers, the log, the metrics and the guard.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import process from "node:process";
import type { Config } from "../config/config.ts";
import { flagOf, OptionFileError } from "../config/option.ts";
import type { Guard } from "../guard/guard.ts";
import type { Handler } from "../http/handler.ts";
import { lastForwarded } from "../http/request_target.ts";
import { type CallerKey, KeyFileError, KeyRing, parseKeys } from "../http/api_keys.ts";
import { type AuthenticatorOptions, createAuthenticator } from "../mod.ts";
import { servicePage } from "../page/page.ts";
import { createLog, type Log } from "../telemetry/log.ts";
import { createMetrics, type Metrics } from "../telemetry/metrics.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import type { ServerStatus } from "../telemetry/status.ts";
import { factKinds } from "../operations/facts.ts";
import { withTimeout } from "./runtime/timeout.ts";
import type { Peers, Runtime } from "./runtime/runtime.ts";
import { createGuard } from "./guard.ts";
import { LogWriter } from "./log_writer.ts";
import { readOptionText } from "./files/option_file.ts";

/** Longest delay of a start by a silent store; the timeout in the URL of a store may be longer. */
const STORE_NEWS_MS = 2_000;

/** Facts of the process beside the options. */
export interface ServiceFacts {
  /** The version for `/metrics`. */
  readonly version: string;
  /** Whether the log may be coloured. */
  readonly color: boolean;
  /** Whether the server takes new work. */
  readonly isReady: () => boolean;
}

/** API keys that were read again. */
export interface RenewedKeys {
  /** The keys. */
  readonly keys: readonly CallerKey[];
  /** Whether they differ from the ones before. */
  readonly isChanged: boolean;
}

/** Latest reading of the files of certificate and keys. */
export interface LastReload {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly atMs: number;
  /** The log lines about it, as clauses. */
  readonly lines: readonly string[];
}

const PROBES: ReadonlySet<string> = new Set(["healthz", "readyz", "metrics"]);

// Whether a request is a successful probe, of which there are thousands a day.
function isQuiet({ route, status }: RequestEvent): boolean {
  return PROBES.has(route) && status < 400;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Service of the command `serve`. */
export class Service {
  /** Handler of callers' requests. */
  readonly handler: Handler;
  /** Handler of the operator port. */
  readonly probes: Handler;
  /** The log on standard error. */
  readonly log: Log;
  /** Addresses of callers, which the listener fills; undefined unless the log has them. */
  readonly peers: Peers | undefined;
  /** The address of callers, as a URL, for `/status`; undefined before the server listens. */
  address: string | undefined;
  /** Returns the latest reading of certificate and keys, for `/status`. */
  lastReload: () => LastReload | undefined = () => undefined;
  /** End of the validity of the certificate, in milliseconds since 1970, for `/metrics`. */
  certificateUntilMs: number | undefined;
  readonly #writer: LogWriter;
  readonly #guard: Guard | undefined;
  readonly #apiKeysFile: string | undefined;
  readonly #apiKeys: KeyRing | undefined;
  #keyNames: readonly (string | null)[] | undefined;
  #refusedReloads = 0;

  /**
   * Makes the service of the options.
   *
   * @param runtime The runtime, which writes the log.
   * @throws {OptionFileError} When the file of API keys or of the guard key cannot be used.
   */
  constructor(runtime: Runtime, config: Config, { version, color, isReady }: ServiceFacts) {
    const { apiKeysFile, logFormat, metricsHost, metricsPort } = config;
    const writer = new LogWriter(
      runtime.writeError,
      (count) => this.log.warn(`log lines lost: ${count}`),
    );
    const log = createLog({
      format: logFormat,
      color,
      write: (line) => writer.write(line),
      now: Date.now,
    });
    const metrics = config.metrics || metricsPort !== undefined
      ? createMetrics(version, factKinds(config.window))
      : undefined;
    const firstKeys = apiKeysFile === undefined ? undefined : readKeys(apiKeysFile);
    const keys = firstKeys && new KeyRing(firstKeys);
    this.#keyNames = firstKeys?.map(({ name = null }) => name);
    const peers: Peers | undefined = config.logPeer ? new WeakMap() : undefined;
    const guard = createGuard(config, { log, count: (event) => metrics?.countGuard(event) });
    const { fetch, operator } = createAuthenticator(settingsOf(config), {
      now: Date.now,
      guard,
      keys,
      log,
      page: servicePage,
      isReady,
      telemetry: {
        observe: (event) => {
          if (config.logProbes || !isQuiet(event)) log.request(event);
          metrics?.observe(event);
        },
        requestId: requestIds(),
        monotonicMs: () => performance.now(),
        peer: peers && ((request) => peerOf(request, peers, config)),
      },
      metricsPage: metrics && (() =>
        metrics.text({
          ...processFigures(),
          ...guardFigures(guard),
          certificateUntilMs: this.certificateUntilMs,
          refusedReloads: this.#refusedReloads,
          lostLines: writer.lost,
        })),
      status: () => this.#status(config, { version, isReady }),
      isMetricsPublic: metricsPort === undefined,
      operatorHost: metricsHost,
    });
    this.handler = fetch;
    this.probes = operator;
    this.log = log;
    this.peers = peers;
    this.#writer = writer;
    this.#guard = guard;
    this.#apiKeysFile = apiKeysFile;
    this.#apiKeys = keys;
  }

  /**
   * Rereads the API keys and replaces the current ones.
   *
   * @returns The keys, and whether they differ; undefined when callers need none.
   * @throws {OptionFileError} When the file cannot be used; the current keys stay.
   */
  renewKeys(): RenewedKeys | undefined {
    if (this.#apiKeysFile === undefined) return undefined;
    const keys = readKeys(this.#apiKeysFile);
    const isChanged = this.#apiKeys?.replace(keys) ?? false;
    this.#keyNames = keys.map(({ name = null }) => name);
    return { keys, isChanged };
  }

  /** Counts a reload that kept an old certificate or old API keys. */
  readonly countRefusedReload = (): void => void this.#refusedReloads++;

  #status(
    { guard: store }: Config,
    { version, isReady }: Pick<ServiceFacts, "version" | "isReady">,
  ): ServerStatus {
    const guard = this.#guard;
    const until = this.certificateUntilMs;
    const reload = this.lastReload();
    return {
      problems: [
        ...(isReady() ? [] : ["the server does not take requests"]),
        ...(guard === undefined || guard.store.isHealthy()
          ? []
          : ["the store of the guard does not answer"]),
        ...(until !== undefined && until < Date.now() ? ["the certificate has expired"] : []),
      ],
      version,
      since: isoTime(performance.timeOrigin),
      address: this.address,
      certificateUntil: until === undefined ? undefined : isoTime(until),
      keys: this.#keyNames,
      reload: reload && { at: isoTime(reload.atMs), lines: reload.lines },
      store: guard === undefined ? "off" : `${store}`,
      guard: guard?.memory &&
        { entries: guard.memory.size(), throttled: guard.memory.throttled() },
    };
  }

  /** Resolves after the first attempt to reach the store, and after two seconds at the latest. */
  async guardReady(): Promise<void> {
    await withTimeout(this.#guard?.ready ?? Promise.resolve(), STORE_NEWS_MS);
  }

  /**
   * Closes the guard and flushes the log. It does not resolve while the reader of standard error
   * blocks.
   */
  async close(): Promise<void> {
    this.#guard?.store.close();
    await this.#writer.flush();
  }
}

function settingsOf(config: Config): AuthenticatorOptions {
  const { namespace, baseUrl, trustProxy, html, window, algorithm, digits, period } = config;
  const { secretEncoding, maxFailures, singleUse } = config;
  const codes = { window, algorithm, digits, period, secretEncoding };
  return { ...codes, namespace, baseUrl, trustProxy, html, maxFailures, singleUse };
}

/**
 * Reads the API keys.
 *
 * @throws {OptionFileError} When the file cannot be read or is invalid.
 */
export function readKeys(path: string): readonly CallerKey[] {
  const text = readOptionText("apiKeysFile", path);
  try {
    return parseKeys(text);
  } catch (error) {
    if (error instanceof KeyFileError) {
      const flag = flagOf("apiKeysFile");
      throw new OptionFileError(`the file of ${flag} cannot be used: ${error.message}`);
    }
    throw error;
  }
}

/** Random bytes of a request id: a billion ids collide with a chance below one in a million. */
const ID_BYTES = 10;

/** Request ids drawn at once, since a request for random bytes costs more than an id. */
const IDS_AT_ONCE = 512;

// The prefix identifies the process. The rest is random: a counter would reveal the number of
// requests to every client of the health check.
function requestIds(): () => string {
  const prefix = randomBytes(5).toString("hex");
  const length = 2 * ID_BYTES;
  let drawn = "";
  let at = 0;
  return () => {
    if (at === drawn.length) {
      drawn = randomBytes(ID_BYTES * IDS_AT_ONCE).toString("hex");
      at = 0;
    }
    return `${prefix}-${drawn.slice(at, at += length)}`;
  };
}

// Behind a trusted proxy, its caller's address counts: the last one that it names. Some proxies
// (Azure, IIS) add a port: 203.0.113.9:1234, [2001:db8::9]:1234.
function peerOf(request: Request, peers: Peers, { trustProxy }: Config): string | undefined {
  const entry = trustProxy ? lastForwarded(request, "x-forwarded-for") : undefined;
  const named = entry?.replace(/^(?:\[(.*)\]|([0-9.]+))(?::[0-9]+)?$/, "$1$2");
  return named !== undefined && isIP(named) !== 0 ? named : peers.get(request);
}

function processFigures(): Parameters<Metrics["text"]>[0] {
  const { user, system } = process.cpuUsage();
  return {
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    startSeconds: (performance.timeOrigin) / 1000,
  };
}

function guardFigures(guard: Guard | undefined): Partial<Parameters<Metrics["text"]>[0]> {
  if (guard === undefined) return {};
  const { memory, store } = guard;
  return memory ? { guardEntries: memory.size() } : { isStoreUp: store.isHealthy() === true };
}
