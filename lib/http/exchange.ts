/**
 * A request on its way to what answers it.
 *
 * @module
 */

import type { Fault } from "../service/fault.ts";
import type { Answer } from "./answer.ts";
import type { HandlerState } from "./state.ts";
import type { Target } from "./target.ts";

/** A request on its way to what answers it. */
export interface Exchange {
  /** The request. */
  readonly request: Request;
  /** The parts of its URL. */
  readonly target: Target;
  /** The name of the route that its path took. */
  readonly route: string;
  /** What its path holds behind the file part and a slash, or undefined when it holds nothing. */
  readonly operationName: string | undefined;
  /**
   * Checks what every request must have: a host that is one, a query of a length that is allowed,
   * and a key where one is wanted. Whatever answers calls it first, so that the fault goes out in the
   * form that its callers read.
   *
   * @returns The name of the caller by its key; undefined where it has none.
   * @throws {Fault} When it does not have it.
   */
  readonly admit: () => string | undefined;
}

/** What answers the requests of a route. */
export interface Answerer {
  /** Answers, also when it fails. */
  readonly answer: (exchange: Exchange) => Promise<Answer>;
  /** The answer to a fault that came from outside of it. */
  readonly fail: (fault: Fault, route: string) => Answer;
}

/** Makes what answers; undefined where the options want no such route. */
export type AnswererMaker = (state: HandlerState) => Answerer | undefined;
