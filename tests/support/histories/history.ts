/**
 * A history: users who log in, mistype and try again, guessers with one source and with many, a few
 * instances, one store, and all that befalls them. A seed gives one history.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { type GuardRules, guardRules } from "../../../lib/guard/guard.ts";
import { referenceHotp } from "../reference_totp.ts";
import { pick } from "../random.ts";
import { fingerprintOf, Instance, sourceNameOf } from "./instance.ts";
import { FAIR, type Link } from "./link.ts";
import { Promises, type Tally } from "./promises.ts";
import { SimulatedStore } from "./store.ts";
import { World } from "./world.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEP_MS = 30 * SECOND;

/**
 * How long after trouble a store may still be blamed: until the connection is back. An attempt that
 * began in trouble takes 1.7 seconds to fail, and the longest pause behind it four seconds.
 */
const RECOVERY_MS = 7 * SECOND;

/** How much happens in a history: hours, in which a wait can end and trouble come and go. */
export const EVENTS = 20_000;

/** When a check is to be answered, whatever befalls the store. */
const LATEST_ANSWER_MS = 5 * SECOND;

/** What a history is to be like. */
export interface Wishes {
  /** What decides all the rest. */
  readonly seed: number;
  /** How much is to happen; `EVENTS` unless given. */
  readonly events?: number;
  /** Whether the store lies now and then. */
  readonly lies?: boolean;
}

/** What came of it. */
export interface Report extends Tally {
  /** How much happened. */
  readonly events: number;
  /** How many days it took. */
  readonly days: number;
  /** A number that differs where anything else was answered. */
  readonly digest: number;
}

interface Person {
  readonly secretCode: string;
  readonly fingerprint: string;
}

