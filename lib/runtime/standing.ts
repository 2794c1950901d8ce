/**
 * A place where a server stands, and goes on when one fails: another is opened there, and the one
 * before finishes what it has.
 *
 * @module
 */

import { writePlainFault } from "../binding/http_params.ts";
import { asFault } from "../http/failure.ts";
import type { Handler } from "../http/handler.ts";
import type { Log } from "../telemetry/log.ts";
import { ListenError, systemErrorCode } from "./listen_error.ts";
import { pause, waitAtMost } from "./patience.ts";
import type { Runtime, Server, ServerOptions } from "./runtime.ts";
import { Traffic } from "./traffic.ts";

// How long a server that was replaced may take to finish. A caller that connects and says nothing
// keeps it from ending for as long as it likes.
const RETIRE_TIMEOUT_MS = 10_000;

// One that failed holds the descriptors that are missing: it lets go of callers without a request as
// soon as those with one are answered, and at the latest after this long.
const FAILED_DRAIN_MS = 1_000;

/** How a server that fails is opened again, in milliseconds. */
export interface Pace {
  /** The first pause; each further one is twice as long as the one before. */
  readonly firstPauseMs: number;
  /** The longest pause. */
  readonly longestPauseMs: number;
  /** After how long it is said to stand, and pauses begin anew. */
  readonly steadyMs: number;
}

const PACE: Pace = { firstPauseMs: 50, longestPauseMs: 500, steadyMs: 5_000 };

/** A server and the requests on it. */
export interface Serving {
  /** The server. */
  readonly server: Server;
  /** The requests. */
  readonly traffic: Traffic;
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
export function start(
  runtime: Runtime,
  options: Omit<ServerOptions, "onError">,
  { handler, log, release = () => {} }: {
    readonly handler: Handler;
    readonly log: ServerLog;
    readonly release?: () => void;
  },
): Serving {
  const traffic = new Traffic();
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
  const { status, contentType, body } = writePlainFault(asFault(error, log));
  return new Response(body, { status, headers: { "content-type": contentType } });
}

/** How long to wait, in milliseconds, for callers who do not come to an end. */
interface Patience {
  /** Before it closes the connections without a request. */
  readonly drainMs?: number;
  /** In all. */
  readonly timeoutMs?: number;
}

async function stop(
  { server, traffic, release }: Serving,
  { drainMs = Infinity, timeoutMs = RETIRE_TIMEOUT_MS }: Patience,
): Promise<void> {
  release();
  const stopped = waitAtMost(traffic.drain(), drainMs).then(server.shutdown);
  await waitAtMost(stopped, timeoutMs);
}

/** A place where a server stands. */
export class Standing {
  readonly #open: () => Serving | Promise<Serving>;
  readonly #log: ServerLog;
  readonly #pace: Pace;
  readonly #retiring = new Set<Promise<void>>();
  /** Undefined after one failed, until another is open. */
  #serving: Serving | undefined;
  #isStopped = false;
  /** The last pause before one was opened; 0 once it has stood. */
  #pauseMs = 0;
  #steady: ReturnType<typeof setTimeout> | undefined;

  /**
   * Takes the place.
   *
   * @param serving The first server.
   * @param open Opens another in its place.
   */
  constructor(
    serving: Serving,
    open: () => Serving | Promise<Serving>,
    log: ServerLog,
    pace: Pace = PACE,
  ) {
    this.#open = open;
    this.#log = log;
    this.#pace = pace;
    this.replace(serving);
  }

  /** Whether it was told to stop. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Puts a server in the place of the one that stands there, which finishes what it has. */
  replace(serving: Serving): void {
    if (this.#serving !== undefined) this.#retire(this.#serving);
    this.#serving = serving;
    clearTimeout(this.#steady);
    if (this.#pauseMs > 0) this.#steady = setTimeout(() => this.#stood(), this.#pace.steadyMs);
    void serving.server.failed.then(() => this.#fail(serving));
  }

  /** Stops accepting, lets running requests finish, and then resolves. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#steady);
    if (this.#serving !== undefined) this.#retire(this.#serving, { timeoutMs: Infinity });
    await Promise.all(this.#retiring);
  }

  #retire(serving: Serving, patience: Patience = {}): void {
    const retired = stop(serving, patience)
      .catch((error) => this.#log.warn(`a server did not end well: ${systemErrorCode(error)}`))
      .finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  #stood(): void {
    this.#pauseMs = 0;
    this.#log.info("connections are accepted again");
  }

  #fail(serving: Serving): void {
    // One that was replaced has let go of its place.
    if (this.#serving !== serving || this.#isStopped) return;
    clearTimeout(this.#steady);
    if (this.#pauseMs === 0) {
      this.#log.warn(
        "a connection could not be accepted, most likely because too many files are open: callers " +
          "without a request are sent away, and the address is opened again",
      );
    }
    this.#serving = undefined;
    this.#retire(serving, { drainMs: FAILED_DRAIN_MS });
    void this.#reopen();
  }

  async #reopen(): Promise<void> {
    const { firstPauseMs, longestPauseMs } = this.#pace;
    while (this.#serving === undefined && !this.#isStopped) {
      this.#pauseMs = Math.min(this.#pauseMs * 2 || firstPauseMs, longestPauseMs);
      await pause(this.#pauseMs);
      await this.#tryToOpen();
    }
  }

  async #tryToOpen(): Promise<void> {
    const isWanted = (): boolean => this.#serving === undefined && !this.#isStopped;
    if (!isWanted()) return;
    try {
      const serving = await this.#open();
      if (isWanted()) this.replace(serving);
      else this.#retire(serving);
    } catch {
      // Whatever is in the way, it is tried again.
    }
  }
}
