/**
 * Assembly of the service from its options: the handlers, the log, the metrics and the guard.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import process from "node:process";
import { createService, type Service } from "../config/create_service.ts";
import type { Config } from "../config/options.ts";
import { protectionsOf } from "../config/protections.ts";
import type { Guard } from "../guard/guard.ts";
import { lastForwarded } from "../http/request_target.ts";
import { servicePage } from "../page/page.ts";
import { createLog, type Log } from "../telemetry/log.ts";
import { createMetrics, type Metrics } from "../telemetry/metrics.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import type { ServerStatus } from "../telemetry/status.ts";
import { withTimeout } from "./runtime/timeout.ts";
import type { PeerAddresses, Runtime } from "./runtime/runtime.ts";
import { createGuard, guardProblems } from "./keyed_guard.ts";
import { LogWriter } from "./log_writer.ts";
import { replyBatches } from "./reply_batch.ts";
import { ServerKeys } from "./files/keys.ts";

/** Longest delay of a start by a silent store; the timeout in the URL of a store may be longer. */
const FIRST_STORE_REPLY_MS = 2_000;

const PROBES: ReadonlySet<string> = new Set(["healthz", "readyz", "metrics"]);

// Whether a request is a successful probe, of which there are thousands a day.
function isQuiet({ route, status }: RequestEvent): boolean {
  return PROBES.has(route) && status < 400;
}

/** State of a running server, for `/readyz`, `/status` and `/metrics`. */
export interface ServerState {
  /** Whether the server takes new work. */
  isReady: boolean;
  /** The address of callers, as a URL; undefined before the server listens. */
  address?: string | undefined;
  /** End of the validity of the certificate, in milliseconds since 1970; undefined without TLS. */
  certificateUntilMs?: number | undefined;
  /** The latest reading of certificate and keys; undefined before the first. */
  lastReload?: ServerStatus["reload"];
  /** Number of times that all connections were dropped. */
  drops: number;
  /** Number of reloads that kept an old certificate or old keys. */
  refusedReloads: number;
}

/** Service of the command `serve`. */
export interface ServerService extends Pick<Service, "handler" | "operatorHandler" | "selfCheck"> {
  /** The log on standard error. */
  readonly log: Log;
  /** Addresses of callers, which the listener fills; undefined unless the log has them. */
  readonly peers: PeerAddresses | undefined;
  /** Counts a drop of all connections. */
  readonly onDrop: () => void;
  /** State, which the command keeps up to date. */
  readonly state: ServerState;
  /** Keys in force. */
  readonly keys: ServerKeys;
  /** Resolves after the first attempt to reach the store, and after two seconds at the latest. */
  readonly guardReady: () => Promise<void>;
  /**
   * Closes the guard and flushes the log. It does not resolve while the reader of standard error
   * blocks.
   */
  readonly close: () => Promise<void>;
}

/**
 * Makes the service of a server from its options.
 *
 * @param runtime The runtime, which writes the log; in colours if `color` allows them.
 * @throws {OptionFileError} When a file of keys cannot be used.
 */
export function createServerService(
  runtime: Runtime,
  config: Config,
  { version, color }: { readonly version: string; readonly color: boolean },
): ServerService {
  const { logFormat: format, metricsPort } = config;
  const state: ServerState = { isReady: false, drops: 0, refusedReloads: 0 };
  const now = Date.now;
  const monotonicMs = (): number => performance.now();
  const writer = new LogWriter(
    runtime.writeError,
    (count) => log.warn(`log lines lost: ${count}`),
  );
  const log = createLog({ format, color, write: (line) => writer.write(line), now });
  const metrics = config.metrics || metricsPort !== undefined
    ? createMetrics(version, config.window)
    : undefined;
  const keys = new ServerKeys(config);
  const peers: PeerAddresses | undefined = config.logPeer ? new WeakMap() : undefined;
  const guard = createGuard(config, {
    log,
    monotonicMs,
    randomBytes,
    now,
    metrics,
  });
  const { handler, operatorHandler, selfCheck } = createService(config, {
    now,
    pinGuard: guard,
    sealKeys: keys.secrets,
    log,
    isTls: config.tlsCert !== undefined,
    isReady: () => state.isReady,
    apiKeys: keys.callers,
    page: servicePage,
    replyBatch: replyBatches(),
    telemetry: {
      observe: (event) => {
        if (config.logProbes || !isQuiet(event)) log.request(event);
        metrics?.observe(event);
      },
      requestId: requestIds(),
      monotonicMs,
      peer: peers && ((request) => peerOf(request, peers, config)),
    },
    metricsPage: metrics && (() =>
      metrics.text({
        ...processFigures(),
        ...guardFigures(guard),
        certificateUntilMs: state.certificateUntilMs,
        drops: state.drops,
        refusedReloads: state.refusedReloads,
        lostLines: writer.lost,
      })),
    status: () => {
      const { isReady, address, certificateUntilMs: untilMs, lastReload } = state;
      return {
        problems: [
          ...(isReady ? [] : ["the server does not take requests"]),
          ...guardProblems(guard),
          ...(untilMs !== undefined && untilMs < now() ? ["the certificate has expired"] : []),
        ],
        version,
        protections: protectionsOf(config),
        keys: keys.callers?.names,
        sealKeys: keys.secrets?.names,
        secrets: metrics?.checkedSecrets(),
        store: guard === undefined ? "off" : `${config.guard}`,
        guardKey: guard?.keyName,
        since: new Date(performance.timeOrigin).toISOString(),
        address,
        certificateUntil: untilMs === undefined ? undefined : new Date(untilMs).toISOString(),
        reload: lastReload,
        guard: guard?.memory &&
          { entries: guard.memory.size(), throttled: guard.memory.throttled() },
      };
    },
  });
  return {
    handler,
    operatorHandler,
    selfCheck,
    log,
    peers,
    onDrop: () => void state.drops++,
    state,
    keys,
    guardReady: async () => {
      await withTimeout(guard?.shared?.ready ?? Promise.resolve(), FIRST_STORE_REPLY_MS);
    },
    close: async () => {
      guard?.shared?.close();
      await writer.flush();
    },
  };
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
function peerOf(
  request: Request,
  peers: PeerAddresses,
  { trustProxy }: Config,
): string | undefined {
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
  const { memory, shared: store } = guard ?? {};
  if (store === undefined) return { guardEntries: memory?.size() };
  const aheadMs = store.aheadMs();
  return {
    isStoreUp: store.isHealthy() === true,
    storeNodesDown: store.failing().length,
    clockAheadSeconds: aheadMs === undefined ? undefined : aheadMs / 1000,
  };
}
