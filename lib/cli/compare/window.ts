/**
 * Measurement of a window from the time steps whose codes are accepted.
 *
 * @module
 */

import { MAX_WINDOW } from "../../otp/totp.ts";

/** Window that was measured, in time steps. */
export interface MeasuredWindow {
  /** Its middle: how far the clock is ahead. */
  readonly middle: number;
  /** Steps on each side of the middle. */
  readonly width: number;
}

/** Farthest step of a clock that is looked for. */
const FARTHEST = 11;

/**
 * Finds the window, asking about further steps only where those asked leave it open.
 *
 * @param answers Whether the code of a step is accepted, by step.
 * @param expected The width to expect.
 * @param ask Asks about one step.
 * @returns undefined when no window explains the answers.
 */
export async function findWindow(
  answers: ReadonlyMap<number, boolean>,
  expected: number,
  ask: (steps: number) => Promise<boolean>,
): Promise<MeasuredWindow | undefined> {
  const known = new Map(answers);
  const isAccepted = async (steps: number): Promise<boolean> => {
    const answer = known.get(steps) ?? await ask(steps);
    known.set(steps, answer);
    return answer;
  };
  const stride = 2 * expected + 1;
  for (let far = stride + expected; far < FARTHEST && !hasAny(known); far += stride) {
    await isAccepted(far);
    await isAccepted(-far);
  }
  if (!hasAny(known)) return undefined;
  const upper = await edge(known, isAccepted, 1);
  // Both sides are mostly as long, which two questions show.
  const isEven = upper >= 0 && await isAccepted(-upper) && !await isAccepted(-upper - 1);
  const lower = isEven ? -upper : await edge(known, isAccepted, -1);
  const found = { middle: (upper + lower) / 2, width: (upper - lower) / 2 };
  const isExplained = [...known].every(([steps, answer]) =>
    answer === (Math.abs(steps - found.middle) <= found.width)
  );
  return Number.isInteger(found.middle) && isExplained ? found : undefined;
}

function hasAny(known: ReadonlyMap<number, boolean>): boolean {
  return [...known.values()].includes(true);
}

/** Finds, by halves, the last accepted step in a direction from the one nearest to now. */
async function edge(
  known: ReadonlyMap<number, boolean>,
  isAccepted: (steps: number) => Promise<boolean>,
  direction: 1 | -1,
): Promise<number> {
  const steps = (wanted: boolean): readonly number[] =>
    [...known].filter(([, answer]) => answer === wanted).map(([step]) => step * direction);
  const accepted = steps(true);
  const nearest = accepted.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0]!;
  let outside = Math.min(...steps(false).filter((step) => step > nearest), MAX_WINDOW + 1);
  let inside = Math.max(...accepted.filter((step) => step < outside));
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (await isAccepted(middle * direction)) inside = middle;
    else outside = middle;
  }
  return inside * direction;
}
