/**
 * Many callers at once that do as little as they can, in a thread of their own, so that they take no
 * time from the caller who is measured.
 *
 * @module
 */

/** What each of a crowd does. */
export type Behaviour = "dribbling heads" | "stalled bodies" | "idle" | "reading a byte a second";

/** All there are. */
export const BEHAVIOURS: readonly Behaviour[] = [
  "dribbling heads",
  "stalled bodies",
  "idle",
  "reading a byte a second",
];

/** The message with which a thread starts its crowd. */
export interface CrowdOptions {
  /** Where the server listens. */
  readonly port: number;
  /** How many there are. */
  readonly size: number;
  /** What each does. */
  readonly behaviour: Behaviour;
}

/** A crowd that stands. */
export interface Crowd {
  /** Lets them go. */
  readonly leave: () => void;
}

// Far above what it takes to connect.
const PATIENCE_MS = 300_000;

/**
 * Lets a crowd come, and waits until all are there.
 *
 * @throws {Error} When they are not within minutes.
 */
export function gather(options: CrowdOptions): Promise<Crowd> {
  const worker = new Worker(new URL("crowd_worker.ts", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      worker.terminate();
      reject(new Error(`the crowd did not come: ${reason}`));
    };
    const timer = setTimeout(() => fail("it takes too long"), PATIENCE_MS);
    worker.onerror = (event) => {
      event.preventDefault();
      clearTimeout(timer);
      fail(event.message);
    };
    worker.onmessage = () => {
      clearTimeout(timer);
      // What a thread holds of the system goes with it.
      resolve({ leave: () => worker.terminate() });
    };
    worker.postMessage(options);
  });
}
