/**
 * The log: lines for the operator. Nothing of a request is ever part of one.
 *
 * @module
 */

/** Writes what the operator should know. */
export interface Log {
  /** Something failed that should not have; the cause is what was thrown. */
  readonly error: (message: string, cause: unknown) => void;
}

/**
 * Makes a log.
 *
 * @param write Takes one line, or a few that belong together, without the last line end.
 */
export function createLog(write: (text: string) => void): Log {
  return {
    error: (message, cause) => write(`error: ${message}: ${describeCause(cause)}`),
  };
}

// The message of an error may quote what it was about, a secret among it; its name and the places
// it came through may not.
function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const frames = (cause.stack ?? "").split("\n").filter((line) => /^\s+at |^[^\s]*@/.test(line));
  return [cause.name, ...frames].join("\n");
}
