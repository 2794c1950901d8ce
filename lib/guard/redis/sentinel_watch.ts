/**
 * Watch of Redis Sentinels: which primary they name, and when they name another.
 *
 * @module
 */

import { Timeouts } from "../../system/timeouts.ts";
import { isReply, type Send } from "./script.ts";
import { NO_REPLY, UNREADABLE } from "./reasons.ts";
import { isAddress, type StoreAddress } from "./store_url.ts";

/** Connection to a Sentinel. */
export interface SentinelConnection {
  /** Connects; called once. */
  readonly connect: () => Promise<unknown>;
  /** Subscribes to `CHANNELS`; resolves with false where the user of the Sentinel may not. */
  readonly subscribe: () => Promise<boolean>;
  /** Sends a command. */
  readonly send: Send;
  /** Closes the connection. */
  readonly destroy: () => void;
}

/** Options of a watch. */
export interface SentinelWatchOptions {
  /** The Sentinels. */
  readonly addresses: readonly StoreAddress[];
  /** The Sentinels' name of the primary. */
  readonly primaryName: string;
  /** Makes a connection to a Sentinel, which calls `onNews` for each message of `CHANNELS`. */
  readonly open: (address: StoreAddress, onNews: () => void) => SentinelConnection;
  /** Timeout of each reply, in milliseconds. */
  readonly timeoutMs: number;
  /** A monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called when the Sentinels name another primary than before. */
  readonly onMove: (primary: StoreAddress) => void;
  /** Called when all questions failed for a second, and with undefined when one is answered again. */
  readonly onOutage: (error: unknown) => void;
}

/**
 * Channels of the news that the primary is another one: the first is of the Sentinel that directs a
 * failover, the second of all others.
 */
export const CHANNELS: readonly string[] = ["+promoted-slave", "+switch-master"];

/** Time between two questions, which go to the Sentinels in turn, in milliseconds. */
const LOOK_MS = 2000;

/** Time between two questions where Sentinels push no news, in milliseconds. */
const LOOK_WITHOUT_NEWS_MS = 250;

/** Pause before a new connection to a Sentinel, in milliseconds. */
const RECONNECT_MS = 1000;

/** Time of failures without any answer after which an outage is reported, in milliseconds. */
const OUTAGE_MS = 1000;

/** Primary as a Sentinel names it. */
interface NamedPrimary extends StoreAddress {
  /** Version of the Sentinel's configuration: each failover raises it. */
  readonly epoch: number;
}

/**
 * Watch of Sentinels.
 *
 * The Sentinels push news of a move, and are then asked at once; also in turn, for what was not
 * pushed. All connections stay open: a new one with TLS and a login costs more than all commands. The
 * Sentinel that directs a failover names the new primary first; one that is cut off, or restarted with
 * an old configuration, names an old one. Hence the highest epoch counts, and another primary of a
 * lower epoch only once most Sentinels name it.
 */
export class SentinelWatch {
  readonly #options: SentinelWatchOptions;
  readonly #first = Promise.withResolvers<StoreAddress>();
  readonly #open = new Set<SentinelConnection>();
  /** Ends of the pauses. */
  readonly #pauses = new Set<() => void>();
  readonly #replies: Timeouts;
  /** The last answer of each Sentinel. */
  readonly #answers = new Map<StoreAddress, NamedPrimary>();
  /** The first error of each Sentinel. */
  readonly #errors = new Map<StoreAddress, unknown>();
  /** Sentinels whose last question failed. */
  readonly #failing = new Set<StoreAddress>();
  #named: NamedPrimary | undefined;
  #isStarted = false;
  #isClosed = false;
  #isOut = false;
  /** Time since which all Sentinels fail. */
  #failedMs: number | undefined;

  /** Makes a watch. */
  constructor(options: SentinelWatchOptions) {
    this.#options = options;
    this.#replies = new Timeouts(options.timeoutMs, () => new Error(NO_REPLY));
  }

  /**
   * Starts the watch; called once.
   *
   * @returns The primary, once most Sentinels have named one, or all have answered or failed.
   * @throws {Error} When all Sentinels fail.
   */
  start(): Promise<StoreAddress> {
    this.#options.addresses.forEach((address, turn) => void this.#watch(address, turn));
    return this.#first.promise;
  }

