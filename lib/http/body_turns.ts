/**
 * Who may have its body read. A body that was begun and does not come on takes memory for as long as
 * it may take to arrive, so only so many are read at once; the others wait. Those that arrive with
 * their head are read as they come, and hold nobody up.
 *
 * @module
 */

import { Fault } from "../service/fault.ts";

/** How many bodies are read at once. */
export const MAX_BODIES = 256;

// While others wait, a body that has not come to its end after this long, and at most after twice
// this long, is given up for them.
const PATIENCE_MS = 100;

/** A body that is being read, or waits for that. */
interface Turn {
  /** Rejects once it is given up. */
  readonly over: Promise<never>;
  readonly giveUp: (fault: Fault) => void;
  /** Ends the wait. */
  begin: () => void;
  /** Whether it was being read the last time that somebody looked. */
  isOld: boolean;
}

/** Lets bodies be read, so many at once. */
export class BodyTurns {
  /** The oldest first. */
  readonly #reading = new Set<Turn>();
  /** The newest last. */
  readonly #waiting: Turn[] = [];
  #looking: ReturnType<typeof setInterval> | undefined;

  /**
   * Reads a body when its turn has come.
   *
   * @param read Reads it.
   * @param timeoutMs How long it may take to arrive, in milliseconds.
   * @throws {Fault} When it does not arrive in time, or others are waiting and it does not come on.
   */
  async take<T>(read: () => Promise<T>, timeoutMs: number): Promise<T> {
    const { promise: over, reject: giveUp } = Promise.withResolvers<never>();
    const turn: Turn = { over, giveUp, begin: () => {}, isOld: false };
    const late = (): void => giveUp(this.#lateness(turn, timeoutMs));
    const timer = setTimeout(() => afterLooking(late), timeoutMs);
    try {
      const begun = this.#enter(turn);
      if (begun !== undefined) await Promise.race([begun, over]);
      return await Promise.race([read(), over]);
    } finally {
      clearTimeout(timer);
      this.#leave(turn);
    }
  }

  // Gives what to wait for, if that is needed.
  #enter(turn: Turn): Promise<void> | undefined {
    if (this.#reading.size < MAX_BODIES) {
      this.#reading.add(turn);
      return undefined;
    }
    this.#waiting.push(turn);
    this.#looking ??= setInterval(() => afterLooking(() => this.#makeRoom()), PATIENCE_MS);
    return new Promise((resolve) => turn.begin = resolve);
  }

  #leave(turn: Turn): void {
    if (this.#reading.delete(turn)) {
      // The newest: where most bodies never come on, those that do are found among the new ones.
      const next = this.#waiting.pop();
      if (next !== undefined) {
        this.#reading.add(next);
        next.begin();
      }
    } else this.#waiting.splice(this.#waiting.indexOf(turn), 1);
    if (this.#waiting.length > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #makeRoom(): void {
    let wanted = this.#waiting.length;
    for (const turn of this.#reading) {
      if (!turn.isOld) turn.isOld = true;
      else if (wanted-- > 0) turn.giveUp(busy());
    }
  }

  #lateness(turn: Turn, timeoutMs: number): Fault {
    return this.#reading.has(turn)
      ? new Fault("timeout", `The body did not arrive within ${timeoutMs / 1000} seconds.`)
      : busy();
  }
}

function busy(): Fault {
  return new Fault("busy", `No more than ${MAX_BODIES} bodies are read at once.`);
}

// A timer that is late, because the process stood still, comes before what arrived in the meantime,
// and that takes some turns of the event loop to get here.
const TURNS_LATE = 10;

function afterLooking(act: () => void, turns: number = TURNS_LATE): void {
  setTimeout(() => turns > 1 ? afterLooking(act, turns - 1) : act(), 1);
}
