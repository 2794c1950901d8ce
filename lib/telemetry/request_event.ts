/**
 * What is told of a request once it is answered: enough for a log line and a count, and nothing of
 * what the request said. Every text in it is one of a closed set, but for the request id, the caller's
 * name, which the operator chose, and the short name of a secret.
 *
 * @module
 */

import type { Facts, Refused } from "../operations/facts.ts";
import type { FaultCode } from "../operations/fault.ts";

/** How a request ended: with a result, a document, or a fault. */
export type Outcome =
  /** A result that is not a boolean, or a document. */
  | "ok"
  /** A result that is a boolean. */
  | "true"
  | "false"
  /** What the operation told of it, where the result does not say all. */
  | Refused
  /** No route has the path, or no document the name. */
  | "not-found"
  /** The route does not have the method. */
  | "method-not-allowed"
  /** The server is about to end. */
  | "not-ready"
  | FaultCode;

/** A request that was answered. */
export interface RequestEvent {
  /** A name for this request, in its reply as `X-Request-Id`. */
  readonly requestId: string;
  /** The method, `other` for one that no route has. */
  readonly method: string;
  /** The name of the route, one for each row of their table, and one for all other paths. */
  readonly route: string;
  /** The name of the operation, empty when none was reached. */
  readonly operation: string;
  /** The name of the binding, empty when there is none. */
  readonly binding: string;
  /** The HTTP status of the reply. */
  readonly status: number;
  /** How it ended. */
  readonly outcome: Outcome;
  /** The name that the operator gave the caller with its key; undefined where it has none. */
  readonly caller?: string | undefined;
  /** What the operation told of the call. */
  readonly facts?: Facts | undefined;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** The length of the reply's body in bytes. */
  readonly replyBytes: number;
}
