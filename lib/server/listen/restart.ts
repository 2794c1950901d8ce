/**
 * Keeps an address served: restarts the server when it fails or the certificate changes, and drains
 * the one before.
 *
 * @module
 */

import { writePlainFault } from "../../bindings/http_get_post.ts";
import { USUAL_HEADERS } from "../../http/response.ts";
import { toFault } from "../../http/failure.ts";
import type { Handler } from "../../http/handler.ts";
import type { Log } from "../../telemetry/log.ts";
import { ListenError, systemErrorCode } from "./error.ts";
import { sleep, withTimeout } from "../runtime/timeout.ts";
import type { Runtime, Server, ServerOptions } from "../runtime/runtime.ts";
import { InFlightRequests } from "./drain.ts";

/** How servers follow each other, in milliseconds. */
export interface Timing {
  /** Time for a replaced server to finish: a silent connection could keep it open for ever. */
  readonly retireMs: number;
  /** Time for the requests of a failed server: its idle connections hold the missing descriptors. */
  readonly failedDrainMs: number;
  /** Pause before the address is opened again. */
  readonly pauseMs: number;
  /** Time between two warnings about failures that go on. */
  readonly warningMs: number;
}

const TIMING: Timing = {
  retireMs: 10_000,
  failedDrainMs: 1_000,
  pauseMs: 250,
  warningMs: 60_000,
};

/** A server and the requests on it. */
export interface RunningServer {
  /** The server. */
  readonly server: Server;
  /** The requests. */
  readonly traffic: InFlightRequests;
  /** Takes it from where callers find it, before it is stopped. */
  readonly release: () => void;
}

/** Who is told of what befalls a server. */
export type ServerLog = Pick<Log, "info" | "warn" | "error">;

/**
 * Opens a server.
 *
 * @param release Takes it from where callers find it.
 * @throws {ListenError} When the address cannot be listened on.
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
  const onError = (error: unknown): Response => lastAnswer(error, log);
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

// What a handler that never rejects leaves: a mistake around it. Nothing is known of the request.
function lastAnswer(error: unknown, log: ServerLog): Response {
  const { status, contentType, body } = writePlainFault(toFault(error, log));
  return new Response(body, { status, headers: { ...USUAL_HEADERS, "content-type": contentType } });
}

// How long to wait for the requests under way before its connections are closed, and how long in all.
async function stop(
  { server, traffic, release }: RunningServer,
  drainMs: number,
  timeoutMs: number,
): Promise<void> {
  release();
  const stopped = withTimeout(traffic.drain(), drainMs).then(server.shutdown);
  await withTimeout(stopped, timeoutMs);
}

/** Keeps an address served: opens it again when the server fails, and drains the server before. */
export class RestartingListener {
  readonly #open: () => RunningServer | Promise<RunningServer>;
  readonly #log: ServerLog;
  readonly #timing: Timing;
  readonly #retiring = new Set<Promise<void>>();
  /** Undefined after a failure, until the address is open again. */
  #serving: RunningServer | undefined;
  #isStopped = false;
  #reopening = Promise.resolve();
  #warned: ReturnType<typeof setTimeout> | undefined;

  /**
   * Keeps an address served.
   *
   * @param serving The first server.
   * @param open Opens the address again.
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

  /** Whether it was told to stop. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Puts another server in place; the one before finishes its requests. */
  replace(serving: RunningServer): void {
    if (this.#serving !== undefined) this.#retire(this.#serving);
    this.#serving = serving;
    void serving.server.failed.then(() => {
      if (this.#serving === serving && !this.#isStopped) this.#reopening = this.#reopen(serving);
    });
  }

  /** Stops accepting, lets running requests finish, and then resolves. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#serving !== undefined) this.#retire(this.#serving, Infinity, Infinity);
    await this.#reopening;
    clearTimeout(this.#warned);
    await Promise.all(this.#retiring);
  }

  #retire(serving: RunningServer, drainMs = Infinity, timeoutMs = this.#timing.retireMs): void {
    const retired = stop(serving, drainMs, timeoutMs)
      .catch((error) => this.#log.warn(`a server did not stop cleanly: ${systemErrorCode(error)}`))
      .finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  async #reopen(failed: RunningServer): Promise<void> {
    const isWanted = (): boolean => this.#serving === undefined && !this.#isStopped;
    this.#serving = undefined;
    this.#warn();
    this.#retire(failed, this.#timing.failedDrainMs);
    for (;;) {
      await sleep(this.#timing.pauseMs);
      if (!isWanted()) return;
      const serving = await this.#tryToOpen();
      if (serving === undefined) continue;
      if (isWanted()) this.replace(serving);
      else this.#retire(serving);
      return;
    }
  }

  async #tryToOpen(): Promise<RunningServer | undefined> {
    try {
      return await this.#open();
    } catch {
      // The address is tried again, whatever is in the way.
      this.#warn();
      return undefined;
    }
  }

  #warn(): void {
    if (this.#warned !== undefined) return;
    this.#warned = setTimeout(() => void (this.#warned = undefined), this.#timing.warningMs);
    this.#log.warn(
      "a connection could not be accepted, probably because too many files are open: idle " +
        "connections are closed, and the address is opened again",
    );
  }
}
