/**
 * Timers of this process that fire when a test says so, however busy the machine is.
 *
 * @module
 */

import { eventually } from "./eventually.ts";

const original = { setTimeout, clearTimeout, setInterval, clearInterval };

/** The timers that were set. */
export class ManualTimers {
  readonly #pending = new Map<number, () => void>();
  readonly #repeating = new Map<unknown, () => void>();
  readonly #holding = new Set<unknown>();
  /** The delay of each in milliseconds, in order. */
  readonly delaysMs: number[] = [];

  /** Runs an act whose timers fire only by `tick`, and whose intervals by theirs. */
  static async during(run: (timers: ManualTimers) => Promise<void>): Promise<void> {
    const timers = new ManualTimers();
    // No timer of the platform has such a number.
    const setTimeout = (act: () => void, ms = 0): number => {
      const timer = -timers.delaysMs.push(ms);
      timers.#pending.set(timer, act);
      return timer;
    };
    const clearTimeout = (timer: number): void => {
      if (!timers.#pending.delete(timer)) original.clearTimeout(timer);
    };
    const setInterval = (act: () => void): unknown => {
      const timer = { unref: () => void timers.#holding.delete(timer) };
      timers.#repeating.set(timer, act);
      timers.#holding.add(timer);
      return timer;
    };
    const clearInterval = (timer: number): void => {
      timers.#holding.delete(timer);
      if (!timers.#repeating.delete(timer)) original.clearInterval(timer);
    };
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
    try {
      await run(timers);
    } finally {
      Object.assign(globalThis, original);
    }
  }

  /** Runs a test in which timers of one length fire only when it fires them. */
  static async holding(
    lengthMs: number,
    run: (goOff: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { setTimeout } = globalThis;
    const held: (() => void)[] = [];
    Object.assign(globalThis, {
      setTimeout: (act: () => void, ms = 0) =>
        ms === lengthMs ? held.push(act) : setTimeout(act, ms),
    });
    try {
      await run(async () => {
        await eventually(() => held.length > 0, "a timer is asked for");
        for (const act of held.splice(0)) act();
      });
    } finally {
      Object.assign(globalThis, { setTimeout });
    }
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Number of intervals. */
  get intervals(): number {
    return this.#repeating.size;
  }

  /** Number of them that keep the process alive. */
  get holding(): number {
    return this.#holding.size;
  }

  /** Fires each interval once, and waits for the consequences. */
  async repeat(): Promise<void> {
    for (const act of [...this.#repeating.values()]) act();
    await this.settle();
  }

  /** Fires all pending timers, and waits for the consequences. */
  async tick(): Promise<void> {
    const due = [...this.#pending.values()];
    this.#pending.clear();
    for (const act of due) act();
    await this.settle();
  }

  /** Waits for everything that needs no timer. */
  async settle(): Promise<void> {
    await new Promise((resolve) => original.setTimeout(resolve, 0));
  }
}
