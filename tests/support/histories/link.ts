/**
 * The link from one instance to the store: messages arrive in order, late or never. Replies are
 * matched with commands by their order alone, as the official client does.
 *
 * @module
 */

import { StoreClient } from "../../../lib/guard/redis/connect.ts";
import { PROBE_PREFIX } from "../../../lib/guard/redis/script.ts";
import type { SimulatedStore } from "./store.ts";
import type { Computer, World } from "./world.ts";

/** State of a link. */
export interface LinkState {
  /** How long a message may take, in milliseconds. */
  delayMs: number;
  /** Whether messages are lost. */
  isDropping: boolean;
  /** Whether no connection can be made. */
  isClosed: boolean;
}

/** State of a link without an outage. */
export const FAIR_STATE: LinkState = { delayMs: 3, isDropping: false, isClosed: false };

/** Timeout of a reply, in milliseconds. */
const TIMEOUT_MS = 500;

interface Waiting {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** A link. */
export class Link {
  /** Its state. */
  readonly state: LinkState = { ...FAIR_STATE };
  readonly #ends = new Set<(reason: Error) => void>();

  /** Makes a link between an instance and the store. */
  constructor(
    private readonly world: World,
    private readonly computer: Computer,
    private readonly store: SimulatedStore,
  ) {}

  /** Ends all connections. */
  reset(): void {
    for (const end of this.#ends) {
      this.world.after(0.1, () => end(new Error("Socket closed unexpectedly")), this.computer);
    }
  }

  /** Makes a client of the store, as `openStore` does. */
  open(onLoss: (error: unknown) => void): StoreClient {
    const waiting: Waiting[] = [];
    let [thereMs, hereMs, isOver] = [0, 0, false];
    const arrive = (atMs: number, computer: Computer | undefined, run: () => void): number => {
      const arrivalMs = Math.max(
        atMs,
        this.world.nowMs + this.world.between(0.1, this.state.delayMs),
      );
      if (!this.state.isDropping) {
        this.world.after(arrivalMs - this.world.nowMs, () => void (isOver || run()), computer);
      }
      return arrivalMs;
    };
    const read = (reply: unknown): void => {
      const first = waiting.shift();
      if (first === undefined) onLoss(new TypeError("A reply to nothing"));
      else if (reply instanceof Error) first.reject(reply);
      else first.resolve(reply);
    };
    const end = (reason: Error): void => {
      if (isOver) return;
      isOver = true;
      this.#ends.delete(end);
      for (const { reject } of waiting.splice(0)) reject(reason);
      onLoss(reason);
    };
    return new StoreClient({
      connect: () =>
        new Promise<void>((resolve, reject) => {
          const isClosed = this.state.isClosed;
          hereMs = arrive(hereMs, this.computer, () => {
            if (isClosed) return reject(new Error("Connection timeout"));
            this.#ends.add(end);
            resolve();
          });
        }),
      send: (_, words) =>
        new Promise((resolve, reject) => {
          if (isOver) return reject(new Error("The client is closed"));
          waiting.push({ resolve, reject });
          thereMs = arrive(thereMs, undefined, () => {
            const reply = this.store.answer(words);
            hereMs = arrive(hereMs, this.computer, () => read(reply));
          });
        }),
      probeKeys: () => [[`${PROBE_PREFIX}0`]],
      serverOf: () => "",
      destroy: () => end(new Error("The client is closed")),
    }, TIMEOUT_MS);
  }
}
