/** Waiting for conditions and not for durations. */

const DEADLINE_MS = 180_000;
const PAUSE_MS = 20;

/**
 * Tries something for which a program gives so much time and no more. What fails in that time has
 * failed; where this machine took longer, nothing was shown, and it is tried again.
 *
 * @param limitMs How long the program waits, in milliseconds.
 * @throws {unknown} What the attempt threw that was in time, or the last one.
 */
export async function inTime<T>(limitMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const startMs = performance.now();
    try {
      return await attempt();
    } catch (error) {
      const nowMs = performance.now();
      if (nowMs - startMs < limitMs || nowMs > deadlineMs) throw error;
    }
  }
}

/**
 * Waits until something is so.
 *
 * @param what What is waited for, as a clause.
 * @param patienceMs How long it may take, in milliseconds; three minutes unless given.
 * @throws {Error} When it is not by then.
 */
export async function eventually(
  isSo: () => boolean | undefined | Promise<boolean>,
  what = "what was waited for is so",
  patienceMs = DEADLINE_MS,
): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (!await isSo()) {
    if (performance.now() > deadlineMs) throw new Error(`it did not come that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
