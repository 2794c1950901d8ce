/**
 * A connection to Redis or Valkey that comes back by itself, and on which nothing waits long.
 *
 * @module
 */

import type { RedisClient } from "./redis_client.ts";
import { ErrorReply, type StoreFailure, storeFailure } from "./store_failure.ts";

/** A connection that comes back by itself. */
export interface RedisConnection {
  /**
   * Sends a command; rejects at once without a connection, and when no reply comes in time.
   *
   * @param isOver Whether nobody waits for the reply any more: then it is sent to no other node.
   */
  readonly ask: <T>(
    words: readonly string[],
    read: (reply: unknown) => T,
    isOver?: () => boolean,
  ) => Promise<T>;
  /** Whether there is a connection that answers. */
  readonly isHealthy: () => boolean;
  /** Ends it for good. */
  readonly close: () => void;
}

/** The pauses of a connection, in milliseconds. */
export interface Pace {
  /** The first pause before another attempt to connect; 250 unless given. */
  readonly retryMs?: number;
  /** The longest: each is twice as long as the one before; 4000 unless given. */
  readonly longestPauseMs?: number;
  /**
   * How often a connection is probed while it is used; 5000 unless given. After one that stood as
   * long, pauses begin anew.
   */
  readonly probeMs?: number;
}

/** How a connection is kept. */
export interface RedisConnectionOptions extends Pace {
  /** Makes a client; it calls `onEnd` once, when its connection has ended or could not be made. */
  readonly open: (onEnd: (reason: unknown) => void) => Promise<RedisClient>;
  /** Told when the connection is there, and of each new reason why it is not. */
  readonly onChange: (failure: StoreFailure | undefined) => void;
  /** Asks what must be answered before a connection is used, and every few seconds after. */
  readonly probe: (client: RedisClient) => Promise<unknown>;
  /** Whether an error says nothing against the store; one of a script that is not known does not. */
  readonly isHarmless?: (error: ErrorReply) => boolean;
}

/**
 * Connects, and connects again whenever the connection ends, until it is closed.
 *
 * A command that gets no reply in time ends the connection: on a way that swallows packets it would
 * look alive for a quarter of an hour (RFC 1122 §4.2.3.5), with every pin waiting. So does an error,
 * but for that of a script that is not known: a store that is full, or a replica, answers readily
 * and decides nothing. Until the next connection has passed the probe, commands are rejected at once
 * and not kept for later. The probe is sent every few seconds too: while no pins come, nothing else
 * would show that the store fell silent.
 */
export function keepConnected(options: RedisConnectionOptions): RedisConnection {
  const keeper = new Keeper(options);
  void keeper.run();
  return {
    ask: (words, read) => keeper.ask(words, read),
    isHealthy: () => keeper.isHealthy,
    close: () => keeper.close(),
  };
}

class Keeper {
  readonly #options: RedisConnectionOptions;
  #client: RedisClient | undefined;
  #told = "";
  #closed = false;
  /** Whether the connection answered a probe while it was used. */
  #hasStood = false;
  // Ends what is being waited for: the connection, or the pause before the next.
  #wake: () => void = () => {};

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
  }

  get isHealthy(): boolean {
    return this.#client !== undefined;
  }

  async ask<T>(words: readonly string[], read: (reply: unknown) => T): Promise<T> {
    if (this.#client === undefined) throw new Error("There is no connection");
    return await this.#client.ask(words, read);
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async run(): Promise<void> {
    const { retryMs = 250, longestPauseMs = 4000 } = this.#options;
    let pauseMs = retryMs;
    while (!this.#closed) {
      this.#hasStood = false;
      const reason = await this.#live();
      if (this.#hasStood) pauseMs = retryMs;
      this.#tell(storeFailure(reason));
      if (!this.#closed) await this.#pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  // The life of one connection; gives the reason of its end.
  async #live(): Promise<unknown> {
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<unknown>();
    let client: RedisClient | undefined;
    try {
      client = endedByErrors(await this.#options.open(onEnd), this.#options.isHarmless);
      this.#wake = () => client?.end(new Error("Closed"));
      if (this.#closed) this.#wake();
      await this.#options.probe(client);
      this.#client = client;
      this.#tell(undefined);
      return await this.#probing(client, ended);
    } catch (error) {
      client?.end(error);
      onEnd(error);
      return await ended;
    } finally {
      this.#client = undefined;
    }
  }

  // Probes a connection until it ends, one probe at a time. What fails ends it by itself.
  async #probing<T>(client: RedisClient, ended: Promise<T>): Promise<T> {
    const { probe, probeMs = 5000 } = this.#options;
    let waiting = false;
    const timer = setInterval(async () => {
      if (waiting) return;
      waiting = true;
      this.#hasStood = await probe(client).then(() => true, () => this.#hasStood);
      waiting = false;
    }, probeMs);
    timer.unref();
    try {
      return await ended;
    } finally {
      clearInterval(timer);
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  // Each reason once, not with every attempt.
  #tell(failure: StoreFailure | undefined): void {
    const news = failure?.saying ?? "is there";
    if (this.#closed || news === this.#told) return;
    this.#told = news;
    try {
      this.#options.onChange(failure);
    } catch {
      // Whoever cannot take the news must not end the connection, nor with it the process.
    }
  }
}

function endedByErrors(
  client: RedisClient,
  isHarmless: (error: ErrorReply) => boolean = () => false,
): RedisClient {
  const ask: RedisClient["ask"] = async (words, read) => {
    try {
      return await client.ask(words, read);
    } catch (error) {
      // A store that does not know a script which it was sent decides nothing.
      const isOnItsOwn = words[0] === "EVALSHA" && isUnknownScript(error) ||
        error instanceof ErrorReply && isHarmless(error);
      if (error instanceof ErrorReply && !isOnItsOwn) client.end(error);
      throw error;
    }
  };
  return { ask, end: client.end };
}

/** Whether an error says that the store does not know a script by its name. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof ErrorReply && error.message.startsWith("NOSCRIPT");
}
