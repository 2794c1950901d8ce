/**
 * Counts of very many names in a bounded table, from which the largest is never lost.
 *
 * @module
 */

interface Tally {
  name: string;
  /** Never less than how often the name came. */
  count: number;
  /** How much of the count may be that of names that had the place before. */
  inherited: number;
  place: number;
}

/**
 * Counts how often names come, as the algorithm Space-Saving does (Metwally, Agrawal, El Abbadi 2005):
 * where there is no room for a new name, it takes the place of the one with the smallest count, and
 * the count with it. So of n names that came, one that came more than n / places times is always in
 * the table, and what is said of it is never too much and at most n / places too little, whatever else
 * comes. Without the inheritance, names that come once each would push each other out, and every
 * other one with them before it comes twice.
 */
export class Tallies {
  readonly #places: number;
  readonly #of = new Map<string, Tally>();
  /** The largest count first. */
  readonly #sorted: Tally[] = [];
  /** The first place of those with a count. */
  readonly #first = new Map<number, number>();

  /** Makes an empty table of so many places, 1 at least. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Counts a name, in a time that does not grow with the table. */
  count(name: string): void {
    const tally = this.#of.get(name) ?? this.#admit(name);
    const { count, place } = tally;
    // It changes places with the first of those that have as many, and can then have one more.
    const first = this.#first.get(count)!;
    const other = this.#sorted[first]!;
    this.#put(other, place);
    this.#put(tally, first);
    if (this.#sorted[first + 1]?.count === count) this.#first.set(count, first + 1);
    else this.#first.delete(count);
    tally.count++;
    if (!this.#first.has(tally.count)) this.#first.set(tally.count, first);
  }

  /** Each name in the table, with how often it came at least: 1 or more. */
  *atLeast(): Iterable<readonly [name: string, times: number]> {
    for (const { name, count, inherited } of this.#sorted) yield [name, count - inherited];
  }

  #admit(name: string): Tally {
    const isFull = this.#sorted.length >= this.#places;
    const tally = isFull ? this.#sorted.at(-1)! : this.#append();
    if (isFull) this.#of.delete(tally.name);
    tally.name = name;
    tally.inherited = tally.count;
    this.#of.set(name, tally);
    return tally;
  }

  #append(): Tally {
    const place = this.#sorted.length;
    const tally = { name: "", count: 0, inherited: 0, place };
    this.#sorted.push(tally);
    this.#first.set(0, place);
    return tally;
  }

  #put(tally: Tally, place: number): void {
    tally.place = place;
    this.#sorted[place] = tally;
  }
}
