/**
 * A request on its way to its route handler.
 *
 * @module
 */

import type { Fault } from "../operations/fault.ts";
import type { OutgoingReply, RouteResult } from "./response.ts";
import { type Caller, checkKey, type KeyRing } from "./api_keys.ts";
import type { ResolvedOptions } from "./options.ts";
import { checkTarget, type Target } from "./request_target.ts";

/** A request on its way to its route handler. */
export class Exchange {
  /** The request. */
  readonly request: Request;
  /** Method, in capitals. */
  readonly method: string;
  /** Parts of the request's URL. */
  readonly target: Target;
  /** Name of the route. */
  readonly route: string;
  /** Path behind the file part and a slash; undefined when absent. */
  readonly operationName: string | undefined;
  readonly #keys: KeyRing | undefined;
  #caller: Caller | undefined;

  /**
   * Makes an exchange.
   *
   * @param keys Keys of which the caller must show one; undefined when no key is required.
   */
  constructor(
    request: Request,
    target: Target,
    { method, route, operationName, keys }: Pick<Exchange, "method" | "route" | "operationName"> & {
      readonly keys: KeyRing | undefined;
    },
  ) {
    this.request = request;
    this.method = method;
    this.target = target;
    this.route = route;
    this.operationName = operationName;
    this.#keys = keys;
  }

  /** Caller, by its key, after `authorize`; undefined when no key is required. */
  get caller(): Caller | undefined {
    return this.#caller;
  }

  /**
   * Checks the Host, the length of the query, and the key if one is required. Each route handler
   * calls it first, so that a fault goes out in the form that its callers read.
   *
   * @throws {Fault} When a check fails.
   */
  authorize(): void {
    checkTarget(this.target);
    if (this.#keys !== undefined) this.#caller = checkKey(this.request, this.#keys);
  }
}

/** Handler of a route's requests. */
export interface RouteHandler {
  /** Answers a request; never rejects. */
  readonly answer: (exchange: Exchange) => Promise<RouteResult>;
  /** Writes the reply to a fault from outside the handler. */
  readonly fail: (fault: Fault) => OutgoingReply;
}

/** Makes a route handler. */
export type CreateRouteHandler = (state: ResolvedOptions) => RouteHandler;
