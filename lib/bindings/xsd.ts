/**
 * Names of XML Schema: its namespaces, and the simple types of results.
 *
 * @module
 */

import type { ResultType } from "../operations/operations.ts";

/** Namespace name of XML Schema instance attributes. */
export const XSI_NAMESPACE = "http://www.w3.org/2001/XMLSchema-instance";
/** Namespace name of XML Schema types. */
export const XSD_NAMESPACE = "http://www.w3.org/2001/XMLSchema";

/** A simple type of XML Schema part 2. */
export interface SimpleType {
  /** Local name of the type, and of the root element of a reply. */
  readonly name: string;
  /** Whether its element may be absent or nil, as for a reference type of .NET. */
  readonly isNillable: boolean;
}

const SIMPLE_TYPES: Readonly<Record<Exclude<ResultType["kind"], "record">, SimpleType>> = {
  boolean: { name: "boolean", isNillable: false },
  string: { name: "string", isNillable: true },
  integer: { name: "int", isNillable: false },
};

/** Returns the simple type of a result; undefined for a record, which has a complex type. */
export function simpleTypeOf(type: ResultType): SimpleType | undefined {
  return type.kind === "record" ? undefined : SIMPLE_TYPES[type.kind];
}

/** Returns the name of the root element of a result outside an Envelope. */
export function rootNameOf(type: ResultType): string {
  return type.kind === "record" ? type.name : SIMPLE_TYPES[type.kind].name;
}
