/**
 * Timers of this process that go off when a test says so, however busy the machine is.
 *
 * @module
 */

const original = { setTimeout, clearTimeout, setInterval, clearInterval };

/** Timers that were asked for. */
export class ManualTimers {
  readonly #pending = new Map<number, () => void>();
  readonly #repeating = new Map<unknown, () => void>();
  readonly #holding = new Set<unknown>();
  /** For how many milliseconds each was asked for, in their order. */
  readonly asked: number[] = [];

  /** Runs something whose timers go off at the next tick alone, and intervals when they are to. */
  static async during(run: (timers: ManualTimers) => Promise<void>): Promise<void> {
    const timers = new ManualTimers();
    // No timer of the platform has such a number.
    const setTimeout = (act: () => void, ms = 0): number => {
      const timer = -timers.asked.push(ms);
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

  /** How many have not gone off yet. */
  get pending(): number {
    return this.#pending.size;
  }

  /** How many intervals there are. */
  get intervals(): number {
    return this.#repeating.size;
  }

  /** How many of them keep the process from ending. */
  get holding(): number {
    return this.#holding.size;
  }

  /** Lets each interval go off once, and what they bring about happen. */
  async repeat(): Promise<void> {
    for (const act of [...this.#repeating.values()]) act();
    await this.settle();
  }

  /** Lets all go off that were asked for so far, and what they bring about happen. */
  async tick(): Promise<void> {
    const due = [...this.#pending.values()];
    this.#pending.clear();
    for (const act of due) act();
    await this.settle();
  }

  /** Lets happen what waits for no timer. */
  async settle(): Promise<void> {
    await new Promise((resolve) => original.setTimeout(resolve, 0));
  }
}
