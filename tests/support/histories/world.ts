/**
 * Simulated time for several computers: it advances from event to event, which are timers and messages
 * that arrive, and a paused computer handles neither. Each seed makes one history.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import { setImmediate } from "node:timers";
import { type Random, seededRandom } from "../random.ts";

/** A computer, whose events wait while it is paused. */
export interface Computer {
  /** End of its pause. */
  pausedUntilMs: number;
}

/** At the same moment, timers of a computer go before messages. */
type Phase = "timer" | "arrival";

interface Due {
  atMs: number;
  order: number;
  readonly phase: Phase;
  readonly computer: Computer | undefined;
  readonly run: () => void;
  isCancelled: boolean;
}

/** The world. */
export class World {
  /** The true time, in milliseconds since 1970. */
  nowMs = 1_800_000_000_000;
  /** Number of events so far. */
  events = 0;
  /** The random generator. */
  readonly random: Random;
  readonly #due: Due[] = [];
  #order = 0;
  #computer: Computer | undefined;

  /** Makes the world of a seed. */
  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** A random number between two, mostly a small one. */
  between(leastMs: number, mostMs: number): number {
    const share = this.random(1 << 20) / (1 << 20);
    return leastMs + (mostMs - leastMs) * share ** 3;
  }

  /** Schedules an event, on a computer or outside all. */
  after(delayMs: number, run: () => void, computer?: Computer): void {
    this.#add(this.nowMs + delayMs, "arrival", computer, run);
  }

  /** Runs events until the given number is reached or none is left. */
  async run(events: number): Promise<void> {
    const restore = this.#takeTimers();
    try {
      while (this.events < events && this.#due.length > 0) {
        const due = this.#due.shift()!;
        if (due.isCancelled) continue;
        this.nowMs = Math.max(this.nowMs, due.atMs);
        const { computer } = due;
        if (computer !== undefined && computer.pausedUntilMs > this.nowMs) {
          due.atMs = computer.pausedUntilMs;
          this.#push(due);
          continue;
        }
        this.events++;
        this.#computer = computer;
        due.run();
        // Everything that follows without a delay.
        await new Promise<void>((resolve) => void setImmediate(resolve));
        this.#computer = undefined;
      }
    } finally {
      restore();
    }
  }

  #add(atMs: number, phase: Phase, computer: Computer | undefined, run: () => void): Due {
    const due = { atMs, order: this.#order++, phase, computer, run, isCancelled: false };
    this.#push(due);
    return due;
  }

  // A timer belongs to the computer that sets it. Hashing is synchronous: no seed decides when a thread
  // of the platform is done.
  #takeTimers(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const { importKey, sign } = crypto.subtle;
    const handle = (due: () => Due): object => ({ due, unref: () => {}, ref: () => {} });
    const cancel = (timer?: { due?: () => Due }): void => {
      const due = timer?.due?.();
      if (due !== undefined) due.isCancelled = true;
    };
    Object.assign(globalThis, {
      setTimeout: (run: () => void, delayMs = 0) => {
        const due = this.#add(this.nowMs + delayMs, "timer", this.#computer, run);
        return handle(() => due);
      },
      setInterval: (run: () => void, delayMs = 0) => {
        const computer = this.#computer;
        const again = (): Due =>
          this.#add(this.nowMs + delayMs, "timer", computer, () => {
            due = again();
            run();
          });
        let due = again();
        return handle(() => due);
      },
      clearTimeout: cancel,
      clearInterval: cancel,
    });
    Object.assign(crypto.subtle, {
      importKey: (_format: string, raw: Uint8Array) => Promise.resolve({ raw }),
      sign: (_name: string, { raw }: { raw: Uint8Array }, message: Uint8Array) =>
        Promise.resolve(new Uint8Array(createHmac("sha1", raw).update(message).digest()).buffer),
    });
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      Object.assign(crypto.subtle, { importKey, sign });
    };
  }

  /** Inserts an event in the order of time. */
  #push(due: Due): void {
    this.#due.splice(this.#due.findLastIndex((other) => isSooner(other, due)) + 1, 0, due);
  }
}

// After a pause, a computer runs its due timers, then reads its messages.
function isSooner(a: Due, b: Due): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  if (a.phase !== b.phase) return a.phase === "timer";
  return a.order < b.order;
}
