/** What an independent reader finds in a request, and the words for it. */

/** The namespace name of the service. */
export const NAMESPACE = "http://authenticatorapi.com/";

/** The operations, and the names of their parameters. */
export const OPERATIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Pair", ["appName", "appInfo", "secretCode"]],
  ["ValidatePin", ["pin", "secretCode"]],
]);

/** What answers a request. */
export type Route =
  | "SOAP 1.1"
  | "SOAP 1.2"
  | "HTTP GET"
  | "HTTP POST"
  | "JSON"
  | "pair.aspx"
  | "validate.aspx"
  | "qr.aspx"
  | "description"
  | "other";

/** A call that a reader found. */
export interface ReadCall {
  /** The name of the operation. */
  readonly operation: string;
  /** Its arguments; what is missing in the request is missing here. */
  readonly args: ReadonlyMap<string, string>;
}

/** Thrown when the request must not succeed. No error, since it is thrown a million times. */
export const REFUSED = Symbol("refused");

/** Thrown when the reader cannot tell, so that only what holds for every reply is checked. */
export const UNSURE = Symbol("unsure");