/** Plays a history; rejects when anything is not as it was promised. */
export async function playHistory(
  { seed, events = EVENTS, lies = false }: Wishes,
): Promise<Report> {
  const history = new History(new World(seed), lies);
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
  readonly #promises: Promises;
  readonly #store: SimulatedStore;
  readonly #instances: readonly Instance[];
  readonly #people: readonly Person[];
  readonly #namesSources: boolean;
  /** Since when there is no trouble; in trouble, not yet. */
  #calmSinceMs = 0;
  readonly #unanswered = new Set<{ readonly fromMs: number; readonly instance: Instance }>();
  readonly #codes = new Map<string, string>();
  /** Sends the code again that was accepted last. */
  #steal = (): void => {};
  #digest = 0;
  #failure: unknown;

  constructor(private readonly world: World, lies: boolean) {
    const { random } = world;
    const maxFailures = [0, 3, 5, 20, 100][random(5)]!;
    this.#rules = guardRules({ maxFailures, singleUse: random(2) === 0, window: 1, period: 30 });
    this.#namesSources = random(3) > 0;
    this.#promises = new Promises(this.#rules, () => this.#store);
    this.#store = new SimulatedStore(world, this.#rules, {
      onDecision: (...decision) => this.#guarded(() => this.#promises.decided(...decision)),
      onLoss: (fingerprint) => {
        this.#promises.lost(fingerprint, world.nowMs);
        // The best moments for a thief: the store does not know that the code was used.
        for (let i = 1; i <= 20; i++) world.after(3 * i * SECOND, this.#steal);
      },
    });
    this.#store.isLying = lies;
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
    // In the world, whose timers they set.
    world.after(0, () => {
      const count = 2 + world.random(3);
      const start = (): Instance => new Instance(world, this.#rules, this.#store);
      Object.assign(this.#instances, Array.from({ length: count }, start));
    });
    world.after(SECOND, () => {
      for (const person of this.#people) this.#logIn(person);
      for (const person of this.#people.slice(0, 20)) this.#guess(person);
      this.#befall();
      this.#drift();
    });
    await world.run(events);
    if (this.#failure !== undefined) throw this.#failure;
    for (const { fromMs, instance } of this.#unanswered) {
      const sinceMs = Math.max(fromMs, instance.pausedUntilMs);
      assert(world.nowMs - sinceMs < LATEST_ANSWER_MS, "a check that was never answered");
    }
    const days = (world.nowMs - startMs) / (24 * HOUR);
    return { ...this.#promises.tally, events: world.events, days, digest: this.#digest };
  }

  // A user: logs in now and then, mistypes, clicks twice, and tries again when told that it is wrong.
  #logIn(person: Person): void {
    const { world } = this;
    const source = this.#namesSources ? `user ${person.secretCode}` : undefined;
    const attempt = async (left: number): Promise<void> => {
      const right = this.#codeOf(person, Math.floor(world.nowMs / STEP_MS));
      const isMistyped = world.random(10) === 0;
      const pin = isMistyped ? right.slice(1) + right[0] : right;
      const twice = world.random(10) === 0 ? this.#check(person, pin, source) : undefined;
      const isIn = await this.#check(person, pin, source);
      if (isIn) this.#steal = () => void this.#check(person, pin, source);
      await twice;
      if (!isIn && left > 0) {
        world.after(world.between(3, 40) * SECOND, () => void attempt(left - 1));
      }
      // Somebody saw the code.
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

  // A guesser: one pin after the other, from one source or from many, with pauses.
  #guess(person: Person): void {
    const { world } = this;
    const sources = [1, 1, 3, 40][world.random(4)]!;
    const everyMs = [SECOND, 10 * SECOND, MINUTE, HOUR][world.random(4)]!;
    let left = 0;
    const again = (): void => {
      const source = this.#namesSources ? `guesser ${world.random(sources)}` : undefined;
      const guess = String(world.random(1_000_000)).padStart(6, "0");
      const instance = pick(world.random, this.#instances);
      // Now and then several at once, so that one may slip through with the others.
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
    // It reaches the instance as any message does, and is checked when the instance goes on.
    return await new Promise((resolve) => {
      world.after(world.between(0.1, 20), async () => {
        const fromMs = world.nowMs;
        const now = Math.floor(instance.nowMs / STEP_MS);
        const step = [now, now - 1, now + 1].find((step) => this.#codeOf(person, step) === pin);
        const asked = { fromMs, instance };
        this.#unanswered.add(asked);
        const { body, outcome } = await instance.check(pin, secretCode, source);
        this.#unanswered.delete(asked);
        const paused = this.#pausedMs(instance, fromMs);
        this.#guarded(() =>
          this.#promises.answered({
            ...{ fingerprint, step, fromMs, body, outcome },
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

  // For how long the instance stood still since a time.
  #pausedMs(instance: Instance, fromMs: number): number {
    return Math.max(0, instance.pausedUntilMs - fromMs);
  }

  // What befalls store, ways and instances, one after the other.
  #befall(): void {
    const { world } = this;
    const { random } = world;
    const instance = pick(random, this.#instances);
    const { weather } = instance.link;
    const links = random(2) === 0 ? [instance.link] : this.#instances.map(({ link }) => link);
    const forMs = world.between(0, 10 * MINUTE);
    const misfortunes: readonly (() => void)[] = [
      // Not the fault of the store, whose replies came in time: no pin may be refused for it.
      () => void (instance.pausedUntilMs = world.nowMs + world.between(10, 3 * SECOND)),
      () => this.#trouble(links, forMs, (link) => link.weather.isSwallowing = true),
      () => this.#trouble(links, forMs, (link) => link.weather.delayMs = 2 * SECOND),
      () =>
        this.#trouble(links, forMs, (link) => {
          link.weather.isClosed = true;
          link.reset();
        }),
      () => this.#trouble(links, 0, (link) => link.reset()),
      () =>
        this.#trouble(this.#instances.map(({ link }) => link), forMs / 10, (link) => {
          link.weather.isClosed = true;
          link.reset();
        }, () => this.#store.restartEmpty()),
      () =>
        this.#trouble(this.#instances.map(({ link }) => link), forMs / 10, (link) => {
          link.weather.isClosed = true;
          link.reset();
        }, () => {
          this.#store.failOver(world.between(0, 2 * SECOND), world.random(20_000) - 10_000);
          this.#promises.jumped(world.nowMs + 10 * SECOND);
        }),
      () => {
        this.#store.clockOffsetMs += world.random(2 * HOUR) - HOUR;
        this.#promises.jumped(world.nowMs + HOUR);
      },
      // Slow, and still in time.
      () => {
        weather.delayMs = 100;
        world.after(forMs, () => void (weather.delayMs = FAIR.delayMs));
      },
    ];
    pick(random, misfortunes)();
    world.after(world.between(RECOVERY_MS + 10 * MINUTE, HOUR), () => this.#befall());
  }

  #trouble(
    links: readonly Link[],
    forMs: number,
    begin: (link: Link) => void,
    meanwhile: () => void = () => {},
  ): void {
    this.#calmSinceMs = Infinity;
    links.forEach(begin);
    meanwhile();
    this.world.after(forMs, () => {
      for (const link of links) Object.assign(link.weather, FAIR);
      this.#calmSinceMs = this.world.nowMs + RECOVERY_MS;
    });
  }

  // The clocks of the instances go wrong by and by, and are set.
  #drift(): void {
    for (const instance of this.#instances) {
      instance.clockOffsetMs = this.world.random(10) === 0
        ? this.world.random(4 * HOUR) - 2 * HOUR
        : this.world.random(20_000) - 10_000;
    }
    this.world.after(this.world.between(MINUTE, 4 * HOUR), () => this.#drift());
  }

  // What fails in a callback is told at the end; there is nobody to catch it.
  #guarded(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#failure ??= error;
    }
  }
}
