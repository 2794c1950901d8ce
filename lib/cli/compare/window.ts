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
  // The farthest steps are beyond those of any window and next to it, and not asked about.
  const known = new Map([[-MAX_WINDOW - 2, false], [MAX_WINDOW + 2, false]]);
  const isAccepted = (step: number): boolean => known.get(step)!;
  const learn = async (...steps: readonly number[]): Promise<void> => {
    for (const step of steps) if (!known.has(step)) known.set(step, await ask(step));
  };
  for (const distance of [0, 1, expected, expected + 1, FARTHEST - 1, FARTHEST]) {
    await learn(distance, -distance);
  }
  const stride = 2 * expected + 1;
  for (let far = stride + expected; far < FARTHEST; far += stride) {
    if (![...known.values()].includes(true)) await learn(far, -far);
  }
  for (;;) {
    const steps = [...known.keys()].toSorted((a, b) => a - b);
    const [first, last] = [steps.findIndex(isAccepted), steps.findLastIndex(isAccepted)];
    if (first < 0 || !steps.slice(first, last).every(isAccepted)) return undefined;
    const [below, lower] = steps.slice(first - 1) as [number, number];
    const [upper, above] = steps.slice(last) as [number, number];
    if (above - upper > 1) {
      await learn(Math.floor((upper + above) / 2));
    } else if (lower - below > 1) {
      // Both sides are mostly as long, which two questions show.
      const even = [-upper, -above].find((step) => below < step && step < lower);
      await learn(even ?? Math.floor((below + lower) / 2));
    } else {
      const found = { middle: (upper + lower) / 2, width: (upper - lower) / 2 };
      const isWhole = Math.max(-lower, upper) <= MAX_WINDOW;
      return isWhole && Number.isInteger(found.middle) ? found : undefined;
    }
  }
}
