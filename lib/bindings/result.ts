/**
 * A result by its type: the same elements in every XML binding, the same values in every other.
 *
 * @module
 */

import type { Operation, RecordType, Result, ResultType } from "../operations/operations.ts";
import type { MarkupNode } from "../xml/writer.ts";
import type { Binding, Reply } from "./binding.ts";

/**
 * Writes the reply to a boolean once for each operation: there are two of them, and most replies are
 * one of the two.
 */
export function cacheBooleanReplies(write: Binding["writeReply"]): Binding["writeReply"] {
  const written = new Map<Operation, Map<Result, Reply>>();
  return (operation, result) => {
    if (typeof result !== "boolean") return write(operation, result);
    let known = written.get(operation);
    if (known === undefined) written.set(operation, known = new Map());
    let reply = known.get(result);
    if (reply === undefined) known.set(result, reply = write(operation, result));
    return reply;
  };
}

/** The content of the element that holds a result: its text, or an element for each field. */
export function resultContent(type: ResultType, result: Result): readonly MarkupNode[] {
  return type.kind === "record"
    ? fieldsOf(type, result).map(([name, value]) => ({ name, children: [value] }))
    : [String(valueOf(type, result))];
}

/**
 * The names and values of a record's fields, in order.
 *
 * @throws {TypeError} When the result lacks one: a mistake of ours, which must not go out as an
 * empty text.
 */
export function fieldsOf(type: RecordType, result: Result): readonly (readonly [string, string])[] {
  return type.fields.map((name) => [name, recordField(result, name)] as const);
}

/**
 * A field of a result.
 *
 * @throws {TypeError} When the result has none of that name: a mistake of ours.
 */
export function recordField(result: Result, name: string): string {
  const value = typeof result === "object" ? result[name] : undefined;
  if (value === undefined) throw new TypeError("A result lacks a field of its type");
  return value;
}

/**
 * The value of a result that is no record.
 *
 * @throws {TypeError} When it is not of its type: a mistake of ours.
 */
export function valueOf(
  { kind }: Exclude<ResultType, RecordType>,
  result: Result,
): boolean | string | number {
  const isInteger = typeof result === "number" && (result | 0) === result;
  if (typeof result === "object" || (kind === "integer" ? !isInteger : typeof result !== kind)) {
    throw new TypeError("A result is not of its type");
  }
  return result;
}
