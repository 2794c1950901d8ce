/**
 * A simulated history: users log in, mistype and retry, guessers use one source or many, and a few
 * instances share one store, with outages, restarts and clock changes. Each seed makes one history.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { type GuardRules, guardRules } from "../../../lib/guard/guard.ts";
import { referenceHotp } from "../reference_totp.ts";
import { pick } from "../random.ts";
import { fingerprintOf, Instance, sourceNameOf } from "./instance.ts";
import { FAIR_STATE, type Link } from "./link.ts";
import { Guarantees, type Tally } from "./guarantees.ts";
import { SimulatedStore } from "./store.ts";
import { World } from "./world.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEP_MS = 30 * SECOND;

/**
 * Time after an outage in which refusals are still allowed: until the connection is back. A connection
 * attempt from the outage takes up to 1.7 seconds to fail, and the longest pause after it four seconds.
 */
const RECOVERY_MS = 7 * SECOND;

/** Events of a history: enough for hours, in which throttles and outages can end. */
export const EVENTS = 20_000;

/** Deadline of every reply, also while the store is down. */
const LATEST_ANSWER_MS = 5 * SECOND;

/** Options of a history. */
export interface HistoryOptions {
  /** Seed of the random generator. */
  readonly seed: number;
  /** Number of events; `EVENTS` unless given. */
  readonly events?: number;
  /** Whether the store sends some false replies. */
  readonly falseReplies?: boolean;
}

/** Result of a history. */
export interface Report extends Tally {
  /** Number of events. */
  readonly events: number;
  /** Hash of all outcomes. */
  readonly digest: number;
}

interface Person {
  readonly secretCode: string;
  readonly fingerprint: string;
}

// The histories run one after the other, since each takes the timers of the process: a property that
// has used up its minutes leaves one that is still running.
let running: Promise<unknown> = Promise.resolve();

/** Plays a history; rejects when a guarantee is broken. */
export function playHistory(options: HistoryOptions): Promise<Report> {
  const report = running.then(() => playAlone(options));
  running = report.catch(() => {});
  return report;
}

