/**
 * Route: a row of the table, and a request on its way through it.
 *
 * @module
 */

import type { Binding, CallRequest } from "../bindings/binding.ts";
import type { Operation } from "../operations/operations.ts";
import type { Caller } from "./api_keys.ts";
import type { BodyLimit } from "./body_limit.ts";
import type { HandlerOptions } from "./handler_options.ts";
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
  /**
   * Whether any text may stand behind the path and a slash, as behind a page of ASP.NET (PathInfo).
   */
  readonly ignoresPathInfo?: boolean;
  /** Whether callers need no key even if the operator set keys; load balancers have none. */
  readonly isOpen?: boolean;
  /** Whether only operators may ask: under fewer Hosts (`checkHost`), and from no page. */
  readonly isForOperators?: boolean;
  /** Bindings of calls; the first that accepts a request reads it, and writes its faults. */
  readonly bindings?: (parts: HandlerParts) => readonly Binding[];
  /** Operation of the route's calls; by default the path or the body names it. */
  readonly operation?: Operation;
  /**
   * Answers a request whose Host and key are right.
   *
   * @throws {Fault} When the request cannot be answered: the handler writes the fault.
   */
  readonly answer: (context: RequestContext) => RouteResult | Promise<RouteResult>;
  /** Whether the options enable the route; by default they do. */
  readonly isEnabled?: (options: HandlerOptions) => boolean;
}

/** A request on its way through its route, with the facts that its checks and readers add. */
export interface RequestContext extends CallRequest {
  /** The request. */
  readonly request: Request;
  /** Parts of the request's URL. */
  readonly target: Target;
  /** Row of the route table. */
  readonly route: Route;
  /** Parts of the service. */
  readonly parts: HandlerParts;
  /** Id of the request, which its reply carries; undefined without an observer. */
  readonly id: string | undefined;
  /** Start of the request on the observer's clock, in milliseconds. */
  readonly startMs: number;
  /** Body, once it is read. */
  body: Uint8Array;
  /** Binding of the reply or fault, from the head of the request, then from its body. */
  binding: Binding | undefined;
  /** Caller, by its key; undefined when no key is required. */
  caller: Caller | undefined;
  /** Operation of the call; undefined until the call is read. */
  operation: Operation | undefined;
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
