/**
 * A request on its way to what answers it.
 *
 * @module
 */

import type { Fault } from "../operations/fault.ts";
import type { OutgoingReply, RouteResult } from "./response.ts";
import { type Caller, checkKey, type KeyRing } from "./api_keys.ts";
import type { ResolvedOptions } from "./options.ts";
import { checkTarget, type Target } from "./request_target.ts";

/** A request on its way to what answers it. */
export class Exchange {
  /** The request. */
  readonly request: Request;
  /** The parts of its URL. */
  readonly target: Target;
  /** The name of the route that its path took. */
  readonly route: string;
  /** What its path holds behind the file part and a slash, or undefined when it holds nothing. */
  readonly operationName: string | undefined;
  readonly #keys: KeyRing | undefined;
  #caller: Caller | undefined;

  /**
   * Begins it.
   *
   * @param keys The keys that its caller must show one of; undefined where it need not.
   */
  constructor(
    request: Request,
    target: Target,
    { route, operationName, keys }: Pick<Exchange, "route" | "operationName"> & {
      readonly keys: KeyRing | undefined;
    },
  ) {
    this.request = request;
    this.target = target;
    this.route = route;
    this.operationName = operationName;
    this.#keys = keys;
  }

  /** The caller by its key, once it is admitted; undefined where it needs none. */
  get caller(): Caller | undefined {
    return this.#caller;
  }

  /**
   * Checks what every request must have: a host that is one, a query of a length that is allowed,
   * and a key where one is wanted. Whatever answers calls it first, so that the fault goes out in the
   * form that its callers read.
   *
   * @throws {Fault} When it does not have it.
   */
  authorize(): void {
    checkTarget(this.target);
    if (this.#keys !== undefined) this.#caller = checkKey(this.request, this.#keys);
  }
}

/** What answers the requests of a route. */
export interface RouteHandler {
  /** Answers, also when it fails. */
  readonly answer: (exchange: Exchange) => Promise<RouteResult>;
  /** The reply to a fault that came from outside of it. */
  readonly fail: (fault: Fault) => OutgoingReply;
}

/** Makes what answers; undefined where the options want no such route. */
export type CreateRouteHandler = (state: ResolvedOptions) => RouteHandler | undefined;
