/**
 * Waiting that has an end.
 *
 * @module
 */

/** Waits for so many milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for a promise, and no longer than so many milliseconds; for `Infinity`, as long as it takes. */
export async function withTimeout(promise: Promise<void>, timeoutMs: number): Promise<void> {
  if (timeoutMs === Infinity) return await promise;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  try {
    await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
