/**
 * Error class of requests without a result.
 *
 * @module
 */

import type { Unopened } from "../sealing/seal_keys.ts";

/** Reason of a fault; a table in `bindings/` maps each code to the wire. */
export type FaultCode =
  /** The body or the query string is malformed. */
  | "unreadable"
  /** The operation or a parameter is wrong. */
  | "invalid"
  /** No operation has this name. */
  | "unknown-operation"
  /** The Host header is not a valid host. */
  | "bad-host"
  /** The request lacks a valid API key. */
  | "unauthorized"
  /** A page of another site sent the request, without an API key. */
  | "forbidden"
  /** The body did not arrive before its timeout. */
  | "timeout"
  /** Too many bodies are arriving at once. */
  | "busy"
  /** The body exceeds its limit. */
  | "body-too-large"
  /** The query string exceeds its limit. */
  | "query-too-long"
  /** The binding does not accept the media type, charset or content coding. */
  | "unsupported-media-type"
  /** The SOAP version of the Envelope differs from that of the media type. */
  | "version-mismatch"
  /** A mandatory SOAP header block is not understood. */
  | "must-understand"
  /** The service is closed, in the program that embeds it. */
  | "closed"
  /** An unexpected error: its cause is in the log only. */
  | "internal";

/** Expanded name of a SOAP header block. */
export interface HeaderBlockName {
  /** The namespace name; empty when the name is in no namespace. */
  readonly namespaceName: string;
  /** The local name. */
  readonly localName: string;
}

/** Data of a fault, for code that does not read English. */
export interface FaultDetails {
  /** The parameters that are wrong; empty for a fault of something else. */
  readonly parameters?: readonly string[];
  /** Clause that follows their name, for instance `must not be empty`. */
  readonly clause?: string;
  /** Whether the parameter is missing. */
  readonly isMissing?: boolean;
  /** Header blocks not understood, with the code `must-understand`. */
  readonly notUnderstood?: readonly HeaderBlockName[];
  /** Cause why a sealed secret cannot be opened, for the operator alone. */
  readonly unopened?: Unopened;
}

/** Fault: a request without a result; the message goes to the caller. */
export class Fault extends Error {
  /** The parameters that are wrong; empty for a fault of something else. */
  readonly parameters: readonly string[];
  /** Clause that follows the name of the parameters; undefined without one. */
  readonly clause: string | undefined;
  /** Whether the parameter is missing. */
  readonly isMissing: boolean;
  /** Header blocks not understood, with the code `must-understand`. */
  readonly notUnderstood: readonly HeaderBlockName[];
  /** Cause why a sealed secret cannot be opened; undefined for another fault. */
  readonly unopened: Unopened | undefined;

  /**
   * Makes a fault.
   *
   * @param code The reason.
   * @param message One sentence with its full stop, which names the place and the expected form. It
   * quotes no part of the request: a secret in the wrong place must not reach a log.
   */
  constructor(
    readonly code: FaultCode,
    message: string,
    { parameters = [], clause, isMissing = false, notUnderstood = [], unopened }: FaultDetails = {},
  ) {
    super(message);
    this.name = "Fault";
    this.parameters = parameters;
    this.clause = clause;
    this.isMissing = isMissing;
    this.notUnderstood = notUnderstood;
    this.unopened = unopened;
  }
}

/** Makes the fault of a parameter with a wrong value. */
export function wrongParameter(name: string, clause: string, unopened?: Unopened): Fault {
  const details = { parameters: [name], clause, ...(unopened && { unopened }) };
  return new Fault("invalid", `Parameter ${name} ${clause}.`, details);
}
