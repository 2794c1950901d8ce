/** A request as fuzzing handles it: parts that can be changed one by one. */

import { Buffer } from "node:buffer";
import type { RawRequest } from "../http.ts";

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
export function rawOf(request: FuzzRequest): RawRequest {
  const { method, target, fields, body } = request;
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  const needsLength = fieldOf(request, "content-length") === undefined &&
    fieldOf(request, "transfer-encoding") === undefined &&
    (body.length > 0 || method === "POST");
  if (needsLength) lines.push(`Content-Length: ${body.length}`);
  return { head: [`${method} ${target} HTTP/1.1`, ...lines], body: bytesOf(body) };
}
