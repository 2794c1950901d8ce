/**
 * Which document a GET of the service asks for.
 *
 * @module
 */

import { OPERATIONS } from "../service/operations.ts";
import { disco } from "./disco.ts";
import { operationPage, servicePage, unknownOperationPage } from "./page.ts";
import { type ServiceAddress, wsdl } from "./wsdl.ts";

const XML = "text/xml; charset=utf-8";
const HTML = "text/html; charset=utf-8";

/** A document, still without the header fields that every reply has. */
export interface Document {
  /** The HTTP status. */
  readonly status: number;
  /** The Content-Type. */
  readonly contentType: string;
  /** The text, ASCII. */
  readonly body: string;
}

/**
 * The document that a query string asks for: `wsdl`, `disco`, `op=NAME`, each key in any case, or
 * the service page for anything else.
 *
 * @param query The query string without its question mark.
 */
export function describe(query: string, address: ServiceAddress): Document {
  const keys = new Map([...new URLSearchParams(query)].map(([key, v]) => [key.toLowerCase(), v]));
  if (keys.has("wsdl")) return { status: 200, contentType: XML, body: wsdl(address) };
  if (keys.has("disco")) return { status: 200, contentType: XML, body: disco(address) };
  const op = keys.get("op");
  if (op === undefined) return { status: 200, contentType: HTML, body: servicePage() };
  const operation = OPERATIONS.get(op);
  return operation === undefined
    ? { status: 404, contentType: HTML, body: unknownOperationPage() }
    : { status: 200, contentType: HTML, body: operationPage(operation) };
}
