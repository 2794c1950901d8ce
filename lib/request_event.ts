/**
 * What is told of a request once it is answered: enough for a log line and a count, and nothing of
 * what the request said. Every text in it is one of a closed set, but for the request id.
 *
 * @module
 */

import type { Verdict } from "./guard/guard.ts";
import type { FaultCode } from "./service/fault.ts";

/** The routes, and one name for all paths that are none. */
export type RouteName =
  | "service"
  | "description"
  | "pair.aspx"
  | "validate.aspx"
  | "qr.aspx"
  | "root"
  | "healthz"
  | "readyz"
  | "metrics"
  | "unknown";

/** Why a pin is not accepted, beside being wrong. */
export type Refused = Exclude<Verdict, "accepted" | "wrong">;

/** All reasons of that kind. */
export const REFUSED: readonly Refused[] = ["throttled", "replayed", "unavailable"];

/** How a request ended: with a result, a document, or a fault. */
export type Outcome =
  /** A result that is not a boolean, or a document. */
  | "ok"
  /** The pin is right. */
  | "true"
  /** The pin is wrong. */
  | "false"
  /** The pin was not accepted, right or wrong; the caller was told false. */
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
  /** The route. */
  readonly route: RouteName;
  /** The name of the operation, empty when none was reached. */
  readonly operation: string;
  /** The name of the binding, empty when there is none. */
  readonly binding: string;
  /** The HTTP status of the reply. */
  readonly status: number;
  /** How it ended. */
  readonly outcome: Outcome;
  /** Of a pin that was accepted: the distance of its time step to the current one. */
  readonly stepDistance?: number | undefined;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** The length of the reply's body in characters, all of them ASCII. */
  readonly replyBytes: number;
}
