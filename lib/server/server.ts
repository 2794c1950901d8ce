/**
 * Assembly of the service from its options: the handlers, the log, the metrics and the guard.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import process from "node:process";
import type { Config } from "../config/config.ts";
import { flagOf, OptionFileError } from "../config/option.ts";
import type { Handler } from "../http/handler.ts";
import { type CallerKey, KeyFileError, KeyRing, parseKeys } from "../http/api_keys.ts";
import { type AuthenticatorOptions, createAuthenticator } from "../mod.ts";
import { servicePage } from "../page/documents.ts";
import { createLog, type Log } from "../telemetry/log.ts";
import { createMetrics, type Metrics } from "../telemetry/metrics.ts";
import { factKinds } from "../operations/facts.ts";
import { withTimeout } from "./runtime/timeout.ts";
import type { Runtime } from "./runtime/runtime.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import { createGuard } from "./guard.ts";
import { LogWriter } from "./log_writer.ts";
import { readOptionText } from "./files/option_file.ts";

/** Longest delay of a start by a silent store; the timeout in the URL of a store may be longer. */
const STORE_NEWS_MS = 2_000;

/** Service for the command `serve`. */
export interface Service {
  /** Handler of callers' requests. */
  readonly handler: Handler;
  /** Handler of the operator port. */
  readonly probes: Handler;
  /**
   * Rereads the API keys and replaces the current ones.
   *
   * @returns The keys; undefined when callers need none.
   * @throws {OptionFileError} When the file cannot be used; the current keys stay.
   */
  readonly renewKeys: () => readonly CallerKey[] | undefined;
  /** Resolves after the first attempt to reach the store, and after two seconds at the latest. */
  readonly guardReady: () => Promise<void>;
  /** The log on standard error. */
  readonly log: Log;
  /**
   * Closes the guard and flushes the log. It does not resolve while the reader of standard error
   * blocks.
   */
  readonly close: () => Promise<void>;
}

/** Facts of the process beside the options. */
export interface ServiceFacts {
  /** The version for `/metrics`. */
  readonly version: string;
  /** Whether the log may be coloured. */
  readonly color: boolean;
  /** Whether the server takes new work. */
  readonly isReady: () => boolean;
}

/**
 * Makes the service.
 *
 * @param runtime The runtime, which writes the log.
 * @throws {OptionFileError} When the file of API keys or of the guard key cannot be used.
 */
export function createService(
  runtime: Runtime,
  config: Config,
  { version, color, isReady }: ServiceFacts,
): Service {
  const writer = new LogWriter(
    runtime.writeError,
    (count) => log.warn(`log lines lost: ${count}`),
  );
  const log: Log = createLog({
    format: config.logFormat,
    color,
    write: (line) => writer.write(line),
    now: Date.now,
  });
  const { apiKeysFile, metricsPort } = config;
  const metrics = config.metrics || metricsPort !== undefined
    ? createMetrics(version, factKinds(config.window))
    : undefined;
  const apiKeys = apiKeysFile === undefined ? undefined : new KeyRing(readKeys(apiKeysFile));
  const guard = createGuard(config, { log, count: (event) => metrics?.countGuard(event) });
  const metricsPage = metrics &&
    ((): string =>
      metrics.text({
        ...processFigures(),
        guardEntries: guard?.memory?.size(),
        isStoreUp: guard && !guard.memory ? guard.store.isHealthy() === true : undefined,
      }));
  const { fetch: handler, operator: probes } = createAuthenticator(settingsOf(config), {
    now: Date.now,
    guard,
    keys: apiKeys,
    log,
    page: servicePage,
    isReady,
    telemetry: {
      observe: (event: RequestEvent) => observe(event, { log, metrics }),
      requestId: requestIds(),
      monotonicMs: () => performance.now(),
    },
    metricsPage,
    isMetricsPublic: metricsPort === undefined,
    operatorHost: config.metricsHost,
  });
  const close = async (): Promise<void> => {
    guard?.store.close();
    await writer.flush();
  };
  const renewKeys = (): readonly CallerKey[] | undefined => {
    if (apiKeysFile === undefined) return undefined;
    const keys = readKeys(apiKeysFile);
    apiKeys?.replace(keys);
    return keys;
  };
  const guardReady = (): Promise<void> =>
    withTimeout(guard?.ready ?? Promise.resolve(), STORE_NEWS_MS);
  return { handler, probes, renewKeys, guardReady, log, close };
}

function settingsOf(config: Config): AuthenticatorOptions {
  const { namespace, baseUrl, trustProxy, html, window, algorithm, digits, period } = config;
  const { secretEncoding, maxFailures, singleUse } = config;
  const codes = { window, algorithm, digits, period, secretEncoding };
  return { ...codes, namespace, baseUrl, trustProxy, html, maxFailures, singleUse };
}

function observe(event: RequestEvent, { log, metrics }: {
  readonly log: Log;
  readonly metrics: Metrics | undefined;
}): void {
  log.request(event);
  metrics?.observe(event);
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

function processFigures(): Parameters<Metrics["text"]>[0] {
  const { user, system } = process.cpuUsage();
  return {
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    startSeconds: (performance.timeOrigin) / 1000,
  };
}
