/**
 * A table of what is remembered of secrets, bounded, in ranks of what is worth remembering and the
 * order of last change.
 *
 * @module
 */

import type { GuardState } from "./guard.ts";
import type { SourceState } from "./sources.ts";

/** Ranks that there are, from 0, which goes first. */
export const RANKS = 32;

/** Places that are looked at for what expired, with each decision. */
const SWEPT_PLACES = 8;

const NONE = -1;
const NO_SOURCES = "[]";

/** What is to be remembered of a secret. */
export interface Entry {
  /** The state. */
  readonly state: GuardState;
  /** Until when. */
  readonly expiresAtMs: number;
  /** How much it is worth, from 0 to less than `RANKS`. */
  readonly rank: number;
}

/**
 * The table. Numbers stand in typed arrays, one place for each secret, and the order of each rank is
 * a chain through the places: a `Map` that keeps the order itself has to be built anew again and
 * again while entries move to its end, and the garbage of that took five times the memory of the
 * entries. The sources of a secret are one text: as objects they took twice the heap.
 */
export class RecentTable {
  readonly #placeOf = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #places: number;
  readonly #owedMs: Float64Array;
  readonly #lastMs: Float64Array;
  readonly #sources: string[] = [];
  readonly #usedStep: Float64Array;
  readonly #expiresAtMs: Float64Array;
  readonly #rank: Uint8Array;
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  readonly #free: number[] = [];
  readonly #oldest = new Int32Array(RANKS).fill(NONE);
  readonly #newest = new Int32Array(RANKS).fill(NONE);
  #swept = 0;

  /** Makes an empty table of so many places, 1 at least. */
  constructor(places: number) {
    this.#places = places;
    this.#owedMs = new Float64Array(places);
    this.#lastMs = new Float64Array(places);
    this.#usedStep = new Float64Array(places);
    this.#expiresAtMs = new Float64Array(places);
    this.#rank = new Uint8Array(places);
    this.#older = new Int32Array(places);
    this.#newer = new Int32Array(places);
  }

  /** How many secrets are in it. */
  get size(): number {
    return this.#placeOf.size;
  }

  /**
   * What is remembered of a secret.
   *
   * @param now The clock in milliseconds. Of most secrets nothing is remembered; then it is not read.
   */
  get(name: string, now: () => number): GuardState | undefined {
    const place = this.#placeOf.get(name);
    if (place === undefined || this.#expiresAtMs[place]! <= now()) return undefined;
    return {
      owedMs: this.#owedMs[place]!,
      lastMs: this.#lastMs[place]!,
      usedStep: this.#usedStep[place]!,
      sources: unpacked(this.#sources[place]!),
    };
  }

  /** What is remembered of each secret. */
  *states(nowMs: number): Generator<GuardState> {
    for (const name of this.#placeOf.keys()) {
      const state = this.get(name, () => nowMs);
      if (state !== undefined) yield state;
    }
  }

  /**
   * Remembers an entry as the last changed one.
   *
   * For want of room goes what expired, else the one of the lowest rank that was changed the longest
   * ago. What has rank 0 is not remembered where all others are worth more.
   *
   * @returns The rank of what had to go although it had not expired; undefined where nothing had to.
   */
  set(name: string, { state, expiresAtMs, rank }: Entry, nowMs: number): number | undefined {
    this.delete(name);
    const evicted = this.#placeOf.size < this.#places ? undefined : this.#makeRoom(rank, nowMs);
    if (this.#placeOf.size >= this.#places) return evicted;
    const place = this.#free.pop() ?? this.#names.length;
    this.#placeOf.set(name, place);
    this.#names[place] = name;
    this.#owedMs[place] = state.owedMs;
    this.#lastMs[place] = state.lastMs;
    this.#usedStep[place] = state.usedStep;
    this.#sources[place] = packed(state.sources);
    this.#expiresAtMs[place] = expiresAtMs;
    this.#rank[place] = rank;
    this.#chain(place, rank);
    return evicted;
  }

  /** Forgets a secret. */
  delete(name: string): void {
    const place = this.#placeOf.get(name);
    if (place !== undefined) this.#remove(place);
  }

  /**
   * Forgets what expired in the next few places, round and round: so it goes although nobody asks
   * for it again, and no call pays for all of it.
   */
  sweep(nowMs: number): void {
    for (let i = 0; i < SWEPT_PLACES; i++) {
      this.#swept = this.#swept + 1 < this.#names.length ? this.#swept + 1 : 0;
      const isTaken = this.#names[this.#swept] !== undefined;
      if (isTaken && this.#expiresAtMs[this.#swept]! <= nowMs) this.#remove(this.#swept);
    }
  }

  // What was changed the longest ago is what expires first, as good as always: so the first of each
  // chain tells whether anything expired.
  #makeRoom(rank: number, nowMs: number): number | undefined {
    const expired = this.#oldest.find((place) =>
      place !== NONE && this.#expiresAtMs[place]! <= nowMs
    );
    if (expired !== undefined) {
      this.#remove(expired);
      return undefined;
    }
    const lowest = this.#oldest.findIndex((place) => place !== NONE);
    if (rank === 0 && lowest > 0) return 0;
    this.#remove(this.#oldest[lowest]!);
    return lowest;
  }

  #remove(place: number): void {
    this.#unchain(place, this.#rank[place]!);
    this.#placeOf.delete(this.#names[place]!);
    this.#names[place] = undefined;
    this.#sources[place] = NO_SOURCES;
    this.#free.push(place);
  }

  #chain(place: number, rank: number): void {
    const newest = this.#newest[rank]!;
    this.#older[place] = newest;
    this.#newer[place] = NONE;
    if (newest === NONE) this.#oldest[rank] = place;
    else this.#newer[newest] = place;
    this.#newest[rank] = place;
  }

  #unchain(place: number, rank: number): void {
    const older = this.#older[place]!;
    const newer = this.#newer[place]!;
    if (older === NONE) this.#oldest[rank] = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest[rank] = older;
    else this.#older[newer] = older;
  }
}

function packed(sources: readonly SourceState[]): string {
  if (sources.length === 0) return NO_SOURCES;
  return JSON.stringify(
    sources.map(({ id, owedMs, lastMs, knownUntilMs }) => [id, owedMs, lastMs, knownUntilMs]),
  );
}

function unpacked(text: string): readonly SourceState[] {
  if (text === NO_SOURCES) return [];
  const rows = JSON.parse(text) as [id: string, number, number, number][];
  return rows.map(([id, owedMs, lastMs, knownUntilMs]) => ({ id, owedMs, lastMs, knownUntilMs }));
}
