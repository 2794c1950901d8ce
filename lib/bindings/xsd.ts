/**
 * Names of XML Schema: its namespaces, and the names of results.
 *
 * @module
 */

import type { ResultType } from "../operations/operations.ts";

/** Namespace name of XML Schema instance attributes. */
export const XSI_NAMESPACE = "http://www.w3.org/2001/XMLSchema-instance";
/** Namespace name of XML Schema types. */
export const XSD_NAMESPACE = "http://www.w3.org/2001/XMLSchema";

/**
 * Returns the name of the root element of a result outside an Envelope: of a boolean or string, the
 * simple type of XML Schema part 2.
 */
export function rootNameOf(type: ResultType): string {
  return type.kind === "record" ? type.name : type.kind;
}
