/**
 * Who is being guessed: pins that were wrong or refused, by secret, in the last minute or two. One
 * secret with very many tells of somebody who wants it, many with few each of somebody who tries the
 * same pins on all.
 *
 * @module
 */

import type { RequestEvent } from "./request_event.ts";

/** How long one of the two halves of what is watched lasts, in milliseconds. */
const HALF_MS = 60_000;

/** Secrets that are told apart in a half, at most. */
const MAX_SECRETS = 10_000;

/** How many pins of one secret were not accepted. */
interface Tally {
  wrong: number;
  throttled: number;
}

/** Figures of the last minute or two. */
export interface AttackFigures {
  /** Pins that were wrong, since the start. */
  readonly wrongPins: number;
  /** Secrets with a pin that was wrong or throttled; 20,000 at most. */
  readonly attackedSecrets: number;
  /** Those of them with a pin that was throttled. */
  readonly throttledSecrets: number;
  /** Pins that were wrong or throttled for the secret that had the most. */
  readonly mostPins: number;
}

/** A secret, and how many of its pins were not accepted. */
export interface AttackedSecret {
  /** Its short name. */
  readonly secret: string;
  /** Pins that were wrong or throttled. */
  readonly pins: number;
}

/** Watches requests. */
export class AttackWatch {
  readonly #now: () => number;
  #wrongPins = 0;
  #current = new Map<string, Tally>();
  #before = new Map<string, Tally>();
  #sinceMs: number;

  /**
   * Watches from now on.
   *
   * @param now A clock in milliseconds that only goes forward.
   */
  constructor(now: () => number) {
    this.#now = now;
    this.#sinceMs = now();
  }

  /** Takes a request into account. */
  observe({ outcome, facts }: Pick<RequestEvent, "outcome" | "facts">): void {
    const isWrong = outcome === "false";
    if (facts?.secret === undefined || !isWrong && outcome !== "throttled") return;
    if (isWrong) this.#wrongPins++;
    this.#turn();
    const known = this.#current.get(facts.secret);
    if (known === undefined && this.#current.size >= MAX_SECRETS) return;
    const tally = known ?? { wrong: 0, throttled: 0 };
    tally[isWrong ? "wrong" : "throttled"]++;
    this.#current.set(facts.secret, tally);
  }

  /** The figures now. */
  figures(): AttackFigures {
    const tallies = [...this.#tallies().values()];
    return {
      wrongPins: this.#wrongPins,
      attackedSecrets: tallies.length,
      throttledSecrets: tallies.filter(({ throttled }) => throttled > 0).length,
      mostPins: tallies.reduce((most, tally) => Math.max(most, pinsOf(tally)), 0),
    };
  }

  /** The secrets with the most pins that were not accepted, most first. */
  top(count: number): readonly AttackedSecret[] {
    return [...this.#tallies()]
      .map(([secret, tally]) => ({ secret, pins: pinsOf(tally) }))
      .sort((one, other) => other.pins - one.pins)
      .slice(0, count);
  }

  #tallies(): ReadonlyMap<string, Tally> {
    this.#turn();
    const both = new Map(this.#before);
    for (const [secret, tally] of this.#current) {
      const { wrong = 0, throttled = 0 } = both.get(secret) ?? {};
      both.set(secret, { wrong: wrong + tally.wrong, throttled: throttled + tally.throttled });
    }
    return both;
  }

  #turn(): void {
    const elapsedMs = this.#now() - this.#sinceMs;
    if (elapsedMs < HALF_MS) return;
    this.#before = elapsedMs < 2 * HALF_MS ? this.#current : new Map();
    this.#current = new Map();
    this.#sinceMs += elapsedMs - elapsedMs % HALF_MS;
  }
}

function pinsOf({ wrong, throttled }: Tally): number {
  return wrong + throttled;
}
