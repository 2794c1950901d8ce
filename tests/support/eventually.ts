/** Waiting for conditions and not for durations. */

const DEADLINE_MS = 180_000;
const PAUSE_MS = 20;

/**
 * Waits until something is so.
 *
 * @param what What is waited for, as a clause.
 * @param patienceMs How long it may take, in milliseconds; three minutes unless given.
 * @throws {Error} When it is not by then.
 */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what = "what was waited for is so",
  patienceMs = DEADLINE_MS,
): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (!await isSo()) {
    if (performance.now() > deadlineMs) throw new Error(`it did not come that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
