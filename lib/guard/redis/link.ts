/**
 * Link to a store: the client in use, and its replacement after a failure.
 *
 * @module
 */

import type { Send, StoreClient } from "./connect.ts";
import { Deadlines } from "../deadlines.ts";
import { storeClause, timeoutError } from "./reasons.ts";

/** Options of a link. */
export interface LinkOptions {
  /** Makes a client, which calls `onLoss` when it loses a connection. */
  readonly open: (onLoss: (error: unknown) => void) => Promise<StoreClient>;
  /** Probes a server by a probe key, before a new client is active. */
  readonly probe: (send: Send, key: string) => Promise<unknown>;
  /** Prefix of the probe keys. */
  readonly probePrefix: string;
  /** Timeout of a decision or a command of a probe, in milliseconds; connecting has twice as long. */
  readonly timeoutMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Called when a server fails (once per reason) and, with undefined, when all servers answer. */
  readonly onChange: (error: unknown) => void;
}

/** First pause between two attempts to connect, in milliseconds; it doubles with each attempt. */
const FIRST_PAUSE_MS = 250;

/** Longest pause, in milliseconds. */
const LONGEST_PAUSE_MS = 4000;

/** Time without a failure after which the pauses begin anew, in milliseconds. */
const STEADY_MS = 5000;

/** Client with the number of its pending commands. */
interface ActiveClient {
  readonly client: StoreClient;
  pending: number;
}

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
  readonly #answers: Deadlines;
  readonly #attempts: Deadlines;
  #active: ActiveClient | undefined;
  #isHealthy: boolean | undefined;
  #isReplacing = false;
  #isClosed = false;
  #pauseMs = 0;
  #wellSinceMs = 0;
  /** Reasons reported in the current failure; undefined while all servers answer. */
  #reported: Set<string> | undefined = new Set();
  #wake: () => void = () => {};

  /** Makes a link and connects at once. */
  constructor(options: LinkOptions) {
    this.#options = options;
    this.#answers = new Deadlines(options.timeoutMs, timeoutError);
    this.#attempts = new Deadlines(2 * options.timeoutMs, timeoutError);
    void this.#replace();
  }

  /** Whether any server answered the last probe of all; undefined until one has. */
  get isHealthy(): boolean | undefined {
    return this.#isHealthy;
  }

  /**
   * Sends the commands of one decision about a key.
   *
   * @param ask Sends commands and reads their replies.
   * @throws {Error} When the store times out or replies with an error.
   */
  async ask<T>(key: string, ask: (send: Send, isOver: () => boolean) => Promise<T>): Promise<T> {
    const active = this.#active;
    if (active === undefined || !this.#isHealthy) throw new Error("There is no connection");
    active.pending++;
    try {
      return await this.#answers.within((isOver) =>
        ask((words) => active.client.send(key, words), isOver)
      );
    } catch (error) {
      this.#condemn(active, active.client.located(error, key));
      throw error;
    } finally {
      active.pending--;
      if (active !== this.#active) this.#retire(active);
    }
  }

  /** Closes the link for good. */
  close(): void {
    const active = this.#active;
    this.#isClosed = true;
    this.#isHealthy = false;
    this.#active = undefined;
    this.#answers.close();
    this.#attempts.close();
    this.#wake();
    active?.client.destroy();
  }

  #condemn(active: ActiveClient | undefined, error: unknown): void {
    if (active !== this.#active || this.#isReplacing || this.#isClosed) return;
    this.#tell(error);
    void this.#replace();
  }

  async #replace(): Promise<void> {
    const { now } = this.#options;
    this.#isReplacing = true;
    if (now() - this.#wellSinceMs > STEADY_MS) this.#pauseMs = 0;
    // Probe the servers before the pause, which may last seconds, so that their health is known.
    else await this.#probeOld();
    for (;;) {
      await this.#pause();
      if (this.#isClosed) return;
      const error = await this.#attempt();
      if (this.#isClosed) return;
      if (error === undefined) break;
      this.#tell(error);
    }
    this.#wellSinceMs = now();
    this.#isReplacing = false;
    this.#tell(undefined);
  }

  // Connects a new client, and uses it if any server answers its probes.
  async #attempt(): Promise<unknown> {
    let active: ActiveClient | undefined;
    let connecting: Promise<unknown> | undefined;
    let lost: unknown;
    try {
      const client = await this.#options.open((error) => {
        lost ??= error;
        if (active !== undefined) this.#condemn(active, error);
      });
      active = { client, pending: 0 };
      if (this.#isClosed) throw new Error("Closed");
      connecting = client.connect();
      await this.#attempts.within(() => connecting!);
      connecting = undefined;
      const failures = await this.#probe(client);
      this.#use(active);
      return failures[0];
    } catch (error) {
      active?.client.destroy();
      // The client keeps a socket that connects only after `destroy` (@redis/client 6.3.1).
      connecting?.then(() => active?.client.destroy(), () => {});
      await this.#probeOld();
      return lost ?? error;
    }
  }

  // Probes every server; resolves with the errors of failed servers, rejects when all fail.
  async #probe(client: StoreClient): Promise<readonly unknown[]> {
    const { probe, probePrefix } = this.#options;
    const one = async (number: number): Promise<void> => {
      const key = `${probePrefix}${number}`;
      try {
        await probe((words) => this.#answers.within(() => client.send(key, words)), key);
      } catch (error) {
        throw client.located(error, key);
      }
    };
    const servers = client.probeNumbers().map((numbers) => Promise.all(numbers.map(one)));
    const results = await Promise.allSettled(servers);
    const failed = results.filter((result) => result.status === "rejected");
    if (failed.length === results.length) throw failed[0]!.reason;
    return failed.map(({ reason }) => reason);
  }

  // The servers of the URL may be gone while other servers still answer the old client.
  async #probeOld(): Promise<void> {
    if (this.#active === undefined) return;
    const answers = await this.#probe(this.#active.client).then(() => true, () => false);
    this.#isHealthy = answers && !this.#isClosed;
  }

  #use(active: ActiveClient): void {
    if (this.#isClosed) return active.client.destroy();
    const old = this.#active;
    this.#active = active;
    this.#isHealthy = true;
    if (old !== undefined) this.#retire(old);
  }

  // Destroys a replaced client once it has no pending commands.
  #retire({ client, pending }: ActiveClient): void {
    if (pending === 0) client.destroy();
  }

  async #pause(): Promise<void> {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(Math.max(2 * pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    if (pauseMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  // Report each reason once, not with every attempt.
  #tell(error: unknown): void {
    const { onChange } = this.#options;
    if (error === undefined) {
      if (this.#reported !== undefined) onChange(undefined);
      this.#reported = undefined;
      return;
    }
    const reason = storeClause(error);
    this.#reported ??= new Set();
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    onChange(error);
  }
}
