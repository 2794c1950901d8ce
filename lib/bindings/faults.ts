/**
 * Faults on the wire: the one table from codes to statuses, and the fault of all bindings that read
 * a body.
 *
 * @module
 */

import { Fault, type FaultCode } from "../operations/fault.ts";

/** Party blamed by a fault; SOAP 1.1 §4.4.1 and SOAP 1.2 part 1 §5.4.6 have a code for each. */
export type FaultClass = "sender" | "receiver" | "version-mismatch" | "must-understand";

/** Form of a fault on the wire. */
export interface FaultFacts {
  /** HTTP status of a reply other than SOAP. */
  readonly status: number;
  /**
   * HTTP status of a SOAP reply: 500 for every fault of a request read as an Envelope. SOAP 1.2
   * part 2 §7.5.2.2 wants 400 for a Sender fault, but several SOAP stacks read no fault with
   * another status.
   */
  readonly soapStatus: number;
  /** Party blamed by the fault. */
  readonly blames: FaultClass;
  /** Whether the request could not be read at all. */
  readonly unread: boolean;
}

/** Every fault: the one table from codes to the wire. */
// deno-fmt-ignore
export const FAULTS: Readonly<Record<FaultCode, FaultFacts>> = {
  "unreadable":             { status: 400, soapStatus: 500, blames: "sender",           unread: true },
  "invalid":                { status: 400, soapStatus: 500, blames: "sender",           unread: false },
  "bad-host":               { status: 400, soapStatus: 400, blames: "sender",           unread: true },
  "unauthorized":           { status: 401, soapStatus: 401, blames: "sender",           unread: false },
  "forbidden":              { status: 403, soapStatus: 403, blames: "sender",           unread: false },
  "unknown-operation":      { status: 404, soapStatus: 500, blames: "sender",           unread: false },
  "timeout":                { status: 408, soapStatus: 408, blames: "sender",           unread: true },
  "body-too-large":         { status: 413, soapStatus: 413, blames: "sender",           unread: true },
  "query-too-long":         { status: 414, soapStatus: 414, blames: "sender",           unread: true },
  "unsupported-media-type": { status: 415, soapStatus: 415, blames: "sender",           unread: true },
  "version-mismatch":       { status: 500, soapStatus: 500, blames: "version-mismatch", unread: false },
  "must-understand":        { status: 500, soapStatus: 500, blames: "must-understand",  unread: false },
  "busy":                   { status: 503, soapStatus: 503, blames: "receiver",         unread: true },
  "internal":               { status: 500, soapStatus: 500, blames: "receiver",         unread: false },
};

/** Makes the fault for an empty body. */
export function emptyBody(expected: string): Fault {
  const cause = "A proxy or a redirect may have dropped it.";
  return new Fault("unreadable", `The body is empty; it must be ${expected}. ${cause}`);
}
