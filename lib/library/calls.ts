/**
 * Calls of an operation in this process: the arguments are checked, and the observer has one event.
 *
 * @module
 */

import type { Telemetry } from "../http/handler_options.ts";
import type { CallFacts, Completed, Refused } from "../operations/facts.ts";
import { Fault } from "../operations/fault.ts";
import type { Operation, Result } from "../operations/operations.ts";
import { factsOfFault, type Outcome, outcomeOf } from "../telemetry/request_event.ts";
import { givenValues } from "./given.ts";

/**
 * Result of a check of a pin. The outcomes but `accepted` and `wrong`, `true` and `false` there, are
 * named as in the log. A refusal is the same for a right and a wrong pin.
 */
export type PinCheck =
  | {
    /** Whether the pin is right and accepted. */
    readonly isRight: true;
    /** The outcome. */
    readonly outcome: "accepted";
    /** Distance of the pin's time step from the current one: that of the user's clock. */
    readonly distance: number;
  }
  | {
    /** Whether the pin is right and accepted. */
    readonly isRight: false;
    /** The pin is no code of the window. */
    readonly outcome: "wrong";
    /** Sentence about a pin or a secret that was probably not meant so. */
    readonly reason?: string;
  }
  | {
    /** Whether the pin is right and accepted. */
    readonly isRight: false;
    /** The pin was not checked: there were too many wrong ones for the secret. */
    readonly outcome: "throttled";
    /** Time until a pin is checked again, in milliseconds; an estimate where a store is shared. */
    readonly retryAfterMs: number;
  }
  | {
    /** Whether the pin is right and accepted. */
    readonly isRight: false;
    /**
     * `replayed`: the code was already used. `unavailable`: the store gave no decision. `empty`: the
     * pin is empty. `internal`: WebCrypto does not confirm the pin, which the log says.
     */
    readonly outcome: Exclude<Refused, "throttled"> | "internal";
  };

/** Returns the result of a completed check of a pin. */
export function pinCheckOf({ result, facts = {} }: Completed<boolean>): PinCheck {
  const { outcome = "wrong", distance = 0, reason, retryAfterMs = 0 } = facts;
  if (result) return Object.freeze({ isRight: true, outcome: "accepted", distance });
  const isRight = false;
  if (outcome === "wrong") return Object.freeze({ isRight, outcome, ...(reason && { reason }) });
  if (outcome === "throttled") return Object.freeze({ isRight, outcome, retryAfterMs });
  return Object.freeze({ isRight, outcome });
}

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
    const startMs = telemetry?.monotonicMs() ?? 0;
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
        // An observer that fails must not turn a result into an error.
      }
    };
  }
}

function failureOf(error: unknown): readonly [Outcome, CallFacts | undefined] {
  return error instanceof Fault ? [error.code, factsOfFault(error)] : ["internal", undefined];
}
