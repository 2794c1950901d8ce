/**
 * Time that passes only when something happens, for a few computers at once: timers, pauses of a
 * computer, and work that it does at a moment. One seed gives one history.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import { setImmediate } from "node:timers";
import { type Random, seededRandom } from "../random.ts";

/** A computer: what is due on it waits while it stands still. */
export interface Computer {
  /** Until when it stands still. */
  pausedUntilMs: number;
}

/** What a timer of a computer is due before, and what arrives by the network after it. */
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
  /** How much has happened. */
  events = 0;
  /** What chance decides. */
  readonly random: Random;
  readonly #due: Due[] = [];
  #order = 0;
  #computer: Computer | undefined;

  /** Makes the world of a seed. */
  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** A number between two, the greater less likely by far. */
  between(leastMs: number, mostMs: number): number {
    const share = this.random(1 << 20) / (1 << 20);
    return leastMs + (mostMs - leastMs) * share ** 3;
  }

  /** Has something happen later, on a computer or anywhere. */
  after(delayMs: number, run: () => void, computer?: Computer): void {
    this.#add(this.nowMs + delayMs, "arrival", computer, run);
  }

  /** Lets things happen until so many have, or time is over. */
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
        // All that follows from it without time in between.
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

  // Timers are those of whatever computer sets them; and what it hashes takes no time, since when a
  // thread is done with it is nothing that a seed decides.
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

  /** Adds to what is due, the soonest first. */
  #push(due: Due): void {
    this.#due.splice(this.#due.findLastIndex((other) => isSooner(other, due)) + 1, 0, due);
  }
}

// A computer that goes on after a pause does what its timers are due for, then reads what arrived.
function isSooner(a: Due, b: Due): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  if (a.phase !== b.phase) return a.phase === "timer";
  return a.order < b.order;
}
