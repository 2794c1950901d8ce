/**
 * Who may have its body read. A body that was begun and does not come on takes memory for as long as
 * it may take to arrive, so only so many are read at once. Long ones wait for their turn. Short ones
 * do not, since they mostly arrive with their head, and are gone before anybody could wait for them;
 * where too many of them stall, the oldest are given up.
 *
 * @module
 */

import { Fault } from "../service/fault.ts";

/** How many bodies are read at once. */
export const MAX_BODIES = 256;

// While others wait, or there are too many, a body that has not come to its end after this long, and
// at most after twice this long, is given up.
const PATIENCE_MS = 100;

/** A body. */
export interface Body<T> {
  /** Reads it. */
  readonly read: () => Promise<T>;
  /** Whether it takes little memory, however long it takes to arrive. */
  readonly isShort: boolean;
  /** How long it may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
}

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
  #isOldestNext = false;
  #looking: ReturnType<typeof setInterval> | undefined;

  /**
   * Reads a body when its turn has come.
   *
   * @throws {Fault} When it does not arrive in time, or there are others and it does not come on.
   */
  async take<T>({ read, isShort, timeoutMs }: Body<T>): Promise<T> {
    const { promise: over, reject: giveUp } = Promise.withResolvers<never>();
    const turn: Turn = { over, giveUp, begin: () => {}, isOld: false };
    const late = (): void => giveUp(this.#lateness(turn, timeoutMs));
    const timer = setTimeout(() => afterLooking(late), timeoutMs);
    try {
      const begun = this.#enter(turn, isShort);
      if (begun !== undefined) await Promise.race([begun, over]);
      return await Promise.race([read(), over]);
    } finally {
      clearTimeout(timer);
      this.#leave(turn);
    }
  }

  // Gives what to wait for, if that is needed.
  #enter(turn: Turn, isShort: boolean): Promise<void> | undefined {
    const isFull = this.#reading.size >= MAX_BODIES;
    if (isFull) {
      this.#looking ??= setInterval(() => afterLooking(() => this.#makeRoom()), PATIENCE_MS);
    }
    if (!isFull || isShort) {
      this.#reading.add(turn);
      return undefined;
    }
    this.#waiting.push(turn);
    return new Promise((resolve) => turn.begin = resolve);
  }

  #leave(turn: Turn): void {
    if (this.#reading.delete(turn)) {
      const next = this.#reading.size < MAX_BODIES ? this.#next() : undefined;
      if (next !== undefined) {
        this.#reading.add(next);
        next.begin();
      }
    } else this.#waiting.splice(this.#waiting.indexOf(turn), 1);
    if (this.#unwanted() > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  // The newest and the oldest in turn: where most bodies never come on, those that do are found among
  // the new ones; and whoever is not found so gets to the front however many come behind.
  #next(): Turn | undefined {
    this.#isOldestNext = !this.#isOldestNext;
    return this.#isOldestNext ? this.#waiting.pop() : this.#waiting.shift();
  }

  // How many would have to go for all others to be read.
  #unwanted(): number {
    return this.#waiting.length + Math.max(0, this.#reading.size - MAX_BODIES);
  }

  #makeRoom(): void {
    let unwanted = this.#unwanted();
    for (const turn of this.#reading) {
      if (!turn.isOld) turn.isOld = true;
      else if (unwanted-- > 0) turn.giveUp(busy());
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
