/** Waiting for conditions instead of durations. */

const DEADLINE_MS = 180_000;
const PAUSE_MS = 20;

// The timers of the platform, also in a test that replaces those of the process.
const { setTimeout } = globalThis;

/**
 * Tries something for which a program has a time limit. A failure within the limit counts; if this
 * machine took longer, the attempt proves nothing, and is repeated.
 *
 * @param limitMs How long the program waits, in milliseconds.
 * @throws {unknown} The error of the attempt that was in time, or of the last one.
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
 * Waits for a condition.
 *
 * @param what The condition, as a clause.
 * @param patienceMs The timeout in milliseconds; three minutes unless given.
 * @throws {Error} At the timeout.
 */
export async function eventually(
  isTrue: () => boolean | undefined | Promise<boolean>,
  what = "the condition holds",
  patienceMs = DEADLINE_MS,
): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (!await isTrue()) {
    if (performance.now() > deadlineMs) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
