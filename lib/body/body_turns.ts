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

// How often all bodies are looked at. One timer for all: almost every body is there long before, and
// to set and clear one for each would cost more than to read it; so it goes on until it finds none.
// While others wait, or there are too many, a body that has not come to its end by the second look is
// given up.
const LOOK_MS = 100;

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
  /** Begins to read it. */
  readonly begin: () => void;
  readonly giveUp: (fault: Fault) => void;
  readonly timeoutMs: number;
  /** Whether it was being read the last time that somebody looked. */
  isOld: boolean;
  /** How often somebody looked since it came. */
  looks: number;
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
  take<T>({ read, isShort, timeoutMs }: Body<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const giveUp = (error: unknown): void => {
      this.#leave(turn);
      reject(error);
    };
    const begin = (): void =>
      void read().then((value) => {
        this.#leave(turn);
        resolve(value);
      }, giveUp);
    const turn: Turn = { begin, giveUp, timeoutMs, isOld: false, looks: 0 };
    this.#enter(turn, isShort);
    return promise;
  }

  #enter(turn: Turn, isShort: boolean): void {
    this.#looking ??= setInterval(() => afterLooking(() => this.#look()), LOOK_MS);
    if (this.#reading.size >= MAX_BODIES && !isShort) {
      this.#waiting.push(turn);
      return;
    }
    this.#reading.add(turn);
    turn.begin();
  }

  #leave(turn: Turn): void {
    if (this.#reading.delete(turn)) {
      const next = this.#reading.size < MAX_BODIES ? this.#next() : undefined;
      if (next !== undefined) {
        this.#reading.add(next);
        next.begin();
      }
    }
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

  #look(): void {
    for (const turn of this.#waiting.filter(isLate)) {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      turn.giveUp(busy());
    }
    let unwanted = this.#unwanted();
    // A copy: whoever is given up lets others in.
    for (const turn of [...this.#reading]) {
      if (isLate(turn)) turn.giveUp(timeout(turn));
      else if (!turn.isOld) turn.isOld = true;
      else if (unwanted-- > 0) turn.giveUp(busy());
    }
    if (this.#reading.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

// Looks are so far apart at least, but for the first one, and one that was begun for others.
function isLate(turn: Turn): boolean {
  turn.looks++;
  return (turn.looks - 2) * LOOK_MS >= turn.timeoutMs;
}

function timeout({ timeoutMs }: Turn): Fault {
  return new Fault("timeout", `The body did not arrive within ${timeoutMs / 1000} seconds.`);
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
