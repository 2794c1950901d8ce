/**
 * Unexpected errors.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";
import type { Log } from "../telemetry/log.ts";

/**
 * Converts a thrown value to a fault. Any value but a Fault is a mistake of ours: it is logged, and
 * the caller learns no details.
 */
export function toFault(error: unknown, log: Pick<Log, "error">): Fault {
  if (error instanceof Fault) return error;
  ignoreErrors(() => log.error("a request failed", error));
  return new Fault("internal", "Server was unable to process request.");
}

/** Runs a notification and ignores its failure, which must not turn an answer into an error. */
export function ignoreErrors(tell: () => void): void {
  try {
    tell();
  } catch {
    // Ignored: there is no other place to report it.
  }
}
