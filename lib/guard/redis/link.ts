/**
 * Link to a store: the client in use, and its replacement after a failure.
 *
 * @module
 */

import type { StoreClient } from "./connect.ts";
import { storeClause } from "./reasons.ts";
import type { Send } from "./script.ts";

/** Options of a link. */
export interface LinkOptions {
  /** Makes a client, which calls `onLoss` when it loses a connection. */
  readonly open: (onLoss: (error: unknown) => void) => Promise<StoreClient>;
  /** A monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called when a server fails (once per reason) and, with undefined, when all servers answer. */
  readonly onChange: (error: unknown) => void;
}

/** First pause between two attempts to connect, in milliseconds; it doubles with each attempt. */
const FIRST_PAUSE_MS = 250;

/** Longest pause, in milliseconds. */
const LONGEST_PAUSE_MS = 4000;

/** Time without a failure after which the pauses begin anew, in milliseconds. */
const STEADY_MS = 5000;

/**
 * Link to a store.
 *
 * After an unanswered command, the client is replaced, since it would keep using a silent server. New
 * clients are made from the URL, one at a time, while the old one serves. The first with an answer
 * from any server takes its place; a server that is still silent then fails its own keys only. The
 * failure is over once all servers answer.
 */
export class StoreLink {
  readonly #options: LinkOptions;
  /** The client in use; undefined before the first, and after `close`. */
  #active: StoreClient | undefined;
  /** The client of the current attempt to connect. */
  #next: StoreClient | undefined;
  /** The clients that were replaced and have pending commands. */
  #retired: readonly StoreClient[] = [];
  #isHealthy: boolean | undefined;
  #failing: readonly string[] = [];
  #isReplacing = false;
  #isClosed = false;
  #pauseMs = 0;
  #pauseTimer: ReturnType<typeof setTimeout> | undefined;
  #wellSinceMs = 0;
  /** Reasons reported in the current failure; undefined while all servers answer. */
  #reported: Set<string> | undefined = new Set();

  /** Makes a link and connects at once. */
  constructor(options: LinkOptions) {
    this.#options = options;
    void this.#replace();
  }

  /** Whether any server answered the last probe of all; undefined until one has. */
  get isHealthy(): boolean | undefined {
    return this.#isHealthy;
  }

  /**
   * Runs commands about a key.
   *
   * @throws {Error} When the store times out or replies with an error.
   */
  async run<T>(key: string, commands: (send: Send) => Promise<T>): Promise<T> {
    const client = this.#active;
    if (client === undefined || !this.#isHealthy) throw new Error("There is no connection");
    try {
      return await client.run(key, commands);
    } catch (error) {
      this.#fail(client, error);
      throw error;
    }
  }

  /** Runs commands at each server, and returns the results of those that answer. */
  async each<T>(
    commands: (send: Send) => Promise<T>,
  ): Promise<readonly (readonly [server: string, result: T])[]> {
    const client = this.#active;
    if (client === undefined) return [];
    const { results, errors } = await client.each(commands);
    for (const error of errors) this.#fail(client, error);
    return results;
  }

  /** Clauses about the servers of a Cluster that fail while others answer. */
  get failing(): readonly string[] {
    return this.#isHealthy ? this.#failing : [];
  }

  /** Closes the link for good. */
  close(): void {
    const clients = [this.#active, this.#next, ...this.#retired];
    this.#isClosed = true;
    this.#isHealthy = false;
    this.#active = undefined;
    clearTimeout(this.#pauseTimer);
    for (const client of clients) client?.destroy();
  }

  #fail(client: StoreClient | undefined, error: unknown): void {
    if (client !== this.#active || this.#isReplacing || this.#isClosed) return;
    this.#report(error);
    void this.#replace();
  }

  async #replace(): Promise<void> {
    const { monotonicMs } = this.#options;
    this.#isReplacing = true;
    if (monotonicMs() - this.#wellSinceMs > STEADY_MS) this.#pauseMs = 0;
    // Probe the servers before the pause, which may last seconds, so that their health is known.
    else await this.#probeActive();
    for (;;) {
      await this.#pause();
      if (this.#isClosed) return;
      const error = await this.#attempt();
      if (this.#isClosed) return;
      if (error === undefined) break;
      this.#report(error);
    }
    this.#wellSinceMs = monotonicMs();
    this.#isReplacing = false;
    this.#report(undefined);
  }

  // Connects a new client and uses it if any server answers its probes; returns the first failure.
  async #attempt(): Promise<unknown> {
    let client: StoreClient | undefined;
    let lost: unknown;
    try {
      client = await this.#options.open((error) => {
        lost ??= error;
        this.#fail(client, error);
      });
      this.#next = client;
      if (this.#isClosed) throw new Error("Closed");
      await client.connect();
      const failures = await client.probe();
      if (this.#isClosed) throw new Error("Closed");
      const old = this.#active === undefined ? [] : [this.#active];
      old.forEach((client) => client.retire());
      this.#retired = [...this.#retired, ...old].filter((client) => !client.isDestroyed);
      this.#active = client;
      this.#isHealthy = true;
      this.#failing = failures.map(storeClause);
      return failures[0];
    } catch (error) {
      client?.destroy();
      await this.#probeActive();
      return lost ?? error;
    } finally {
      this.#next = undefined;
    }
  }

  // The servers of the URL may be gone while other servers still answer the old client.
  async #probeActive(): Promise<void> {
    if (this.#active === undefined) return;
    const failures = await this.#active.probe().catch(() => undefined);
    this.#isHealthy = failures !== undefined && !this.#isClosed;
    this.#failing = failures?.map(storeClause) ?? [];
  }

  async #pause(): Promise<void> {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(Math.max(2 * pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    if (pauseMs === 0) return;
    await new Promise((resolve) => this.#pauseTimer = setTimeout(resolve, pauseMs));
  }

  // Reports each reason once, not with every attempt.
  #report(error: unknown): void {
    if (error === undefined) {
      if (this.#reported !== undefined) this.#options.onChange(undefined);
      this.#reported = undefined;
      return;
    }
    const reason = storeClause(error);
    this.#reported ??= new Set();
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    this.#options.onChange(error);
  }
}
