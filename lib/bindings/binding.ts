/**
 * A binding: one wire format for calls and their replies.
 *
 * @module
 */

import type { HtmlForm } from "../operations/context.ts";
import type { Fault, FaultCode } from "../operations/fault.ts";
import type { Arguments, Operation, Result } from "../operations/operations.ts";
import type { MediaType } from "./media_type.ts";

/** Head of a request for an operation. */
export interface CallHead {
  /** The method; HEAD as GET. */
  readonly method: string;
  /** The name of the operation in the path; undefined where the path names none. */
  readonly operationName: string | undefined;
  /** The query string without its question mark, as it was sent. */
  readonly query: string;
  /** The media type of the body. */
  readonly mediaType: MediaType;
  /** The header fields. */
  readonly headers: Headers;
}

/** A request for an operation. */
export interface CallRequest extends CallHead {
  /** The operation that the path names; undefined where the body does. */
  readonly operation: Operation | undefined;
  /** The body; empty where the binding reads none. */
  readonly body: Uint8Array;
}

/** The body that a binding reads. */
export interface BodyFormat {
  /** The media types allowed, in lower case. */
  readonly mediaTypes: readonly string[];
  /** The longest body allowed, in bytes; that of every request unless given. */
  readonly maxBytes?: number;
}

/** A call: an operation and its arguments, checked for their form but not for their values. */
export interface Call {
  /** The operation. */
  readonly operation: Operation;
  /** Its arguments; what is missing in the request is missing here. */
  readonly args: Arguments;
  /** The form of the Html, when the binding does not leave that to the operator. */
  readonly html?: HtmlForm;
}

/** A call as a caller sends it, still without the Host and the length of its body. */
export interface WrittenCall {
  /** The method. */
  readonly method: "GET" | "POST";
  /** What stands behind `/api.asmx` in the request-target. */
  readonly path: string;
  /** The header fields that the binding wants. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; empty when there is none. Its lines end as people's files do, in LF. */
  readonly body: string;
}

/** A reply, still without the header fields that every reply has. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number;
  /** The Content-Type. */
  readonly contentType: string;
  /** The body: ASCII text, or the bytes of a picture. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Header fields that the binding adds. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One wire format. */
export interface Binding {
  /** The name that the contract gives it. */
  readonly name: string;
  /** Whether a request is this binding's; the first that accepts it has it. */
  readonly accepts: (head: CallHead) => boolean;
  /** The body that it reads; undefined where it reads none. */
  readonly body?: BodyFormat;
  /**
   * Reads a call, or gives the binding that it turns out to belong to.
   *
   * @throws {Fault} When the request is not a call of this binding.
   */
  readonly readCall: (request: CallRequest) => Call | Binding;
  /** Writes the reply that carries a result. */
  readonly writeReply: (operation: Operation, result: Result) => Reply;
  /** Writes the reply that carries a fault. */
  readonly writeFault: (fault: Fault) => Reply;
  /**
   * Writes a call that `readCall` reads back, for the examples of the service page. The original's
   * short routes are there for callers that exist and have none.
   */
  readonly writeCall?: (operation: Operation, args: Arguments) => WrittenCall;
}

/** The field of a request by which a calling application says who asks; it may be left out. */
export const SOURCE_FIELD = "X-Authenticator-Source";

/** Whom a fault blames: SOAP 1.1 §4.4.1 and SOAP 1.2 part 1 §5.4.6 have a code for each. */
export type FaultClass = "sender" | "receiver" | "version-mismatch" | "must-understand";

/** What a fault becomes on the wire. */
export interface FaultFacts {
  /** The HTTP status where the reply is not SOAP. */
  readonly status: number;
  /**
   * The HTTP status of a SOAP reply: 500 for whatever was read as an Envelope, in SOAP 1.2 too,
   * where its part 2 §7.5.2.2 wants 400 for a Sender fault. Several SOAP stacks never read a fault
   * that comes with another status.
   */
  readonly soapStatus: number;
  /** Whom it blames. */
  readonly blames: FaultClass;
  /** Whether the request could not even be read. */
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
