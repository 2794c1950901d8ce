/** Requests and calls as fuzzing handles them: parts that can be changed one by one. */

import { Buffer } from "node:buffer";
import { type RawRequest, withLength } from "../http.ts";

/** A request, in which each character is one byte. */
export interface FuzzRequest {
  /** The method. */
  readonly method: string;
  /** The request-target. */
  readonly target: string;
  /** The header fields, Host among them; the length of the body is added when it is sent. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The body. */
  readonly body: string;
}

/** The bytes of a text, each character one. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

/** The text of bytes, each one character. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

/** The UTF-8 of a text, each byte one character. */
export function latin1OfUtf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** The text of UTF-8, of which each byte is one character. */
export function utf8OfLatin1(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}

/** The value of a header field, as a server joins several; undefined when there is none. */
export function fieldOf({ fields }: FuzzRequest, name: string): string | undefined {
  const values = fields.filter(([known]) => known.toLowerCase() === name).map(([, v]) => v.trim());
  return values.length === 0 ? undefined : values.join(", ");
}

/** The request as it is sent, with the length of its body where it has one. */
export function rawOf({ method, target, fields, body }: FuzzRequest): RawRequest {
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  return withLength([`${method} ${target} HTTP/1.1`, ...lines], bytesOf(body));
}

/** The operations, and the names of their parameters. */
export const OPERATIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Pair", ["appName", "appInfo", "secretCode"]],
  ["ValidatePin", ["pin", "secretCode"]],
]);

/** The routes. */
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

/** A call as a reader finds it. */
export interface ReadCall {
  /** The name of the operation. */
  readonly operation: string;
  /** Its arguments, as far as the request has them. */
  readonly args: ReadonlyMap<string, string>;
}

/** Thrown when the request must be refused; no Error, which would be slow a million times. */
export const REFUSED = Symbol("refused");

/** Thrown when more than one reply is legal: then only the invariants are checked. */
export const UNSURE = Symbol("unsure");
