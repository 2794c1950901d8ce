/**
 * What fails that should not.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";
import type { Log } from "../telemetry/log.ts";

/**
 * What was thrown as a fault. Whatever is none is a mistake of ours: its cause is logged, and the
 * caller learns nothing.
 */
export function toFault(error: unknown, log: Pick<Log, "error">): Fault {
  if (error instanceof Fault) return error;
  ignoreErrors(() => log.error("a request failed", error));
  return new Fault("internal", "Server was unable to process request.");
}

/** Tells somebody of a request; that it cannot be told must not turn an answer into an error. */
export function ignoreErrors(tell: () => void): void {
  try {
    tell();
  } catch {
    // There is nobody left to tell.
  }
}
