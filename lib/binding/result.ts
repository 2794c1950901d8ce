/**
 * A result as the XML of its type: the same elements in every binding.
 *
 * @module
 */

import type { Result, ResultType } from "../service/operations.ts";
import type { MarkupNode } from "../xml/writer.ts";

/** The content of the element that holds a result: its text, or an element for each field. */
export function resultContent(type: ResultType, result: Result): readonly MarkupNode[] {
  if (typeof result === "boolean" || type.kind === "boolean") return [String(result)];
  return type.fields.map((name) => ({ name, children: [fieldOf(result, name)] }));
}

/**
 * A field of a result.
 *
 * @throws {TypeError} When the result has none of that name: a mistake of ours, which must not go
 * out as an empty text.
 */
export function fieldOf(result: Result, name: string): string {
  const value = typeof result === "boolean" ? undefined : result[name];
  if (value === undefined) throw new TypeError("A result lacks a field of its type");
  return value;
}
