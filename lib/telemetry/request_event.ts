/**
 * Event of an answered request, for the log and the metrics. It quotes no part of the request:
 * every text is from a closed set, except for the request id, the caller's name (chosen by the
 * operator) and the short name of a secret.
 *
 * @module
 */

import type { CallFacts, Completed, Refused } from "../operations/facts.ts";
import type { Fault, FaultCode } from "../operations/fault.ts";

/** Outcome of a request: a result, a document, or a fault. */
export type Outcome =
  /** A document, or a result other than a boolean. */
  | "ok"
  /** A boolean result. */
  | "true"
  | "false"
  /** The operation's own reason for a refused pin. */
  | Refused
  /** No route for the path, or no document of the name. */
  | "not-found"
  /** The route does not have the method. */
  | "method-not-allowed"
  /** The server is stopping. */
  | "not-ready"
  | FaultCode;

/** Returns the outcome of a completed call. */
export function outcomeOf({ result, facts }: Completed<unknown>): Outcome {
  return facts?.outcome ?? (typeof result === "boolean" ? `${result}` : "ok");
}

/** Returns the facts of a fault. */
export function factsOfFault({ unopened, message }: Fault): CallFacts {
  return { ...(unopened && { unopened }), reason: message };
}

/** Event of an answered request, or of a call in this process. */
export interface RequestEvent {
  /** Id of the request, in its reply as `X-Request-Id`. */
  readonly requestId: string;
  /** The method; `other` for a method without a route, empty for a call in this process. */
  readonly method: string;
  /** The name of the route; all unknown paths share one name, calls in this process `library`. */
  readonly route: string;
  /** The name of the operation; empty when the request reached no operation. */
  readonly operation: string;
  /** The name of the binding; empty without a binding. */
  readonly binding: string;
  /** The HTTP status of the reply; 0 for a call in this process. */
  readonly status: number;
  /** The outcome. */
  readonly outcome: Outcome;
  /** The caller's name in the file of API keys; undefined for a key without a name. */
  readonly caller?: string | undefined;
  /** The IP address of the caller, if the operator wants it. */
  readonly peer?: string | undefined;
  /** The facts of the call. */
  readonly facts?: CallFacts | undefined;
  /** Duration in milliseconds. */
  readonly durationMs: number;
  /** The length of the reply's body in bytes. */
  readonly replyBytes: number;
}
