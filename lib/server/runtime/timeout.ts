/**
 * Sleep and timeouts.
 *
 * @module
 */

/** Resolves after `ms` milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for a promise for at most `timeoutMs` milliseconds; `Infinity` means no timeout. */
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
