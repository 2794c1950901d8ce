/**
 * The names of XML Schema: its namespaces, and the simple types that results have.
 *
 * @module
 */

import type { ResultType } from "../operations/operations.ts";

/** The namespace name of XML Schema instance attributes. */
export const XSI_NAMESPACE = "http://www.w3.org/2001/XMLSchema-instance";
/** The namespace name of XML Schema types. */
export const XSD_NAMESPACE = "http://www.w3.org/2001/XMLSchema";

/** A type of one value, as XML Schema part 2 has it. */
export interface SimpleType {
  /** The local name of the type; the root element of a reply has it as well. */
  readonly name: string;
  /** Whether the element that holds it may be absent or nil, as for a reference type of .NET. */
  readonly isNillable: boolean;
}

const SIMPLE_TYPES: Readonly<Record<Exclude<ResultType["kind"], "record">, SimpleType>> = {
  boolean: { name: "boolean", isNillable: false },
  string: { name: "string", isNillable: true },
  integer: { name: "int", isNillable: false },
};

/** The simple type of a result; undefined for a record, which has a type of its own. */
export function simpleTypeOf(type: ResultType): SimpleType | undefined {
  return type.kind === "record" ? undefined : SIMPLE_TYPES[type.kind];
}

/** The name of the root element that holds a result where there is no Envelope. */
export function rootNameOf(type: ResultType): string {
  return type.kind === "record" ? type.name : SIMPLE_TYPES[type.kind].name;
}
