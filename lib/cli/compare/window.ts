/**
 * Measurement of a window from the time steps whose codes are accepted.
 *
 * @module
 */

import { MAX_WINDOW } from "../../otp/totp.ts";

/** Farthest step of a clock that is looked for. */
const FARTHEST = 11;

/**
 * Finds the window by its time steps that are accepted, and asks about few more than these.
 *
 * @param expected The width to expect, in time steps on each side.
 * @param ask Asks about one step.
 * @returns The width, and the middle: how far the clock is ahead. Undefined when no window explains
 * the answers.
 */
export async function findWindow(
  expected: number,
  ask: (steps: number) => Promise<boolean>,
): Promise<{ readonly middle: number; readonly width: number } | undefined> {
  const known = new Map<number, boolean>();
  const isAccepted = async (steps: number): Promise<boolean> => {
    const answer = known.get(steps) ?? await ask(steps);
    known.set(steps, answer);
    return answer;
  };
  const nearest = (): number | undefined => [...known].find(([, answer]) => answer)?.[0];
  for (const distance of [0, 1, expected, expected + 1, 10, 11].toSorted((a, b) => a - b)) {
    await isAccepted(distance);
    await isAccepted(-distance);
  }
  const stride = 2 * expected + 1;
  for (let far = stride + expected; far < FARTHEST && nearest() === undefined; far += stride) {
    await isAccepted(far);
    await isAccepted(-far);
  }
  const start = nearest();
  if (start === undefined) return undefined;
  // Finds, by halves, the last accepted step in a direction.
  const edge = async (direction: 1 | -1): Promise<number> => {
    const steps = (wanted: boolean): readonly number[] =>
      [...known].filter(([, answer]) => answer === wanted).map(([step]) => step * direction);
    const beyond = steps(false).filter((step) => step > start * direction);
    let outside = Math.min(...beyond, MAX_WINDOW + 1);
    let inside = Math.max(...steps(true).filter((step) => step < outside));
    while (outside - inside > 1) {
      const middle = Math.floor((inside + outside) / 2);
      if (await isAccepted(middle * direction)) inside = middle;
      else outside = middle;
    }
    return inside * direction;
  };
  const upper = await edge(1);
  // Both sides are mostly as long, which two questions show.
  const isEven = upper >= 0 && await isAccepted(-upper) && !await isAccepted(-upper - 1);
  const lower = isEven ? -upper : await edge(-1);
  const found = { middle: (upper + lower) / 2, width: (upper - lower) / 2 };
  const isExplained = [...known].every(([steps, answer]) =>
    answer === (Math.abs(steps - found.middle) <= found.width)
  );
  return Number.isInteger(found.middle) && isExplained ? found : undefined;
}
