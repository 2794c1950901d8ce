/**
 * Results by type: the same elements in every XML binding, the same values in all others.
 *
 * @module
 */

import type { RecordType, Result, ResultType } from "../operations/operations.ts";
import type { MarkupNode } from "../xml/writer.ts";

/** Makes the content of the result element: the text, or one element per field. */
export function resultContent(type: ResultType, result: Result): readonly MarkupNode[] {
  return type.kind === "record"
    ? fieldsOf(type, result).map(([name, value]) => ({ name, children: [value] }))
    : [String(simpleOf(type, result))];
}

/**
 * Returns the names and values of a record's fields, in order.
 *
 * @throws {TypeError} When the result lacks a field: a mistake of ours, which must not go out as an
 * empty text.
 */
export function fieldsOf(type: RecordType, result: Result): readonly (readonly [string, string])[] {
  return type.fields.map((name) => [name, recordField(result, name)] as const);
}

/**
 * Returns the value of a field of a result.
 *
 * @throws {TypeError} When the result lacks the field: a mistake of ours.
 */
export function recordField(result: Result, name: string): string {
  const value = typeof result === "object" ? result[name] : undefined;
  if (value === undefined) throw new TypeError("A result lacks a field of its type");
  return value;
}

/**
 * Returns the value of a boolean or string result.
 *
 * @throws {TypeError} When the result is not of its type: a mistake of ours.
 */
export function simpleOf({ kind }: ResultType, result: Result): boolean | string {
  if (typeof result === "object" || typeof result !== kind) {
    throw new TypeError("A result is not of its type");
  }
  return result;
}
