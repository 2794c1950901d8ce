/**
 * Keeps an address served: replaces the server when it fails or the certificate changes, and drains
 * the old one.
 *
 * @module
 */

import { writePlainFault } from "../../bindings/http_get_post.ts";
import { faultOf, respond } from "../../http/response.ts";
import type { Handler } from "../../http/handler.ts";
import type { Log } from "../../telemetry/log.ts";
import { systemErrorCode } from "../../system/system_error.ts";
import { ListenError } from "./error.ts";
import { sleep, withTimeout } from "../runtime/timeout.ts";
import type { Runtime, Server, ServerOptions } from "../runtime/runtime.ts";
import { InFlightRequests } from "./drain.ts";

/** Times of a replacement, in milliseconds. */
export interface Timing {
  /** Timeout of a replaced server, since a silent connection could keep it open for ever. */
  readonly retireMs: number;
  /** Timeout for the requests of a failed server, whose idle connections hold file descriptors. */
  readonly failedDrainMs: number;
  /** Pause before the address is reopened. */
  readonly pauseMs: number;
  /** Least time between two warnings about continued failures. */
  readonly warningMs: number;
  /** Pause between two attempts to open an address that cannot be shared. */
  readonly alonePauseMs: number;
}

const TIMING: Timing = {
  retireMs: 10_000,
  failedDrainMs: 1_000,
  pauseMs: 250,
  warningMs: 60_000,
  alonePauseMs: 20,
};

/** Attempts to open an address that cannot be shared: one second of them. */
const ALONE_ATTEMPTS = 50;

const NOT_ACCEPTED =
  "a connection could not be accepted, probably because too many files are open: idle " +
  "connections are closed, and the address is opened again";

const NOT_RENEWED = "the address cannot be opened with the old certificate, and is tried again";

/** Server with its in-flight requests. */
export interface RunningServer {
  /** The server. */
  readonly server: Server;
  /** The requests. */
  readonly traffic: InFlightRequests;
  /** Removes the address, for instance the socket file, before the server stops. */
  readonly release: () => void;
}

/** Log of a server. */
export type ServerLog = Pick<Log, "info" | "warn" | "error">;

/**
 * Starts a server.
 *
 * @param release Removes the address before the server stops.
 * @throws {ListenError} When the address cannot be used.
 */
export function startServer(
  runtime: Runtime,
  options: Omit<ServerOptions, "onError">,
  { handler, log, release = () => {} }: {
    readonly handler: Handler;
    readonly log: ServerLog;
    readonly release?: () => void;
  },
): RunningServer {
  const traffic = new InFlightRequests();
  // The error comes from outside the handler, which never rejects, so its request is unknown.
  const onError = (error: unknown): Response => respond("", writePlainFault(faultOf(error, log)));
  try {
    const server = runtime.serve(
      { ...options, onError },
      (request) => traffic.answer(handler, request),
    );
    return { server, traffic, release };
  } catch (error) {
    throw new ListenError(options.address, systemErrorCode(error));
  }
}

// Stops a server: `drainMs` limits the wait for in-flight requests, `timeoutMs` the whole stop.
async function stop(
  { server, traffic, release }: RunningServer,
  drainMs: number,
  timeoutMs: number,
): Promise<void> {
  release();
  const stopped = withTimeout(traffic.drain(), drainMs).then(() => server.shutdown());
  await withTimeout(stopped, timeoutMs);
}

/** Keeps an address served: reopens it when the server fails, and drains the old server. */
export class RestartingListener {
  readonly #open: () => RunningServer | Promise<RunningServer>;
  readonly #log: ServerLog;
  readonly #timing: Timing;
  readonly #retiring = new Set<Promise<unknown>>();
  /** The current server; undefined between a failure and the reopening. */
  #serving: RunningServer | undefined;
  #isStopped = false;
  #reopening = Promise.resolve();
  #warned: ReturnType<typeof setTimeout> | undefined;

  /**
   * Keeps an address served.
   *
   * @param serving The first server.
   * @param open Reopens the address.
   */
  constructor(
    serving: RunningServer,
    open: () => RunningServer | Promise<RunningServer>,
    log: ServerLog,
    timing: Timing = TIMING,
  ) {
    this.#open = open;
    this.#log = log;
    this.#timing = timing;
    this.replace(serving);
  }

  /** Whether `stop` was called. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Replaces the server; the old one finishes its requests. */
  replace(serving: RunningServer): void {
    if (this.#serving !== undefined) this.#retire(this.#serving);
    this.#serving = serving;
    void serving.server.failed.then(() => {
      if (this.#serving === serving && !this.#isStopped) this.#reopening = this.#reopen(serving);
    });
  }

  /**
   * Replaces the server where its port cannot be shared: closes the listening socket, and opens the
   * new one at once. The old server finishes its requests.
   *
   * @returns Whether it was replaced; false after a stop.
   * @throws {ListenError} When the address cannot be opened within a second; then it is reopened as
   * it was.
   */
  async replaceAlone(open: () => RunningServer): Promise<boolean> {
    if (this.#serving !== undefined) {
      const { server, traffic } = this.#serving;
      this.#serving = undefined;
      // Marks the replies, which ask callers to close.
      void traffic.drain();
      this.#track(withTimeout(server.shutdown(), this.#timing.retireMs));
    }
    for (let attempt = 1; !this.#isStopped; attempt++) {
      try {
        this.replace(open());
        return true;
      } catch (error) {
        if (attempt === ALONE_ATTEMPTS) {
          this.#reopening = this.#reopenUntilDone(NOT_RENEWED);
          throw error;
        }
      }
      await sleep(this.#timing.alonePauseMs);
    }
    return false;
  }

  /** Stops accepting, and resolves once in-flight requests are finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#serving !== undefined) this.#retire(this.#serving, Infinity, Infinity);
    await this.#reopening;
    clearTimeout(this.#warned);
    await Promise.all(this.#retiring);
  }

  #retire(serving: RunningServer, drainMs = Infinity, timeoutMs = this.#timing.retireMs): void {
    this.#track(stop(serving, drainMs, timeoutMs));
  }

  #track(stopping: Promise<unknown>): void {
    const retired = stopping
      .catch((error) => this.#log.warn(`a server did not stop cleanly: ${systemErrorCode(error)}`))
      .finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  async #reopen(failed: RunningServer): Promise<void> {
    this.#serving = undefined;
    this.#warn(NOT_ACCEPTED);
    this.#retire(failed, this.#timing.failedDrainMs);
    await this.#reopenUntilDone(NOT_ACCEPTED);
  }

  async #reopenUntilDone(warning: string): Promise<void> {
    const isWanted = (): boolean => this.#serving === undefined && !this.#isStopped;
    for (;;) {
      await sleep(this.#timing.pauseMs);
      if (!isWanted()) return;
      const serving = await this.#tryToOpen(warning);
      if (serving === undefined) continue;
      if (isWanted()) this.replace(serving);
      else this.#retire(serving);
      return;
    }
  }

  async #tryToOpen(warning: string): Promise<RunningServer | undefined> {
    try {
      return await this.#open();
    } catch {
      // Try the address again after any failure.
      this.#warn(warning);
      return undefined;
    }
  }

  #warn(message: string): void {
    if (this.#warned !== undefined) return;
    this.#warned = setTimeout(() => void (this.#warned = undefined), this.#timing.warningMs);
    this.#log.warn(message);
  }
}
