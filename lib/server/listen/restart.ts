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
import type { Runtime, Server, ServerFailure, ServerOptions } from "../runtime/runtime.ts";
import { InFlightRequests } from "./drain.ts";

/** Times of a replacement, in milliseconds. */
export interface Timing {
  /** Timeout of a replaced server: a silent connection could keep it open, and stays so. */
  readonly retireMs: number;
  /** Timeout for the requests of a failed server, whose idle connections hold file descriptors. */
  readonly failedDrainMs: number;
  /** Pause before the address is reopened. */
  readonly pauseMs: number;
  /** Least time between two warnings about continued failures. */
  readonly warningMs: number;
  /** Pause between two attempts to open an address that cannot be shared. */
  readonly alonePauseMs: number;
  /** Time for an address that cannot be shared to open, in milliseconds. */
  readonly aloneMs: number;
}

const TIMING: Timing = {
  retireMs: 10_000,
  failedDrainMs: 1_000,
  pauseMs: 250,
  warningMs: 60_000,
  alonePauseMs: 20,
  aloneMs: 1_000,
};

const NOT_ACCEPTED =
  "a connection could not be accepted, probably because too many files are open: idle " +
  "connections are closed, and the address is opened again";

const DROPPED =
  "all connections were dropped: the memory that the runtime keeps for them grew too much. " +
  "If callers caused this, let them connect through a proxy";

const NOT_REOPENED = "the address cannot be opened again, and is tried again";

/** Server with its in-flight requests. */
export interface RunningServer {
  /** The server. */
  readonly server: Server;
  /** The requests. */
  readonly traffic: InFlightRequests;
  /** Removes the address, for instance the socket file, before the server stops. */
  readonly release?: () => void;
}

/** Log of a server. */
export type ServerLog = Pick<Log, "info" | "warn" | "error">;

/** Log of a listener, and its other events. */
export interface ListenerEvents {
  /** The log of the server. */
  readonly log: ServerLog;
  /**
   * Called when all connections are dropped because they take too much memory; without it, they never
   * are.
   */
  readonly onDrop?: (() => void) | undefined;
}

/**
 * Starts a server.
 *
 * @throws {ListenError} When the address cannot be used.
 */
export function startServer(
  runtime: Runtime,
  options: Omit<ServerOptions, "onError">,
  { handler, log }: { readonly handler: Handler; readonly log: ServerLog },
): RunningServer {
  const traffic = new InFlightRequests();
  // The error comes from outside the handler, which never rejects, so its request is unknown.
  const onError = (error: unknown): Response => respond("", writePlainFault(faultOf(error, log)));
  try {
    const server = runtime.serve(
      { ...options, onError },
      (request) => traffic.answer(handler, request),
    );
    return { server, traffic };
  } catch (error) {
    throw new ListenError(options.address, systemErrorCode(error));
  }
}

async function stop({ server, traffic, release }: RunningServer): Promise<void> {
  release?.();
  await traffic.drain();
  await server.shutdown();
}

/** Keeps an address served: reopens it when the server fails, and drains the old server. */
export class RestartingListener {
  readonly #open: () => RunningServer | Promise<RunningServer>;
  readonly #log: ServerLog;
  readonly #timing: Timing;
  readonly #onDrop: () => void;
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
    { log, onDrop = () => {} }: ListenerEvents,
    timing: Timing = TIMING,
  ) {
    this.#open = open;
    this.#log = log;
    this.#onDrop = onDrop;
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
    void serving.server.failed.then((failure) => {
      if (this.#serving !== serving || this.#isStopped) return;
      this.#reopening = this.#recover(serving, failure);
    });
  }

  /**
   * Replaces the server where its port cannot be shared: closes the listening socket, and opens the
   * address again. The old server finishes its requests.
   *
   * @returns Whether the address is open within a second; it is tried again until it is.
   */
  async reopen(): Promise<boolean> {
    if (this.#serving !== undefined) {
      const { server, traffic } = this.#serving;
      this.#serving = undefined;
      // Marks the replies, which ask callers to close.
      void traffic.drain();
      this.#track(withTimeout(server.shutdown(), this.#timing.retireMs));
      this.#reopening = this.#reopenUntilDone(NOT_REOPENED, this.#timing.alonePauseMs);
    }
    return await withTimeout(this.#reopening, this.#timing.aloneMs) && !this.#isStopped;
  }

  /** Stops accepting, and resolves once in-flight requests are finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#serving !== undefined) this.#retire(this.#serving, Infinity);
    await this.#reopening;
    clearTimeout(this.#warned);
    await Promise.all(this.#retiring);
  }

  #retire(serving: RunningServer, timeoutMs = this.#timing.retireMs): void {
    this.#track(withTimeout(stop(serving), timeoutMs));
  }

  #track(stopping: Promise<unknown>): void {
    const retired = stopping
      .catch((error) => this.#log.warn(`a server did not stop cleanly: ${systemErrorCode(error)}`))
      .finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  async #recover(
    { server, traffic, release }: RunningServer,
    failure: ServerFailure,
  ): Promise<void> {
    this.#serving = undefined;
    release?.();
    if (failure === "memory") {
      this.#onDrop();
      this.#log.warn(DROPPED);
      traffic.refuse();
      server.abort();
      return await this.#reopenUntilDone(NOT_REOPENED, this.#timing.alonePauseMs);
    }
    this.#warn(NOT_ACCEPTED);
    // A shutdown would wait for silent callers, whose connections hold the descriptors.
    const drained = withTimeout(traffic.drain(), this.#timing.failedDrainMs);
    this.#track(drained.then(() => {
      traffic.refuse();
      server.abort();
    }));
    await this.#reopenUntilDone(NOT_ACCEPTED);
  }

  async #reopenUntilDone(warning: string, pauseMs = this.#timing.pauseMs): Promise<void> {
    const isWanted = (): boolean => this.#serving === undefined && !this.#isStopped;
    for (;;) {
      await sleep(pauseMs);
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
