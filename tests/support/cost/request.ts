/** Requests as expensive as the limits allow. */

import { Buffer } from "node:buffer";
import { type RawRequest, withLength } from "../http.ts";

/** A request with one repeated part. */
export interface CostlyRequest {
  /** The repeated part. */
  readonly part: string;
  /** Makes the request. */
  readonly make: () => RawRequest;
}

/** A text, or the text of each number from 0 on. */
export type Piece = string | ((index: number) => string);

/** The repeated part, the text before it, the repeated text, and the text behind it. */
export type Row = readonly [part: string, before: string, piece: Piece, after: string];

/** Makes a request to `localhost`. */
export function request(
  line: string,
  fields: Readonly<Record<string, string>> = {},
  body = "",
): RawRequest {
  const lines = Object.entries({ Host: "localhost", ...fields })
    .map(([name, value]) => `${name}: ${value}`);
  return withLength([`${line} HTTP/1.1`, ...lines], new Uint8Array(Buffer.from(body)));
}

/** Makes a POST. */
export function post(path: string, contentType: string, body: string): RawRequest {
  return request(`POST ${path}`, { "Content-Type": contentType }, body);
}

/** Numbers with the same lowest bits: V8 uses these as the hash of a text that is a number. */
export function sameHash(index: number): number {
  return (index + 1) * 65_536 + 7;
}

/** Repeats a piece between two texts, `most` times, within a size in bytes of UTF-8. */
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

/** Letters of one, two, three and four bytes of UTF-8 that names may hold. */
export const ALPHABETS: readonly (readonly [name: string, letter: string])[] = [
  ["Latin letters", "a"],
  ["letters with marks", "é"],
  ["Han", "漢"],
  ["letters beyond U+FFFF", "𐀀"],
];