async function playAlone(
  { seed, events = EVENTS, falseReplies = false }: HistoryOptions,
): Promise<Report> {
  const history = new History(new World(seed), falseReplies);
  try {
    return await history.play(events);
  } catch (error) {
    throw new Error(`history ${seed}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

class History {
  readonly #rules: GuardRules;
  readonly #guarantees: Guarantees;
  readonly #store: SimulatedStore;
  readonly #instances: readonly Instance[];
  readonly #people: readonly Person[];
  readonly #namesSources: boolean;
  /** End of the last outage, plus the recovery; infinite during one. */
  #calmSinceMs = 0;
  readonly #unanswered = new Set<{ readonly fromMs: number; readonly instance: Instance }>();
  readonly #codes = new Map<string, string>();
  /** Replays the code that was accepted last. */
  #replay = (): void => {};
  #digest = 0;
  #failure: unknown;

  constructor(private readonly world: World, falseReplies: boolean) {
    const { random } = world;
    const maxFailures = [0, 3, 5, 20, 100][random(5)]!;
    this.#rules = guardRules({ maxFailures, singleUse: random(2) === 0, window: 1, period: 30 });
    this.#namesSources = random(3) > 0;
    this.#guarantees = new Guarantees(this.#rules, () => this.#store);
    this.#store = new SimulatedStore(world, this.#rules, {
      onDecision: (...decision) => this.#recordFailure(() => this.#guarantees.decided(...decision)),
      onLoss: (fingerprint) => {
        this.#guarantees.lost(fingerprint, world.nowMs);
        // The store has lost that the code was used: the best moments to replay it.
        for (let i = 1; i <= 20; i++) world.after(3 * i * SECOND, this.#replay);
      },
    });
    this.#store.isFalse = falseReplies;
    this.#people = Array.from({ length: 60 }, (_, i) => {
      const secretCode = `correct-horse-${world.random(1000)}-${i}`;
      return { secretCode, fingerprint: fingerprintOf(new TextEncoder().encode(secretCode)) };
    });
    this.#instances = [];
  }

  async play(events: number): Promise<Report> {
    const { world } = this;
    const startMs = world.nowMs;
    this.#calmSinceMs = startMs + RECOVERY_MS;
    // As an event, so that the timers they set are simulated.
    world.after(0, () => {
      const count = 2 + world.random(3);
      const start = (): Instance => new Instance(world, this.#rules, this.#store);
      Object.assign(this.#instances, Array.from({ length: count }, start));
    });
    world.after(SECOND, () => {
      for (const person of this.#people) this.#logIn(person);
      for (const person of this.#people.slice(0, 20)) this.#guess(person);
      this.#disturb();
      this.#drift();
    });
    await world.run(events);
    if (this.#failure !== undefined) throw this.#failure;
    for (const { fromMs, instance } of this.#unanswered) {
      const sinceMs = Math.max(fromMs, instance.pausedUntilMs);
      assert(world.nowMs - sinceMs < LATEST_ANSWER_MS, "a check without a reply");
    }
    return { ...this.#guarantees.tally, events: world.events, digest: this.#digest };
  }

  // A user logs in from time to time, mistypes, clicks twice, and retries after a wrong PIN.
  #logIn(person: Person): void {
    const { world } = this;
    const source = this.#namesSources ? `user ${person.secretCode}` : undefined;
    const attempt = async (left: number): Promise<void> => {
      const right = this.#codeOf(person, Math.floor(world.nowMs / STEP_MS));
      const isMistyped = world.random(10) === 0;
      const pin = isMistyped ? right.slice(1) + right[0] : right;
      const twice = world.random(10) === 0 ? this.#check(person, pin, source) : undefined;
      const isIn = await this.#check(person, pin, source);
      if (isIn) this.#replay = () => void this.#check(person, pin, source);
      await twice;
      if (!isIn && left > 0) {
        world.after(world.between(3, 40) * SECOND, () => void attempt(left - 1));
      }
      // The code was observed, and is replayed.
      if (world.random(5) === 0) {
        world.after(world.between(0, 40) * SECOND, () => void this.#check(person, pin, source));
      }
    };
    const again = (): void => {
      void attempt(4);
      world.after(world.between(MINUTE, 4 * HOUR), again);
    };
    world.after(world.between(0, HOUR), again);
  }

  // A guesser sends one PIN after the other, from one source or from many, with pauses.
  #guess(person: Person): void {
    const { world } = this;
    const sources = [1, 1, 3, 40][world.random(4)]!;
    const everyMs = [SECOND, 10 * SECOND, MINUTE, HOUR][world.random(4)]!;
    let left = 0;
    const again = (): void => {
      const source = this.#namesSources ? `guesser ${world.random(sources)}` : undefined;
      const guess = String(world.random(1_000_000)).padStart(6, "0");
      const instance = pick(world.random, this.#instances);
      // Sometimes several at once, which race for the last attempt.
      const count = world.random(10) === 0 ? 8 : 1;
      for (let i = 0; i < count; i++) void this.#check(person, guess, source, instance);
      const pauseMs = left-- > 0 ? everyMs : world.between(0, 12 * HOUR);
      if (left < 0) left = world.random(150);
      world.after(pauseMs, again);
    };
    world.after(world.between(0, HOUR), again);
  }

  async #check(
    person: Person,
    pin: string,
    source: string | undefined,
    instance = pick(this.world.random, this.#instances),
  ): Promise<boolean> {
    const { world } = this;
    const { secretCode, fingerprint } = person;
    // The request arrives as a message, and waits while the instance is paused.
    return await new Promise((resolve) => {
      world.after(world.between(0.1, 20), async () => {
        const fromMs = world.nowMs;
        const now = Math.floor(instance.nowMs / STEP_MS);
        const step = [now, now - 1, now + 1].find((step) => this.#codeOf(person, step) === pin);
        const call = { fromMs, instance };
        this.#unanswered.add(call);
        const { body, outcome } = await instance.check(pin, secretCode, source);
        this.#unanswered.delete(call);
        const paused = this.#pausedMs(instance, fromMs);
        this.#recordFailure(() =>
          this.#guarantees.answered({
            fingerprint,
            step,
            fromMs,
            body,
            outcome,
            source: source === undefined ? "" : sourceNameOf(fingerprint, source),
            toMs: Math.max(fromMs, world.nowMs - paused),
            isCalm: fromMs >= this.#calmSinceMs,
          })
        );
        this.#digest = Math.imul(this.#digest ^ outcome.charCodeAt(0), 0x01000193) + now | 0;
        resolve(outcome === "true");
      }, instance);
    });
  }

  #codeOf({ secretCode }: Person, step: number): string {
    const name = `${secretCode} ${step}`;
    const code = this.#codes.get(name) ?? referenceHotp(secretCode, step);
    if (this.#codes.size > 10_000) this.#codes.clear();
    this.#codes.set(name, code);
    return code;
  }

  // Time that the instance was paused since a moment.
  #pausedMs(instance: Instance, fromMs: number): number {
    return Math.max(0, instance.pausedUntilMs - fromMs);
  }

  // Outages of the store, links and instances, one after the other.
  #disturb(): void {
    const { world } = this;
    const { random } = world;
    const instance = pick(random, this.#instances);
    const { state } = instance.link;
    const links = random(2) === 0 ? [instance.link] : this.#instances.map(({ link }) => link);
    const forMs = world.between(0, 10 * MINUTE);
    const disturbances: readonly (() => void)[] = [
      // A pause of the instance alone: the replies came in time, so no PIN may be refused.
      () => void (instance.pausedUntilMs = world.nowMs + world.between(10, 3 * SECOND)),
      () => this.#outage(links, forMs, (link) => link.state.isDropping = true),
      () => this.#outage(links, forMs, (link) => link.state.delayMs = 2 * SECOND),
      () =>
        this.#outage(links, forMs, (link) => {
          link.state.isClosed = true;
          link.reset();
        }),
      () => this.#outage(links, 0, (link) => link.reset()),
      () =>
        this.#outage(this.#instances.map(({ link }) => link), forMs / 10, (link) => {
          link.state.isClosed = true;
          link.reset();
        }, () => this.#store.restartEmpty()),
      () =>
        this.#outage(this.#instances.map(({ link }) => link), forMs / 10, (link) => {
          link.state.isClosed = true;
          link.reset();
        }, () => {
          this.#store.failOver(world.between(0, 2 * SECOND), world.random(20_000) - 10_000);
          this.#guarantees.jumped(world.nowMs + 10 * SECOND);
        }),
      () => {
        this.#store.clockOffsetMs += world.random(2 * HOUR) - HOUR;
        this.#guarantees.jumped(world.nowMs + HOUR);
      },
      // Slow, but within the timeout.
      () => {
        state.delayMs = 100;
        world.after(forMs, () => void (state.delayMs = FAIR_STATE.delayMs));
      },
    ];
    pick(random, disturbances)();
    world.after(world.between(RECOVERY_MS + 10 * MINUTE, HOUR), () => this.#disturb());
  }

  #outage(
    links: readonly Link[],
    forMs: number,
    begin: (link: Link) => void,
    meanwhile: () => void = () => {},
  ): void {
    this.#calmSinceMs = Infinity;
    links.forEach(begin);
    meanwhile();
    this.world.after(forMs, () => {
      for (const link of links) Object.assign(link.state, FAIR_STATE);
      this.#calmSinceMs = this.world.nowMs + RECOVERY_MS;
    });
  }

  // The clocks of the instances drift, and are set.
  #drift(): void {
    for (const instance of this.#instances) {
      instance.clockOffsetMs = this.world.random(10) === 0
        ? this.world.random(4 * HOUR) - 2 * HOUR
        : this.world.random(20_000) - 10_000;
    }
    this.world.after(this.world.between(MINUTE, 4 * HOUR), () => this.#drift());
  }

  // Keeps the first failure in a callback, where nothing could catch it, for the end of the history.
  #recordFailure(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#failure ??= error;
    }
  }
}
