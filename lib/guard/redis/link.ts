/**
 * The link to a store: the client in use, and its replacement by a new one when it fails.
 *
 * @module
 */

import type { Send, StoreClient } from "./connect.ts";
import { Deadlines } from "../deadlines.ts";
import { clauseOf, silence } from "./reasons.ts";

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
  /** A clock in milliseconds that only goes forward. */
  readonly now: () => number;
  /** Called with each new reason why a server of the store cannot be used, and without one when all can. */
  readonly onChange: (error: unknown) => void;
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
 * The first question without an answer condemns the whole client, since it goes on to use a server that
 * fell silent for as long as commands are written to it. New clients are made from the URL, one at a
 * time, while the old one serves. The first new client that a server answers takes its place, and a
 * server that is still silent then fails its own keys alone. Once all servers answer, the link is well.
 */
export class StoreLink {
  readonly #options: LinkOptions;
  readonly #answers: Deadlines;
  readonly #attempts: Deadlines;
  #used: Used | undefined;
  #isHealthy: boolean | undefined;
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
    this.#answers = new Deadlines(options.timeoutMs, silence);
    this.#attempts = new Deadlines(2 * options.timeoutMs, silence);
    void this.#replace();
  }

  /** Whether a server of the store answered when all were asked last; undefined until one has. */
  get isHealthy(): boolean | undefined {
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

  // Connects a new client, and uses it if a server of the store answers its probes.
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
      const failures = await this.#probe(client);
      this.#use(used);
      return failures[0];
    } catch (error) {
      used?.client.destroy();
      await this.#probeOld();
      return lost ?? error;
    }
  }

  // Asks every server, and gives the errors of those that fail; rejects when all do.
  async #probe(client: StoreClient): Promise<readonly unknown[]> {
    const { probe, probePrefix } = this.#options;
    const one = async (number: number): Promise<void> => {
      const key = `${probePrefix}${number}`;
      try {
        await this.#answers.within(() => probe((words) => client.send(key, words), key));
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

  // The servers of the URL may be gone while others answer the old client.
  async #probeOld(): Promise<void> {
    if (this.#used === undefined) return;
    const answers = await this.#probe(this.#used.client).then(() => true, () => false);
    this.#isHealthy = answers && !this.#isClosed;
  }

  #use(used: Used): void {
    if (this.#isClosed) return used.client.destroy();
    const old = this.#used;
    this.#used = used;
    this.#isHealthy = true;
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
      if (this.#told !== undefined) onChange(undefined);
      this.#told = undefined;
      return;
    }
    const reason = clauseOf(error);
    this.#told ??= new Set();
    if (this.#told.has(reason)) return;
    this.#told.add(reason);
    onChange(error);
  }
}
