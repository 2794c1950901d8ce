/**
 * Differences between SOAP 1.1 and SOAP 1.2, in one table.
 *
 * @module
 */

import type { FaultClass } from "../faults.ts";

/** A version of SOAP. */
export interface SoapVersion {
  /** Name of the binding in the contract. */
  readonly name: string;
  /** Namespace name of the Envelope. */
  readonly envelope: string;
  /** Media type of replies, and of requests by the standard. */
  readonly mediaType: string;
  /** Attribute that aims a header block at a node. */
  readonly roleAttribute: string;
  /** Roles of this node; a block with no role or an empty one is aimed at it too. */
  readonly roles: readonly string[];
  /** Local name of each fault code. */
  readonly faultCodes: Readonly<Record<FaultClass, string>>;
}

/** SOAP 1.1 (W3C Note, 8 May 2000). */
export const SOAP_11: SoapVersion = {
  name: "SOAP 1.1",
  envelope: "http://schemas.xmlsoap.org/soap/envelope/",
  mediaType: "text/xml",
  roleAttribute: "actor",
  roles: ["http://schemas.xmlsoap.org/soap/actor/next"],
  faultCodes: {
    "sender": "Client",
    "receiver": "Server",
    "version-mismatch": "VersionMismatch",
    "must-understand": "MustUnderstand",
  },
};

/** SOAP 1.2 (W3C Recommendation, second edition). */
export const SOAP_12: SoapVersion = {
  name: "SOAP 1.2",
  envelope: "http://www.w3.org/2003/05/soap-envelope",
  mediaType: "application/soap+xml",
  roleAttribute: "role",
  roles: [
    "http://www.w3.org/2003/05/soap-envelope/role/next",
    "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver",
  ],
  faultCodes: {
    "sender": "Sender",
    "receiver": "Receiver",
    "version-mismatch": "VersionMismatch",
    "must-understand": "MustUnderstand",
  },
};
