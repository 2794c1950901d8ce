/**
 * A table of what is remembered of secrets, bounded and in the order of last use.
 *
 * @module
 */

import type { GuardState } from "./guard.ts";
import type { SourceState } from "./sources.ts";

const NONE = -1;

/**
 * The table. Numbers stand in typed arrays, one place for each secret, and the order is a chain
 * through the places: a `Map` that keeps the order itself has to be built anew again and again
 * while entries move to its end, and the garbage of that took five times the memory of the entries.
 */
export class RecentTable {
  readonly #placeOf = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #places: number;
  readonly #owedMs: Float64Array;
  readonly #lastMs: Float64Array;
  readonly #sources: (readonly SourceState[])[] = [];
  readonly #usedStep: Float64Array;
  readonly #expiresAtMs: Float64Array;
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  readonly #free: number[] = [];
  #oldest = NONE;
  #newest = NONE;
  #swept = 0;

  /** Makes an empty table of so many places, 1 at least. */
  constructor(places: number) {
    this.#places = places;
    this.#owedMs = new Float64Array(places);
    this.#lastMs = new Float64Array(places);
    this.#usedStep = new Float64Array(places);
    this.#expiresAtMs = new Float64Array(places);
    this.#older = new Int32Array(places);
    this.#newer = new Int32Array(places);
  }

  /** How many secrets are in it. */
  get size(): number {
    return this.#placeOf.size;
  }

  /** What is remembered of a secret, which is the last used one from now on. */
  use(name: string, nowMs: number): GuardState | undefined {
    const place = this.#placeOf.get(name);
    if (place === undefined) return undefined;
    if (this.#expiresAtMs[place]! <= nowMs) {
      this.#remove(place);
      return undefined;
    }
    if (place !== this.#newest) {
      this.#unchain(place);
      this.#chain(place);
    }
    return {
      owedMs: this.#owedMs[place]!,
      lastMs: this.#lastMs[place]!,
      usedStep: this.#usedStep[place]!,
      sources: this.#sources[place]!,
    };
  }

  /**
   * Remembers a state until a time, as that of the last used secret.
   *
   * @returns Whether the least recently used secret had to go for it.
   */
  set(name: string, state: GuardState, expiresAtMs: number): boolean {
    this.delete(name);
    const isFull = this.#placeOf.size >= this.#places;
    if (isFull) this.#remove(this.#oldest);
    const place = this.#free.pop() ?? this.#names.length;
    this.#placeOf.set(name, place);
    this.#names[place] = name;
    this.#owedMs[place] = state.owedMs;
    this.#lastMs[place] = state.lastMs;
    this.#usedStep[place] = state.usedStep;
    this.#sources[place] = state.sources;
    this.#expiresAtMs[place] = expiresAtMs;
    this.#chain(place);
    return isFull;
  }

  /** Forgets a secret. */
  delete(name: string): void {
    const place = this.#placeOf.get(name);
    if (place !== undefined) this.#remove(place);
  }

  /**
   * Forgets what expired in the next two places, round and round: so it goes although nobody asks
   * for it again, and no call pays for all of it.
   */
  sweep(nowMs: number): void {
    for (let i = 0; i < 2; i++) {
      this.#swept = this.#swept + 1 < this.#names.length ? this.#swept + 1 : 0;
      const isTaken = this.#names[this.#swept] !== undefined;
      if (isTaken && this.#expiresAtMs[this.#swept]! <= nowMs) this.#remove(this.#swept);
    }
  }

  #remove(place: number): void {
    this.#unchain(place);
    this.#placeOf.delete(this.#names[place]!);
    this.#names[place] = undefined;
    this.#sources[place] = [];
    this.#free.push(place);
  }

  #chain(place: number): void {
    this.#older[place] = this.#newest;
    this.#newer[place] = NONE;
    if (this.#newest === NONE) this.#oldest = place;
    else this.#newer[this.#newest] = place;
    this.#newest = place;
  }

  #unchain(place: number): void {
    const older = this.#older[place]!;
    const newer = this.#newer[place]!;
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
  }
}
