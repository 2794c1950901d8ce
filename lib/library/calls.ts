/**
 * Calls of an operation in this process: the arguments are checked, and the observer has one event.
 *
 * @module
 */

import type { Telemetry } from "../http/handler_options.ts";
import type { CallFacts, Completed } from "../operations/facts.ts";
import { Fault } from "../operations/fault.ts";
import type { Operation, Result } from "../operations/operations.ts";
import { factsOfFault, type Outcome, outcomeOf } from "../telemetry/request_event.ts";
import { givenValues } from "./given.ts";

/**
 * Reads the arguments of a method.
 *
 * @param method The name of the method.
 * @param names The names of its arguments.
 * @throws {TypeError} When there is another argument, or one is not a string.
 */
export function stringsOf(
  method: string,
  names: readonly string[],
  args: unknown,
): ReadonlyMap<string, string> {
  const what = `The argument of ${method}()`;
  const given = givenValues(args, { what, kind: "argument", names });
  for (const [name, value] of given) {
    if (typeof value !== "string") throw new TypeError(`${name} must be a string.`);
  }
  return given as ReadonlyMap<string, string>;
}

/** Calls operations, and tells the observer. */
export class Calls {
  readonly #telemetry: Telemetry | undefined;

  /** Makes the calls of a service. */
  constructor(telemetry: Telemetry | undefined) {
    this.#telemetry = telemetry;
  }

  /** Calls an operation that has its result at once. */
  now<R extends Result>(operation: Operation<R>, call: () => Completed<R>): R {
    const observe = this.#begin(operation);
    try {
      const completed = call();
      observe(outcomeOf(completed), completed.facts);
      return completed.result;
    } catch (error) {
      observe(...failureOf(error));
      throw error;
    }
  }

  /** Calls an operation. */
  async later<R extends Result>(
    operation: Operation<R>,
    call: () => Promise<Completed<R>>,
  ): Promise<Completed<R>> {
    const observe = this.#begin(operation);
    try {
      const completed = await call();
      observe(outcomeOf(completed), completed.facts);
      return completed;
    } catch (error) {
      observe(...failureOf(error));
      throw error;
    }
  }

  #begin({ name }: Operation): (outcome: Outcome, facts: CallFacts | undefined) => void {
    const telemetry = this.#telemetry;
    let startMs = NaN;
    try {
      startMs = telemetry?.monotonicMs() ?? 0;
    } catch {
      // As below.
    }
    return (outcome, facts) => {
      try {
        telemetry?.observe({
          requestId: telemetry.requestId(),
          method: "",
          route: "library",
          operation: name,
          binding: "",
          status: 0,
          outcome,
          facts,
          durationMs: telemetry.monotonicMs() - startMs,
          replyBytes: 0,
        });
      } catch {
        // An observer or a clock that fails must not turn a result into an error.
      }
    };
  }
}

function failureOf(error: unknown): readonly [Outcome, CallFacts | undefined] {
  return error instanceof Fault ? [error.code, factsOfFault(error)] : ["internal", undefined];
}
