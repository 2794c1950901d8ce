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
export interface FaultRow {
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
  /** Sentence of the OpenAPI description on its cause; absent where JSON has no such fault. */
  readonly when?: string;
  /** Header fields of the reply. */
  readonly headers?: readonly string[];
}

const SENDER = { blames: "sender", unread: false } as const;
const UNREAD = { blames: "sender", unread: true } as const;

/** Every fault: the one table from codes to the wire. */
// deno-fmt-ignore
export const FAULTS: Readonly<Record<FaultCode, FaultRow>> = {
  "unreadable":             { ...UNREAD, status: 400, soapStatus: 500 },
  "invalid":                { ...SENDER, status: 400, soapStatus: 500,
    when: "A parameter is missing, empty, too long or sent twice, or the body is not JSON." },
  "bad-host":               { ...UNREAD, status: 400, soapStatus: 400 },
  "unauthorized":           { ...SENDER, status: 401, soapStatus: 401,
    when: "There is no API key, or a wrong one.", headers: ["WWW-Authenticate"] },
  "forbidden":              { ...SENDER, status: 403, soapStatus: 403,
    when: "A page of another site called it from a browser." },
  "unknown-operation":      { ...SENDER, status: 404, soapStatus: 500 },
  "timeout":                { ...UNREAD, status: 408, soapStatus: 408,
    when: "The body did not arrive in time." },
  "body-too-large":         { ...UNREAD, status: 413, soapStatus: 413,
    when: "The body is too large." },
  "query-too-long":         { ...UNREAD, status: 414, soapStatus: 414 },
  "unsupported-media-type": { ...UNREAD, status: 415, soapStatus: 415,
    when: "The body is of another media type or coding, or in no known charset." },
  "version-mismatch":       { ...SENDER, status: 500, soapStatus: 500, blames: "version-mismatch" },
  "must-understand":        { ...SENDER, status: 500, soapStatus: 500, blames: "must-understand" },
  "busy":                   { ...UNREAD, status: 503, soapStatus: 503, blames: "receiver",
    when: "The server is busy.", headers: ["Retry-After"] },
  "closed":                 { ...SENDER, status: 503, soapStatus: 503, blames: "receiver" },
  "internal":               { ...SENDER, status: 500, soapStatus: 500, blames: "receiver",
    when: "The server failed." },
};

/** Makes the fault for an empty body. */
export function emptyBody(expected: string): Fault {
  const cause = "A proxy or a redirect may have dropped it.";
  return new Fault("unreadable", `The body is empty; it must be ${expected}. ${cause}`);
}
