/**
 * Calls of operations by commands, with faults in the words of the command line.
 *
 * @module
 */

import type { Config } from "../config/options.ts";
import { flagOf, UsageError } from "../config/option.ts";
import type { CallContext } from "../operations/context.ts";
import { Fault } from "../operations/fault.ts";

/** Makes the context of a call by a command: its options and a time, without a guard and keys. */
export function callContext(config: Config, nowMs: number): CallContext {
  return { ...config, html: "svg", now: () => nowMs, base: () => "" };
}

/**
 * Rewrites a fault with the flags in place of its parameters; returns any other error unchanged.
 */
export function inWordsOfOptions(error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const { message, parameters, clause } = error;
  if (clause === undefined) return new UsageError(message.replace(/\.$/, ""));
  const names = parameters.map((name) => name === "secretCode" ? "the secret" : flagOf(name));
  const listed = new Intl.ListFormat("en-GB").format(names);
  return new UsageError(`${listed} ${names.length > 1 ? "are together " : ""}${clause}`);
}
