/**
 * A place where a server stands, and goes on when one fails: another is opened there, and the one
 * before finishes what it has.
 *
 * @module
 */

import { writePlainFault } from "../binding/http_params.ts";
import { USUAL_HEADERS } from "../http/answer.ts";
import { asFault } from "../http/failure.ts";
import type { Handler } from "../http/handler.ts";
import type { Log } from "../telemetry/log.ts";
import { ListenError, systemErrorCode } from "./listen_error.ts";
import { pause, waitAtMost } from "./patience.ts";
import type { Runtime, Server, ServerOptions } from "./runtime.ts";
import { Traffic } from "./traffic.ts";

/** How servers follow each other, in milliseconds. */
export interface Pace {
  /**
   * How long one that was replaced may take to finish. A caller that connects and says nothing keeps
   * it from ending for as long as it likes.
   */
  readonly retireMs: number;
  /**
   * How long one that failed waits for the requests under way. It holds the descriptors that are
   * missing, and after that it lets go of callers without a request.
   */
  readonly failedDrainMs: number;
  /** The first pause before another is opened; each further one is twice as long as the one before. */
  readonly firstPauseMs: number;
  /** The longest pause. */
  readonly longestPauseMs: number;
  /** After how long it is said to stand, and pauses begin anew. */
  readonly steadyMs: number;
}

const PACE: Pace = {
  retireMs: 10_000,
  failedDrainMs: 1_000,
  firstPauseMs: 50,
  longestPauseMs: 500,
  steadyMs: 5_000,
};

// At the longest pause, one line of the log a minute.
const REFUSALS_A_LINE = 120;

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
  return new Response(body, { status, headers: { ...USUAL_HEADERS, "content-type": contentType } });
}

// How long to wait for the requests under way before its connections are closed, and how long in all.
async function stop(
  { server, traffic, release }: Serving,
  drainMs: number,
  timeoutMs: number,
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
  /** How often none could be opened since one has stood. */
  #refusals = 0;
  /** The last attempt to open one. */
  #attempt: Promise<boolean> | undefined;
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
    if (this.#serving !== undefined) this.#retire(this.#serving, Infinity, Infinity);
    // What is being opened right now is in the way of others until it was let go of.
    await this.#attempt;
    await Promise.all(this.#retiring);
  }

  #retire(serving: Serving, drainMs = Infinity, timeoutMs = this.#pace.retireMs): void {
    const retired = stop(serving, drainMs, timeoutMs)
      .catch((error) => this.#log.warn(`a server did not stop cleanly: ${systemErrorCode(error)}`))
      .finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  #stood(): void {
    this.#pauseMs = 0;
    this.#refusals = 0;
    this.#log.info("connections are accepted again");
  }

  #fail(serving: Serving): void {
    // One that was replaced has let go of its place.
    if (this.#serving !== serving || this.#isStopped) return;
    clearTimeout(this.#steady);
    if (this.#pauseMs === 0) {
      this.#log.warn(
        "a connection could not be accepted, probably because too many files are open: idle " +
          "connections are closed, and the address is opened again",
      );
    }
    this.#serving = undefined;
    this.#retire(serving, this.#pace.failedDrainMs);
    void this.#reopen();
  }

  async #reopen(): Promise<void> {
    const { firstPauseMs, longestPauseMs } = this.#pace;
    for (let isOver = false; !isOver;) {
      this.#pauseMs = Math.min(this.#pauseMs * 2 || firstPauseMs, longestPauseMs);
      await pause(this.#pauseMs);
      this.#attempt = this.#tryToOpen();
      isOver = await this.#attempt;
    }
  }

  // Gives whether it need not be tried again.
  async #tryToOpen(): Promise<boolean> {
    const isWanted = (): boolean => this.#serving === undefined && !this.#isStopped;
    if (!isWanted()) return true;
    try {
      const serving = await this.#open();
      if (isWanted()) this.replace(serving);
      else this.#retire(serving);
      return true;
    } catch (error) {
      // Whatever is in the way, it is tried again; and said again, since nobody is answered.
      if (this.#refusals++ % REFUSALS_A_LINE === 0) {
        const reason = error instanceof ListenError ? error.message : systemErrorCode(error);
        this.#log.warn(`${reason}; callers are refused until it can be opened again`);
      }
      return false;
    }
  }
}
