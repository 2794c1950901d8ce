// One user and those who keep wrong pins coming, with the rules that run in production and a clock of
// its own: how long the user waits until a right pin is taken. Part of bench/guard_simulation.ts.

import { type GuardRules, guardRules, type GuardState } from "../lib/guard/guard.ts";
import { decide } from "../tests/support/guard_model.ts";
import { type Random, seededRandom } from "../tests/support/random.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START_MS = 1e12;

/** Who guesses, from where, and what the application says of it. */
interface Scene {
  /** What it is. */
  readonly name: string;
  /** The sources that wrong pins come from; undefined for calls that do not say who asks. */
  readonly guessers: readonly (string | undefined)[];
  /** The time between two pins of a source. */
  readonly everyMs: number;
  /** The user's source, as the application names it. */
  readonly user: string | undefined;
  /** Whether a pin from there was right before. */
  readonly isKnown?: boolean;
}

const ALONE = [undefined];
const [ONE, THREE, HUNDRED] = [1, 3, 100].map((count) =>
  Array.from({ length: count }, (_, i) => `guesser ${i}`)
);
const TEN_SECONDS = { everyMs: 10 * SECOND };
const KNOWN = { user: "user", isKnown: true };
const NEW = { user: "user" };

const SCENES: readonly Scene[] = [
  { name: "nobody says who asks", guessers: ALONE, user: undefined, ...TEN_SECONDS },
  { name: "nobody says who asks, one an hour", guessers: ALONE, user: undefined, everyMs: HOUR },
  { name: "the user's own source", guessers: ["user"], ...KNOWN, ...TEN_SECONDS },
  { name: "1 other source", guessers: ONE!, ...KNOWN, ...TEN_SECONDS },
  { name: "1 other source, one an hour", guessers: ONE!, ...KNOWN, everyMs: HOUR },
  { name: "1 other source, the user's is new", guessers: ONE!, ...NEW, ...TEN_SECONDS },
  { name: "3 other sources", guessers: THREE!, ...KNOWN, ...TEN_SECONDS },
  { name: "100 other sources", guessers: HUNDRED!, ...KNOWN, ...TEN_SECONDS },
  { name: "100 other sources, the user's is new", guessers: HUNDRED!, ...NEW, ...TEN_SECONDS },
];

/** Who sends pins: when next, and since when in vain. */
interface Player {
  readonly source: string | undefined;
  readonly isUser: boolean;
  nextMs: number;
  sinceMs?: number | undefined;
}

const LOGINS_A_DAY = 3;
const MISTYPED_OF_100 = 5;
const RETYPED_MS = 5 * SECOND;
const TRIED_AGAIN_MS = 20 * SECOND;

/** Plays some days; gives how long the user waited at each login. */
function play(rules: GuardRules, scene: Scene, days: number, random: Random): number[] {
  const user: Player = { source: scene.user, isUser: true, nextMs: random(DAY / LOGINS_A_DAY) };
  const guessers = scene.guessers.map((source): Player => (
    { source, isUser: false, nextMs: random(scene.everyMs) }
  ));
  const players = [user, ...guessers];
  let state: GuardState | undefined;
  if (scene.isKnown) {
    ({ state } = decide(rules, state, { matchedStep: 0, source: scene.user }, START_MS));
  }
  const waitsMs: number[] = [];
  for (;;) {
    const player = players.reduce((first, other) => other.nextMs < first.nextMs ? other : first);
    const { nextMs: nowMs, source, isUser } = player;
    if (nowMs >= days * DAY) break;
    const matchedStep = isUser && random(100) >= MISTYPED_OF_100 ? 0 : undefined;
    const decision = decide(rules, state, { matchedStep, source }, START_MS + nowMs);
    ({ state } = decision);
    if (!isUser) {
      // The pins until the wait is over are refused, and change nothing.
      player.nextMs += scene.everyMs * Math.max(1, Math.ceil(decision.refusedMs / scene.everyMs));
    } else if (decision.verdict === "accepted") {
      waitsMs.push(nowMs - (player.sinceMs ?? nowMs));
      player.sinceMs = undefined;
      player.nextMs += random(2 * DAY / LOGINS_A_DAY);
    } else if (decision.verdict === "wrong") {
      player.nextMs += RETYPED_MS;
    } else {
      player.sinceMs ??= nowMs;
      player.nextMs += TRIED_AGAIN_MS;
    }
  }
  return user.sinceMs === undefined ? waitsMs : [...waitsMs, days * DAY - user.sinceMs];
}

function shown(ms: number): string {
  if (ms === 0) return "none";
  return ms < 2 * HOUR ? `${Math.ceil(ms / MINUTE)} min` : `${Math.round(ms / HOUR)} h`;
}

/** Prints how long a user waits while wrong pins keep coming for a week, 30 times. */
export function printLockOut(print: (...cells: readonly string[]) => void): void {
  print("Rule", "Wrong pins from", "Median wait", "95 of 100", "Longest");
  print("---", "---", "---", "---", "---");
  for (const maxFailures of [100, 5]) {
    const rules = guardRules({ maxFailures, singleUse: false, window: 1, period: 30 });
    for (const scene of SCENES) {
      const random = seededRandom(1);
      const waitsMs = Array.from({ length: 30 }, () => play(rules, scene, 7, random)).flat()
        .sort((a, b) => a - b);
      const part = (share: number): string =>
        shown(waitsMs[Math.ceil(share * waitsMs.length) - 1]!);
      print(`--max-failures ${maxFailures}`, scene.name, part(0.5), part(0.95), part(1));
    }
  }
}