  /** Ends the watch. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.destroy();
    this.#replies.close();
    for (const end of this.#pauses) end();
  }

  async #watch(address: StoreAddress, turn: number): Promise<void> {
    while (!this.#isClosed) {
      let hasNews = false;
      let endPause = (): void => {};
      const connection = this.#options.open(address, () => {
        hasNews = true;
        endPause();
      });
      this.#open.add(connection);
      try {
        await this.#replies.within(() => connection.connect());
        // The first answer comes before the subscription, which the start does not need.
        await this.#look(address, connection.send);
        const isPushed = await this.#replies.within(() => connection.subscribe());
        const lookMs = isPushed ? LOOK_MS : LOOK_WITHOUT_NEWS_MS;
        while (!this.#isClosed) {
          // After news, the primary is probably another one.
          const before = hasNews ? undefined : this.#answers.get(address);
          hasNews = false;
          await this.#look(address, connection.send, before);
          if (!hasNews) await this.#pause(this.#untilTurn(turn, lookMs), (end) => endPause = end);
        }
      } catch (error) {
        this.#fail(address, error);
      }
      this.#open.delete(connection);
      connection.destroy();
      await this.#pause(RECONNECT_MS);
    }
  }

  async #look(address: StoreAddress, send: Send, before?: NamedPrimary): Promise<void> {
    this.#hear(address, await this.#replies.within(() => this.#ask(send, before)));
  }

  #untilTurn(turn: number, lookMs: number): number {
    const roundMs = lookMs * this.#options.addresses.length;
    return roundMs - (this.#options.monotonicMs() - turn * lookMs) % roundMs;
  }

  async #ask(send: Send, before: NamedPrimary | undefined): Promise<NamedPrimary> {
    const { primaryName } = this.#options;
    // This names a new primary earlier than SENTINEL MASTER, which has the epoch.
    const ask = (): Promise<unknown> => send(["SENTINEL", "GET-MASTER-ADDR-BY-NAME", primaryName]);
    const orElse = (error: unknown): undefined => {
      if (!isReply(error, "NOPERM")) throw error;
    };
    if (before !== undefined && isSame(before, readAddress(await ask().catch(orElse)))) {
      return before;
    }
    // Sent together, both are answered of one state.
    const [address, facts] = await Promise.all([
      ask().catch(orElse),
      send(["SENTINEL", "MASTER", primaryName]),
    ]);
    return readPrimary(address, facts);
  }

  #hear(address: StoreAddress, answer: NamedPrimary): void {
    if (this.#isClosed) return;
    this.#failing.delete(address);
    this.#failedMs = undefined;
    if (this.#isOut) {
      this.#isOut = false;
      this.#options.onOutage(undefined);
    }
    const [named, before] = [this.#named, this.#answers.get(address)];
    this.#answers.set(address, answer);
    const hasLeft = before !== undefined && isSame(before, named) && !isSame(answer, named);
    const isNew = named === undefined || answer.epoch > named.epoch ||
      // Sentinels that were told of another primary (SENTINEL REMOVE, MONITOR).
      hasLeft && this.#isNamedByMost(answer);
    if (isNew) {
      this.#named = { ...answer, epoch: Math.max(answer.epoch, named?.epoch ?? 0) };
      if (this.#isStarted && named !== undefined && !isSame(answer, named)) {
        this.#options.onMove(answer);
      }
    }
    this.#settleFirst();
  }

  #isNamedByMost(primary: StoreAddress): boolean {
    const naming = [...this.#answers.values()].filter((answer) => isSame(answer, primary));
    return 2 * naming.length > this.#options.addresses.length;
  }

  #fail(address: StoreAddress, error: unknown): void {
    if (this.#isClosed) return;
    if (!this.#errors.has(address)) this.#errors.set(address, error);
    this.#settleFirst();
    this.#failing.add(address);
    const { addresses, monotonicMs, onOutage } = this.#options;
    if (this.#failing.size < addresses.length) return;
    this.#failedMs ??= monotonicMs();
    if (!this.#isStarted || this.#isOut || monotonicMs() - this.#failedMs < OUTAGE_MS) return;
    this.#isOut = true;
    onOutage(error);
  }

  #settleFirst(): void {
    if (this.#isStarted) return;
    const count = this.#options.addresses.length;
    const done = new Set([...this.#answers.keys(), ...this.#errors.keys()]).size;
    if (2 * this.#answers.size <= count && done < count) return;
    if (this.#named === undefined) return this.#first.reject([...this.#errors.values()][0]);
    this.#isStarted = true;
    this.#first.resolve(this.#named);
  }

  async #pause(ms: number, onStart?: (end: () => void) => void): Promise<void> {
    if (this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#pauses.add(resolve);
    onStart?.(resolve);
    await promise;
    clearTimeout(timer);
    this.#pauses.delete(resolve);
  }
}

function isSame(one: StoreAddress, other: StoreAddress | undefined): boolean {
  return one.host === other?.host && one.port === other.port;
}

/** Reads the reply to `SENTINEL GET-MASTER-ADDR-BY-NAME`: host and port. */
function readAddress(reply: unknown): StoreAddress | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [host, port] = reply.map(String);
  return { host: host!, port: Number(port) };
}

/** Reads the same, and the reply to `SENTINEL MASTER`: names and values in turn (RESP 2). */
function readPrimary(address: unknown, facts: unknown): NamedPrimary {
  if (!Array.isArray(facts)) throw new Error(UNREADABLE);
  const fact = (name: string): string => String(facts[facts.indexOf(name) + 1]);
  const { host, port } = readAddress(address) ?? readAddress([fact("ip"), fact("port")])!;
  const epoch = Number(fact("config-epoch"));
  const isReadable = isAddress(`${host}:${port}`) || isAddress(`[${host}]:${port}`);
  if (!isReadable || !Number.isSafeInteger(epoch)) throw new Error(UNREADABLE);
  return { host, port, epoch };
}
