/**
 * A request of the cost suite, and how it is made in any size.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { MAX_BODY_BYTES } from "../../../lib/http/body.ts";
import { MAX_QUERY_LENGTH } from "../../../lib/http/request_target.ts";
import type { RawRequest } from "../http.ts";

/** A request that is as dear as the limits allow. */
export interface DearRequest {
  /** What it is full of. */
  readonly of: string;
  /** Its largest size: bytes of the body, characters of the query, and so on. */
  readonly size: number;
  /** Makes it in that size, or in a smaller one. */
  readonly make: (size: number) => RawRequest;
}

/** Makes a request to `localhost`. */
export function request(
  line: string,
  fields: Readonly<Record<string, string>> = {},
  body = "",
): RawRequest {
  const bytes = new Uint8Array(Buffer.from(body, "utf8"));
  const lines = Object.entries({ Host: "localhost", ...fields })
    .map(([name, value]) => `${name}: ${value}`);
  const length = line.startsWith("POST ") ? [`Content-Length: ${bytes.length}`] : [];
  return { head: [`${line} HTTP/1.1`, ...lines, ...length], body: bytes };
}

/** A request whose body grows. */
export function dearBody(
  of: string,
  path: string,
  contentType: string,
  body: (size: number) => string,
  size = MAX_BODY_BYTES,
): DearRequest {
  const make = (size: number): RawRequest =>
    request(`POST ${path}`, { "Content-Type": contentType }, body(size));
  return { of, size, make };
}

/** A request whose query grows. */
export function dearQuery(
  of: string,
  path: string,
  query: (size: number) => string,
): DearRequest {
  const make = (size: number): RawRequest => request(`GET ${path}?${query(size)}`);
  return { of, size: MAX_QUERY_LENGTH, make };
}

/** A text, or the text of each number from 0 on. */
export type Piece = string | ((index: number) => string);

/** Numbers that have the same lowest bits: to V8 these are the hash of a text that is a number. */
export function oneHash(index: number): number {
  return (index + 1) * 65_536 + 7;
}

/**
 * Repeats a piece between two texts while the whole stays within a size in bytes of UTF-8, `most`
 * times at most.
 */
export function fill(
  size: number,
  before: string,
  piece: Piece,
  after: string,
  most = Infinity,
): string {
  let left = size - Buffer.byteLength(before) - Buffer.byteLength(after);
  const pieces: string[] = [];
  while (pieces.length < most) {
    const next = typeof piece === "string" ? piece : piece(pieces.length);
    left -= Buffer.byteLength(next);
    if (left < 0) break;
    pieces.push(next);
  }
  return before + pieces.join("") + after;
}

/** A letter of one, two, three and four bytes of UTF-8, each of which a name may hold. */
export const ALPHABETS: readonly (readonly [name: string, letter: string])[] = [
  ["Latin letters", "a"],
  ["letters with marks", "é"],
  ["Han", "漢"],
  ["letters beyond U+FFFF", "𐀀"],
];
