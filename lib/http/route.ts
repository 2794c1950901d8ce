/**
 * Route: a row of the table, and a request on its way through it.
 *
 * @module
 */

import type { Binding, CallHead } from "../bindings/binding.ts";
import type { Caller } from "./api_keys.ts";
import type { BodyLimit } from "./body_limit.ts";
import type { HandlerOptions } from "./options.ts";
import type { Documents } from "./documents.ts";
import type { Target } from "./request_target.ts";
import type { RouteResult } from "./response.ts";

/** Row of the table of routes. */
export interface Route {
  /**
   * Path, its file part in lower case, since that is compared without case. `/*` stands for any
   * operation name, which keeps its case; any other text behind a slash is compared with case.
   */
  readonly path: string;
  /** Methods; GET includes HEAD, and OPTIONS is answered on every path. */
  readonly methods: readonly ("GET" | "POST")[];
  /** Name in log and metrics. */
  readonly name: string;
  /** Whether callers need no key even if the operator set keys; load balancers have none. */
  readonly isOpen?: boolean;
  /** Whether only operators may ask: under fewer Hosts (`checkHost`), and from no page. */
  readonly isForOperators?: boolean;
  /** Bindings of calls; the first that accepts a request reads it, and writes its faults. */
  readonly bindings?: (parts: HandlerParts) => readonly Binding[];
  /**
   * Answers a request whose Host and key are right.
   *
   * @throws {Fault} When the request cannot be answered: the handler writes the fault.
   */
  readonly answer: (context: RequestContext) => RouteResult | Promise<RouteResult>;
  /** Whether the options enable the route; by default they do. */
  readonly isEnabled?: (options: HandlerOptions) => boolean;
}

/** A request on its way through its route, with what becomes known of it on the way. */
export interface RequestContext {
  /** The request. */
  readonly request: Request;
  /** Method, in capitals. */
  readonly method: string;
  /** Parts of the request's URL. */
  readonly target: Target;
  /** Row of the route table. */
  readonly route: Route;
  /** Path behind the file part and a slash; undefined when absent. */
  readonly operationName: string | undefined;
  /** Parts of the service. */
  readonly parts: HandlerParts;
  /** Caller, by its key; undefined when no key is required. */
  caller: Caller | undefined;
  /** Call of a route with bindings; undefined on other routes. */
  call: RoutedCall | undefined;
}

/** A call on its way, with what becomes known of it. */
export interface RoutedCall {
  /** Head of the request. */
  readonly head: CallHead;
  /** Binding: it reads the request, and writes the reply or the fault. */
  binding: Binding;
  /** Name of the operation; empty until it is known. */
  operation: string;
  /** Number of parameters that the operation does not have, where the binding counts them. */
  ignored: number | undefined;
}

/** Options of a handler, with the parts made from them once. */
export interface HandlerParts extends HandlerOptions {
  /** Bindings of the service, in order of precedence. */
  readonly bindings: readonly Binding[];
  /** Limit for concurrent long bodies, and timeout of every body. */
  readonly bodyLimit: BodyLimit;
  /** Descriptions and service page. */
  readonly documents: Documents;
}
