/**
 * Who is being guessed: pins that were wrong or refused, by secret, in the last minute or two. One
 * secret with very many tells of somebody who wants it, many with few each of somebody who tries the
 * same pins on all.
 *
 * @module
 */

import type { RequestEvent } from "./request_event.ts";
import { Tallies } from "./tallies.ts";

/** How long one of the two halves of what is watched lasts, in milliseconds. */
const HALF_MS = 60_000;

/** Secrets with wrong pins that are told apart in a half, at most; as many with throttled ones. */
const MAX_SECRETS = 10_000;

/** What is counted of a pin that was not accepted. */
const KINDS = ["wrong", "throttled"] as const;

/** How many pins of each secret were not accepted, in a half. */
type Half = Readonly<Record<(typeof KINDS)[number], Tallies>>;

/** How many pins of one secret were not accepted. */
type Tally = Record<(typeof KINDS)[number], number>;

/** Figures of the last minute or two: at least, where there were more secrets than are told apart. */
export interface AttackFigures {
  /** Pins that were wrong, since the start. */
  readonly wrongPins: number;
  /** Secrets with a pin that was wrong or throttled; 40,000 at most. */
  readonly attackedSecrets: number;
  /** Those of them with a pin that was throttled; 20,000 at most. */
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

/**
 * Watches requests.
 *
 * Anybody who may call can send wrong pins for any number of made-up secrets, and must not hide an
 * attack with them. So where a minute has more secrets than are told apart, the one with the fewest
 * pins goes: a figure is never too high, and that of one secret lacks at most one pin in 10,000 of all
 * that were wrong in that minute, and one in 10,000 of all that were throttled. Throttled pins are
 * counted apart: a secret has some only once a budget of wrong ones is used up, so that secrets which
 * have wrong pins alone push no throttled one out.
 */
export class AttackWatch {
  readonly #now: () => number;
  #wrongPins = 0;
  #current = emptyHalf();
  #before = emptyHalf();
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
    this.#current[isWrong ? "wrong" : "throttled"].count(facts.secret);
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
    const all = new Map<string, Tally>();
    for (const half of [this.#before, this.#current]) {
      for (const kind of KINDS) {
        for (const [secret, pins] of half[kind].atLeast()) {
          const tally = all.get(secret) ?? { wrong: 0, throttled: 0 };
          tally[kind] += pins;
          all.set(secret, tally);
        }
      }
    }
    return all;
  }

  #turn(): void {
    const elapsedMs = this.#now() - this.#sinceMs;
    if (elapsedMs < HALF_MS) return;
    this.#before = elapsedMs < 2 * HALF_MS ? this.#current : emptyHalf();
    this.#current = emptyHalf();
    this.#sinceMs += elapsedMs - elapsedMs % HALF_MS;
  }
}

function emptyHalf(): Half {
  return { wrong: new Tallies(MAX_SECRETS), throttled: new Tallies(MAX_SECRETS) };
}

function pinsOf({ wrong, throttled }: Tally): number {
  return wrong + throttled;
}
