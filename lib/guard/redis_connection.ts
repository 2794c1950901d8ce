/**
 * A connection to Redis or Valkey that comes back by itself, and on which nothing waits long.
 *
 * @module
 */

/**
 * Why there is no connection that could be used: nothing listens there; what listens does not answer
 * in time; its certificate is not trusted; it refuses the password; it answers with errors.
 */
export type ConnectionFailure = "unreachable" | "silent" | "untrusted" | "refused" | "unusable";

/** A connection that comes back by itself. */
export interface RedisConnection {
  /** Sends a command; rejects at once without a connection, and when no answer comes in time. */
  readonly send: (command: readonly string[]) => Promise<unknown>;
  /** Whether there is a connection that answers. */
  readonly isHealthy: () => boolean;
  /** Ends it for good. */
  readonly close: () => void;
}

/** What the connection needs of a client. */
export interface RedisClient {
  /** Connects, and authenticates. */
  readonly connect: () => Promise<unknown>;
  /** Sends a command. */
  readonly sendCommand: (command: readonly string[]) => Promise<unknown>;
  /** Closes the connection; what still waits for an answer is rejected. */
  readonly destroy: () => void;
}

/** How a connection is kept. */
export interface RedisConnectionOptions {
  /** Makes a client that is not connected yet; it calls `onEnd` when its connection ends. */
  readonly createClient: (onEnd: () => void) => Promise<RedisClient>;
  /** Told when the connection is there, and of each new reason why it is not. */
  readonly onChange: (failure: ConnectionFailure | undefined) => void;
  /** The command that must be answered without an error before the connection is used. */
  readonly probe: readonly string[];
  /** How long an answer may take, in milliseconds; 500 unless given. */
  readonly timeoutMs?: number;
  /** The pause before the next attempt to connect, in milliseconds; 250 unless given. */
  readonly retryMs?: number;
  /** How often a connection is probed while it is used, in milliseconds; 5000 unless given. */
  readonly probeMs?: number;
}

// An answer that did not come in time.
class SilenceError extends Error {
  override readonly name = "SilenceError";
}

/**
 * Connects, and connects again whenever the connection ends, until it is closed.
 *
 * A command that gets no answer in time ends the connection: on a way that swallows packets it
 * would look alive for a quarter of an hour (RFC 1122 §4.2.3.5), with every pin waiting. So does an
 * error, but for that of a script that is not known: a store that is full, or a replica, answers
 * readily and decides nothing. Until the next connection has passed the probe, commands are rejected
 * at once and not kept for later. The probe is sent every few seconds too: while no pins come,
 * nothing else would show that the store fell silent.
 */
export function keepConnected(options: RedisConnectionOptions): RedisConnection {
  const keeper = new Keeper(options);
  void keeper.run();
  return {
    send: (command) => keeper.send(command),
    isHealthy: () => keeper.isHealthy,
    close: () => keeper.close(),
  };
}

class Keeper {
  readonly #options: RedisConnectionOptions;
  readonly #timeoutMs: number;
  #client: RedisClient | undefined;
  #told: ConnectionFailure | "connected" | "nothing" = "nothing";
  #closed = false;
  // Ends what is being waited for: the end of the connection, or of the pause before the next.
  #wake: () => void = () => {};

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 500;
  }

  get isHealthy(): boolean {
    return this.#client !== undefined;
  }

  async send(command: readonly string[]): Promise<unknown> {
    if (this.#client === undefined) throw new SilenceError("There is no connection");
    return await this.#client.sendCommand(command);
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async run(): Promise<void> {
    while (!this.#closed) {
      this.#tell(await this.#live());
      if (!this.#closed) await this.#pause(this.#options.retryMs ?? 250);
    }
  }

  // The life of one connection; gives the reason of its end.
  async #live(): Promise<ConnectionFailure> {
    const { createClient, probe } = this.#options;
    let end: (failure: ConnectionFailure) => void = () => {};
    const ended = new Promise<ConnectionFailure>((resolve) => end = resolve);
    let client: RedisClient | undefined;
    try {
      client = await createClient(() => end("unreachable"));
      await inTime(client.connect(), this.#timeoutMs);
      await inTime(client.sendCommand(probe), this.#timeoutMs);
      if (this.#closed) return "unreachable";
      this.#client = watched(client, this.#timeoutMs, (error) => end(failureOf(error)));
      this.#wake = () => end("unreachable");
      this.#tell("connected");
      return await this.#probing(this.#client, ended);
    } catch (error) {
      return failureOf(error);
    } finally {
      this.#client = undefined;
      destroy(client);
    }
  }

  // Probes a connection until it ends, one probe at a time. What fails ends it by itself.
  async #probing<T>(client: RedisClient, ended: Promise<T>): Promise<T> {
    const { probe, probeMs = 5000 } = this.#options;
    let waiting = false;
    const timer = setInterval(async () => {
      if (waiting) return;
      waiting = true;
      await client.sendCommand(probe).catch(() => {});
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
  #tell(news: ConnectionFailure | "connected"): void {
    if (this.#closed || news === this.#told) return;
    this.#told = news;
    try {
      this.#options.onChange(news === "connected" ? undefined : news);
    } catch {
      // Whoever cannot take the news must not end the connection, nor with it the process.
    }
  }
}

// A client that fails to close is left behind all the same.
function destroy(client: RedisClient | undefined): void {
  try {
    client?.destroy();
  } catch {
    // There is nothing more to do with it.
  }
}

function watched(
  client: RedisClient,
  timeoutMs: number,
  onError: (error: unknown) => void,
): RedisClient {
  const sendCommand = async (command: readonly string[]): Promise<unknown> => {
    try {
      return await inTime(client.sendCommand(command), timeoutMs);
    } catch (error) {
      if (!isUnknownScript(error)) onError(error);
      throw error;
    }
  };
  return { ...client, sendCommand };
}

/** Whether an error says that the store does not know a script by its name. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

/**
 * Waits for a promise, and no longer than a time.
 *
 * @throws {Error} When it takes longer.
 */
export async function inTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilenceError("No answer in time")), timeoutMs);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

// By the first word of an error reply, or by what TLS says. The text itself goes nowhere: it may
// repeat a user name or an address.
function failureOf(error: unknown): ConnectionFailure {
  if (error instanceof SilenceError) return "silent";
  const text = error instanceof Error ? error.message : "";
  if (/certificate/i.test(text)) return "untrusted";
  if (/^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:AUTH|Client sent AUTH|invalid password))\b/.test(text)) {
    return "refused";
  }
  return /^[A-Z]{2,} /.test(text) ? "unusable" : "unreachable";
}
