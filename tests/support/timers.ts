/**
 * Timers of this process that go off when a test says so, however busy the machine is.
 *
 * @module
 */

const original = globalThis.setTimeout;

/** Timers that were asked for. */
export class ManualTimers {
  readonly #pending: (() => void)[] = [];
  /** For how many milliseconds each was asked for, in their order. */
  readonly asked: number[] = [];

  /** Runs something whose timers go off at the next tick alone. */
  static async during(run: (timers: ManualTimers) => Promise<void>): Promise<void> {
    const timers = new ManualTimers();
    const setTimeout = (act: () => void, ms = 0): number => {
      timers.asked.push(ms);
      return timers.#pending.push(act);
    };
    Object.assign(globalThis, { setTimeout });
    try {
      await run(timers);
    } finally {
      Object.assign(globalThis, { setTimeout: original });
    }
  }

  /** Lets all go off that were asked for so far, and what they bring about happen. */
  async tick(): Promise<void> {
    for (const act of this.#pending.splice(0)) act();
    await this.settle();
  }

  /** Lets happen what waits for no timer. */
  async settle(): Promise<void> {
    await new Promise((resolve) => original(resolve, 0));
  }
}
