/**
 * A binding: one wire format for calls and their replies.
 *
 * @module
 */

import type { HtmlForm } from "../operations/context.ts";
import type { Fault } from "../operations/fault.ts";
import type { Arguments, Operation, Result } from "../operations/operations.ts";
import type { MediaType } from "./media_type.ts";

/** A request for an operation. */
export interface CallRequest {
  /** Method; GET for HEAD. */
  readonly method: string;
  /** Name of the operation in the path; undefined when the path names no operation. */
  readonly operationName: string | undefined;
  /** Query string as sent, without the question mark. */
  readonly query: string;
  /** Media type of the body. */
  readonly mediaType: MediaType;
  /** Header fields. */
  readonly headers: Headers;
  /** Body; empty until it is read, and when the binding reads no body. */
  readonly body: Uint8Array;
}

/** Format of the body that a binding reads. */
export interface BodyFormat {
  /** Allowed media types, in lower case. */
  readonly mediaTypes: readonly string[];
  /** Longest body allowed, in bytes; the general limit by default. */
  readonly maxBytes?: number;
}

/** Arguments of a call, checked in form but not in value. */
export interface CallArguments {
  /** Arguments, without the parameters that the request lacks. */
  readonly args: Arguments;
  /** Number of parameters that the operation does not have, where the binding counts them. */
  readonly ignored?: number;
  /** Form of the Html, when the binding prescribes one; otherwise the operator's. */
  readonly html?: HtmlForm;
}

/** A call: an operation and its arguments. */
export interface Call extends CallArguments {
  /** The operation. */
  readonly operation: Operation;
}

/** A reply, still without the default header fields. */
export interface Reply {
  /** HTTP status. */
  readonly status: number;
  /** Content-Type. */
  readonly contentType: string;
  /** Body: ASCII text, or the bytes of a picture; null for a status without one. */
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** Header fields of the binding. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes a plain-text reply of one sentence. */
export function plainReply(status: number, sentence: string): Reply {
  return { status, contentType: "text/plain; charset=utf-8", body: `${sentence}\r\n` };
}

/** Format of a binding: the requests that it takes, and its replies. */
export interface BindingFormat {
  /** Name of the binding in the contract. */
  readonly name: string;
  /** Whether the binding accepts a request; the first that accepts it reads it. */
  readonly accepts: (head: Omit<CallRequest, "body">) => boolean;
  /** Format of the body; undefined when the binding reads no body. */
  readonly body?: BodyFormat;
  /** Writes the reply with a result. */
  readonly writeReply: (operation: Operation, result: Result) => Reply;
  /** Writes the reply with a fault. */
  readonly writeFault: (fault: Fault) => Reply;
}

/** A binding of operations that the path or the route names. */
export interface PathBinding extends BindingFormat {
  /**
   * Reads the arguments of an operation.
   *
   * @throws {Fault} When the request is not a call of this binding.
   */
  readonly readArguments: (operation: Operation, request: CallRequest) => CallArguments;
}

/** A body that was parsed. */
export interface ParsedBody {
  /** Binding that the body belongs to, which writes the reply or fault. */
  readonly binding: Binding;
  /**
   * Reads the call.
   *
   * @throws {Fault} When the body is not a call of the binding.
   */
  readonly readCall: () => Call;
}

/** A binding whose body names the operation. */
export interface CallBinding extends BindingFormat {
  /**
   * Parses a body, which may belong to another binding.
   *
   * @throws {Fault} When the body is malformed.
   */
  readonly parse: (request: CallRequest) => ParsedBody;
}

/** A binding. */
export type Binding = PathBinding | CallBinding;

/** Optional request field in which a calling application names the source of a call. */
export const SOURCE_FIELD = "X-Authenticator-Source";
