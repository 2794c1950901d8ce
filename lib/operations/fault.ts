/**
 * The one error class for a request that cannot be answered with a result.
 *
 * @module
 */

/** Why a request got no result; the wire form of each code is one row in `binding/`. */
export type FaultCode =
  /** The bytes of the request cannot be read as what they claim to be. */
  | "unreadable"
  /** The request was read, and its operation or a parameter is wrong. */
  | "invalid"
  /** No operation has the name in the path. */
  | "unknown-operation"
  /** The Host of the request is not a host. */
  | "bad-host"
  /** The request shows no key of a caller, and one is wanted. */
  | "unauthorized"
  /** A page of another site in a browser sent the request, and it shows no key. */
  | "forbidden"
  /** The body did not arrive in time. */
  | "timeout"
  /** More bodies are arriving than are read at once. */
  | "busy"
  /** The body is longer than allowed. */
  | "body-too-large"
  /** The query string is longer than allowed. */
  | "query-too-long"
  /** The media type, charset or content coding is not the binding's, or the charset is not known. */
  | "unsupported-media-type"
  /** The Envelope is of another version of SOAP than the media type. */
  | "version-mismatch"
  /** A SOAP header block that must be understood is not known. */
  | "must-understand"
  /** Anything unexpected: the cause is in the log, and nothing of it in the reply. */
  | "internal";

/** A SOAP header block by its expanded name. */
export interface HeaderBlockName {
  /** The namespace name, empty for none. */
  readonly namespaceName: string;
  /** The name without its prefix. */
  readonly localName: string;
}

/** A request that cannot be answered with a result; the message goes to the caller. */
export class Fault extends Error {
  /**
   * Makes a fault.
   *
   * @param code Why.
   * @param message One sentence with its full stop, which names the place and what is expected, and
   * repeats no part of the request: a secret in the wrong place must not end up in somebody's log.
   * @param notUnderstood With the code `must-understand`: the header blocks that are not known.
   */
  constructor(
    readonly code: FaultCode,
    message: string,
    readonly notUnderstood: readonly HeaderBlockName[] = [],
  ) {
    super(message);
    this.name = "Fault";
  }
}
