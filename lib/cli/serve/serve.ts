/**
 * Command `serve`: runs the server until a signal stops it.
 *
 * @module
 */

import { constants } from "node:os";
import process from "node:process";
import type { Config } from "../../config/options.ts";
import { protectionsOf } from "../../config/protections.ts";
import { changedLines } from "../args/config_file.ts";
import type { CommandOf } from "../args/parse.ts";
import { currentRuntime } from "../../server/runtime/current.ts";
import { listen, type Listener, type ListenOptions } from "../../server/listen/listen.ts";
import { withTimeout } from "../../server/runtime/timeout.ts";
import type { Runtime } from "../../server/runtime/runtime.ts";
import { MAX_DRAIN_MS } from "../../server/listen/drain.ts";
import { createServerService, type ServerService } from "../../server/server.ts";
import { readTls, tlsVersion } from "../../server/files/tls.ts";
import { VERSION } from "../version.ts";
import { checkSystem } from "../check/preflight.ts";
import { findRisks } from "../check/warnings.ts";
import { readVariable } from "../io/io.ts";
import { startLine, stoppedLine, stoppingLine } from "./log_lines.ts";
import { Reload } from "./reload.ts";
import { stopSignal } from "./stop_signal.ts";

/** Time between two looks at the files of the certificate. */
const CERTIFICATE_LOOK_MS = 60_000;

/** Timeout for in-flight requests after a stop signal: ten seconds. */
const DRAIN_TIMEOUT_MS = MAX_DRAIN_MS + 1_000;

/** Timeout for the last lines of the log, since a pipe may have no reader. */
const LAST_LINES_TIMEOUT_MS = 1_000;

// Number of timers that the timeout is split into. When the process was stopped and continues, a
// late timer fires before pending writes complete: only one of these is lost then.
const LAST_LINES_PARTS = 10;

/**
 * Serves until SIGINT or SIGTERM, or with `exitWithParent` until the end of standard input. A
 * second signal, half a second later, ends the process at once. SIGHUP rereads the certificate and
 * the API keys.
 *
 * @param print Writes a line for the parent process.
 * @returns The exit code.
 * @throws {ListenError} When the address cannot be used.
 * @throws {OptionFileError} When a file of the options cannot be used.
 * @throws {UsageError} When an option needs another system.
 */
export async function serve(
  { config, sources, files }: CommandOf<"serve">,
  print: (line: string) => void,
): Promise<number> {
  checkSystem(config);
  const serving = Promise.withResolvers<Reload>();
  // Without a listener, SIGHUP would end the process, even before it serves. At a terminal it means
  // that the terminal was closed, and still ends the process.
  if (process.stdin.isTTY !== true) {
    process.on("SIGHUP", () => void serving.promise.then((reload) => reload.all()));
  }
  const runtime = currentRuntime();
  const service = createServerService(runtime, config, {
    version: VERSION,
    color: process.stderr.isTTY === true && !readVariable("NO_COLOR"),
  });
  const { log, state } = service;
  try {
    const version = tlsVersion(config);
    const options = listenOptions(config, service);
    // Before the server listens, a signal ends the process at once; in a container, process 1 would
    // otherwise ignore it. The files are read by now: a listener could not run while a read of a pipe
    // blocks.
    const stopped = stopSignal(config.exitWithParent);
    void stopped.then((reason) => {
      if (state.address === undefined && reason !== "standard input ended") {
        process.exit(128 + constants.signals[reason]);
      }
    });
    await service.selfCheck;
    // The operator port first: a server without it must not take callers from others on a shared
    // port. It stays open to the end of the process, to report that the server is stopping.
    // Answers only once the server listens for callers too: an answer then means that the start
    // succeeded, for the systemd unit as for others.
    const operator = await listenForOperator(config, runtime, service, serving.promise);
    // Listen after this, since right pins are refused until the store is connected.
    await service.guardReady();
    const listener = await listen(runtime, options, service.handler);
    state.address = listener.url;
    state.isReady = true;
    const reload = new Reload(config, {
      listener,
      service,
      tls: options.tls,
      version,
      changedOptions: () => files === undefined ? [] : changedLines(files),
    });
    serving.resolve(reload);
    const watch = setInterval(() => void reload.changedCertificate(), CERTIFICATE_LOOK_MS);
    const { url } = listener;
    print(config.logFormat === "json" ? JSON.stringify({ listening: url }) : `Listening on ${url}`);
    log.info(startLine(config, runtime));
    log.info(`protections: ${protectionsOf(config).join(", ")}`);
    if (operator !== undefined) log.info(`health and metrics are at ${operator.url}`);
    findRisks(config, sources, Date.now()).forEach(log.warn);
    log.info(stoppingLine(await stopped));
    clearInterval(watch);
    state.isReady = false;
    log.info(stoppedLine(await withTimeout(listener.stop(), DRAIN_TIMEOUT_MS)));
  } finally {
    await flushLog(service.close());
  }
  return 0;
}

/** Waits for the last lines on standard error, for a second at most: a reader may have stopped. */
export async function flushLog(written: Promise<void>): Promise<void> {
  for (let parts = 0; parts < LAST_LINES_PARTS; parts++) {
    if (await withTimeout(written, LAST_LINES_TIMEOUT_MS / LAST_LINES_PARTS)) return;
  }
}

async function listenForOperator(
  { metricsHost: hostname, metricsPort: port }: Config,
  runtime: Runtime,
  { operatorHandler, log }: ServerService,
  serving: Promise<unknown>,
): Promise<Listener | undefined> {
  if (port === undefined) return undefined;
  const address = { hostname, port };
  const options = { tls: undefined, sharePort: false, address, log };
  return await listen(
    runtime,
    options,
    async (request) => (await serving, await operatorHandler(request)),
  );
}

function listenOptions(config: Config, { log, onDrop, peers }: ServerService): ListenOptions {
  const { host, port, sharePort, socket, socketMode } = config;
  return {
    sharePort,
    address: socket === undefined ? { hostname: host, port } : { path: socket, mode: socketMode },
    tls: readTls(config),
    log,
    onDrop,
    peers,
  };
}
