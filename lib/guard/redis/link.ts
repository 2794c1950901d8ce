/**
 * The link to a store: the client in use, and its replacement by a new one when it fails.
 *
 * @module
 */

import type { Send, StoreClient } from "./connect.ts";
import { Deadlines } from "./deadlines.ts";
import { clauseOf } from "./reasons.ts";

/** How a link is kept. */
export interface LinkOptions {
  /** Makes a client; `onLoss` is called when a connection of it is lost. */
  readonly open: (onLoss: (error: unknown) => void) => Promise<StoreClient>;
  /** Asks what a store must answer before its client is used, about a key of its own. */
  readonly probe: (send: Send, key: string) => Promise<unknown>;
  /** What the keys of probes begin with. */
  readonly probePrefix: string;
  /** How long an answer may take, in milliseconds; connecting and the probes may take twice as long. */
  readonly timeoutMs: number;
  /** Whether some servers of the store can decide while another cannot, as in a Cluster. */
  readonly isCluster: boolean;
  /** A clock in milliseconds that only goes forward. */
  readonly now: () => number;
  /**
   * Called with each new reason why the store cannot be used, and without one when it can.
   *
   * @param isWhole Whether no server of the store can be used.
   */
  readonly onChange: (error: unknown, isWhole: boolean) => void;
}

/** The first pause between two attempts to connect, in milliseconds; each is twice as long. */
const FIRST_PAUSE_MS = 250;

/** The longest pause, in milliseconds. */
const LONGEST_PAUSE_MS = 4000;

/** A client that worked for so long makes the pauses short again, in milliseconds. */
const STEADY_MS = 5000;

/** A client, and the questions that it has not answered. */
interface Used {
  readonly client: StoreClient;
  questions: number;
}

/**
 * A link.
 *
 * The first question without an answer condemns the whole client, since it goes on to use a node that
 * fell silent for as long as commands are written to it. A new client is made from the URL, one at a
 * time. Of a Cluster the old one serves until the new one has answered; of one server, pins are refused
 * until then. Once all servers answer, the link is well.
 */
export class StoreLink {
  readonly #options: LinkOptions;
  readonly #answers: Deadlines;
  readonly #attempts: Deadlines;
  #used: Used | undefined;
  #isHealthy = false;
  #isReplacing = false;
  #isClosed = false;
  #pauseMs = 0;
  #wellSinceMs = 0;
  /** Reasons told since the link was last well; undefined while it is well. */
  #told: Set<string> | undefined = new Set();
  #wake: () => void = () => {};

  /** Makes a link, which connects at once. */
  constructor(options: LinkOptions) {
    this.#options = options;
    this.#answers = new Deadlines(options.timeoutMs);
    this.#attempts = new Deadlines(2 * options.timeoutMs);
    void this.#replace();
  }

  /** Whether the store, or a server of a Cluster, answered the last time. */
  get isHealthy(): boolean {
    return this.#isHealthy;
  }

  /**
   * Asks about a key.
   *
   * @param ask Sends commands and gives what their replies mean.
   * @throws {Error} When the store does not answer in time, or with an error.
   */
  async ask<T>(key: string, ask: (send: Send, isOver: () => boolean) => Promise<T>): Promise<T> {
    const used = this.#used;
    if (used === undefined || !this.#isHealthy) throw new Error("There is no connection");
    used.questions++;
    try {
      return await this.#answers.within((isOver) =>
        ask((words) => used.client.send(key, words), isOver)
      );
    } catch (error) {
      this.#condemn(used, used.client.located(error, key));
      throw error;
    } finally {
      used.questions--;
      if (used !== this.#used) this.#retire(used);
    }
  }

  /** Ends the link for good. */
  close(): void {
    const used = this.#used;
    this.#isClosed = true;
    this.#isHealthy = false;
    this.#used = undefined;
    this.#answers.close();
    this.#attempts.close();
    this.#wake();
    used?.client.destroy();
  }

  #condemn(used: Used | undefined, error: unknown): void {
    if (used !== this.#used || this.#isReplacing || this.#isClosed) return;
    if (!this.#options.isCluster) this.#isHealthy = false;
    this.#tell(error);
    void this.#replace();
  }

  async #replace(): Promise<void> {
    const { now } = this.#options;
    this.#isReplacing = true;
    if (now() - this.#wellSinceMs > STEADY_MS) this.#pauseMs = 0;
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

  // Connects a new client, and uses it if the store, or a server of a Cluster, answers its probe.
  async #attempt(): Promise<unknown> {
    let used: Used | undefined;
    let lost: unknown;
    try {
      const client = await this.#options.open((error) => {
        lost ??= error;
        if (used !== undefined) this.#condemn(used, error);
      });
      used = { client, questions: 0 };
      await this.#attempts.within(() => client.connect());
      const { isUsable, error } = await this.#probe(client);
      if (this.#isClosed || !isUsable) client.destroy();
      else this.#use(used);
      this.#isHealthy = isUsable && !this.#isClosed;
      return error;
    } catch (error) {
      used?.client.destroy();
      // The nodes of the URL may be gone while others of the Cluster answer the old client.
      const old = this.#options.isCluster ? this.#used : undefined;
      this.#isHealthy = old !== undefined && (await this.#probe(old.client)).isUsable &&
        !this.#isClosed;
      return lost ?? error;
    }
  }

  async #probe(
    client: StoreClient,
  ): Promise<{ readonly isUsable: boolean; readonly error: unknown }> {
    const { probe, probePrefix, isCluster } = this.#options;
    const results = await Promise.allSettled(
      client.probeNumbers().map(async (number) => {
        const key = `${probePrefix}${number}`;
        try {
          await this.#answers.within(() => probe((words) => client.send(key, words), key));
        } catch (error) {
          throw client.located(error, key);
        }
      }),
    );
    const failed = results.filter((result) => result.status === "rejected");
    const isUsable = isCluster ? failed.length < results.length : failed.length === 0;
    return { isUsable, error: failed[0]?.reason };
  }

  #use(used: Used): void {
    const old = this.#used;
    this.#used = used;
    if (old !== undefined) this.#retire(old);
  }

  // Ends a client that is not used any more once its last question is answered.
  #retire({ client, questions }: Used): void {
    if (questions === 0) client.destroy();
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

  // Each reason once, not with every attempt.
  #tell(error: unknown): void {
    const { onChange } = this.#options;
    if (error === undefined) {
      if (this.#told !== undefined) onChange(undefined, false);
      this.#told = undefined;
      return;
    }
    const reason = clauseOf(error);
    this.#told ??= new Set();
    if (this.#told.has(reason)) return;
    this.#told.add(reason);
    onChange(error, !this.#isHealthy);
  }
}
