/**
 * The way from one instance to the store: what is sent arrives in order, late, twice or never. It
 * pairs replies with commands by their order alone, as the official client does.
 *
 * @module
 */

import { Pipeline } from "../../lib/connection/pipeline.ts";
import type { RedisClient } from "../../lib/connection/redis_client.ts";
import { ErrorReply, ProtocolError } from "../../lib/connection/store_failure.ts";
import type { SimulatedStore } from "./store.ts";
import type { Computer, World } from "./world.ts";

/** How the way is. */
export interface Weather {
  /** How long a message may take, in milliseconds. */
  delayMs: number;
  /** Whether nothing arrives. */
  isSwallowing: boolean;
  /** Whether no connection can be made. */
  isClosed: boolean;
  /** Of a hundred replies, how many arrive twice. */
  twice: number;
}

/** A way that is well. */
export const FAIR: Weather = { delayMs: 3, isSwallowing: false, isClosed: false, twice: 0 };

interface Waiting {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** The way. */
export class Link {
  /** How it is. */
  readonly weather: Weather = { ...FAIR };
  #end: (() => void) | undefined;

  /** Makes a way between an instance and the store. */
  constructor(
    private readonly world: World,
    private readonly computer: Computer,
    private readonly store: SimulatedStore,
  ) {}

  /** Ends the connection that there is. */
  reset(): void {
    this.#end?.();
  }

  /** Connects, as `openRedis` does. */
  open(onEnd: (reason: unknown) => void): Promise<RedisClient> {
    const waiting: Waiting[] = [];
    let [thereMs, hereMs, isOver] = [0, 0, false];
    const arrive = (atMs: number, computer: Computer | undefined, run: () => void): number => {
      const arrivalMs = Math.max(
        atMs,
        this.world.nowMs + this.world.between(0.1, this.weather.delayMs),
      );
      if (!this.weather.isSwallowing) {
        this.world.after(arrivalMs - this.world.nowMs, () => void (isOver || run()), computer);
      }
      return arrivalMs;
    };
    const read = (reply: unknown): void => {
      const first = waiting.shift();
      if (first === undefined) pipeline.end(new ProtocolError("A reply to nothing"));
      else if (reply instanceof ErrorReply) first.reject(reply);
      else first.resolve(reply);
    };
    const pipeline = new Pipeline({
      patienceMs: 500,
      send: (words) =>
        new Promise((resolve, reject) => {
          waiting.push({ resolve, reject });
          thereMs = arrive(thereMs, undefined, () => {
            const reply = this.store.answer(words);
            hereMs = arrive(hereMs, this.computer, () => read(reply));
            const isTwice = this.world.random(100) < this.weather.twice;
            if (isTwice) hereMs = arrive(hereMs, this.computer, () => read(reply));
          });
        }),
      onEnd: (reason) => {
        isOver = true;
        for (const { reject } of waiting.splice(0)) reject(reason);
        onEnd(reason);
      },
    });
    this.#end = () => {
      this.world.after(0.1, () => pipeline.end(new Error("Reset")), this.computer);
    };
    const isClosed = this.weather.isClosed;
    hereMs = arrive(hereMs, this.computer, () => {
      if (isClosed) pipeline.end(new Error("Refused"));
      else pipeline.open();
    });
    return Promise.resolve({
      ask: (words, read) => pipeline.ask(words, read),
      end: (reason) => pipeline.end(reason),
    });
  }
}
