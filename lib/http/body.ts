/**
 * A request's body: of the right media type, within a length and a time.
 *
 * @module
 */

import { FORM } from "../bindings/form_urlencoded.ts";
import { JSON_TYPE } from "../bindings/json.ts";
import type { MediaType } from "../bindings/media_type.ts";
import { Fault } from "../operations/fault.ts";
import { OPERATIONS } from "../operations/operations.ts";
import type { BodyLimit } from "./body_limit.ts";

/** The longest body in bytes. */
export const MAX_BODY_BYTES = 65_536;

// Room for almost every body.
const CHUNK_BYTES = 4_096;

// Pieces of a body that are taken without a pause. Each takes as long as a hundred bytes and more, and
// those that have arrived follow one another at once: eight bodies of 65,536 pieces kept all other
// requests waiting for four seconds.
const PIECES_AT_ONCE = 64;

/** What a body must be. */
export interface BodyRules {
  /** The media types allowed. */
  readonly mediaTypes: readonly string[];
  /** The longest body allowed, in bytes; `MAX_BODY_BYTES` unless given. */
  readonly maxBytes?: number | undefined;
  /** The limit for bodies that are read at once, and for the time of each. */
  readonly limit: BodyLimit;
}

/**
 * Reads the body of a request.
 *
 * @throws {Fault} When its media type or content coding is not allowed, it is too long, takes too long,
 * or breaks off; or when too many are being read.
 */
export async function readBody(
  request: Request,
  mediaType: MediaType,
  { mediaTypes, maxBytes = MAX_BODY_BYTES, limit }: BodyRules,
): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  checkHead(request, mediaType, mediaTypes);
  // The declared length answers before a byte of the body is awaited.
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
  // Not by `has`, for which Deno copies all fields.
  const isChunked = request.headers.get("transfer-encoding") !== null;
  const isShort = !isChunked && declared !== null && Number(declared) <= CHUNK_BYTES;
  return isShort
    ? await limit.readShort(() => readAtOnce(request, maxBytes))
    : await readLong(request.body, maxBytes, limit);
}

// Content codings that make other bytes of a body (the registry of RFC 9110 §16.6.1). Whatever else
// stands in the field says nothing: callers put a charset or a media type there.
const CODINGS: ReadonlySet<string> = new Set([
  "aes128gcm",
  "br",
  "compress",
  "dcb",
  "dcz",
  "deflate",
  "exi",
  "gzip",
  "pack200-gzip",
  "x-compress",
  "x-gzip",
  "zstd",
]);

function checkHead(request: Request, mediaType: MediaType, allowed: readonly string[]): void {
  if (mediaType.isAmbiguous) {
    throw unsupported("The Content-Type is sent twice, with different values.");
  }
  const { essence } = mediaType;
  if (!allowed.includes(essence)) {
    throw unsupported(`The Content-Type must be ${allowed.join(" or ")}.${hintFor(essence)}`);
  }
  const codings = request.headers.get("content-encoding")?.toLowerCase().split(",") ?? [];
  if (codings.some((coding) => CODINGS.has(coding.replace(/;.*|"/g, "").trim()))) {
    throw unsupported(
      "The Content-Encoding names a compression of the body, and none is supported: leave the " +
        "field out. A charset belongs in the Content-Type.",
    );
  }
}

const PATHS = [...OPERATIONS.keys()].map((name) => `/api.asmx/${name}`).reverse();
const PATHS_HINT = ` For forms and JSON, call ${PATHS.join(" or ")}.`;

// Only SOAP takes neither of the first two, and only SOAP takes the others.
function hintFor(essence: string): string {
  if (essence === FORM || essence === JSON_TYPE) return PATHS_HINT;
  const isSoap = essence === "text/xml" || essence === "application/soap+xml";
  return isSoap ? " For SOAP, call /api.asmx." : "";
}

function unsupported(message: string): Fault {
  return new Fault("unsupported-media-type", message);
}

function brokenOff(): Fault {
  return new Fault("unreadable", "The body broke off.");
}

function tooLarge(maxBytes: number): Fault {
  return new Fault("body-too-large", `The body is longer than ${maxBytes} bytes.`);
}

// With a declared length the server under us delivers that many bytes and no more, and taking them
// at once costs half of taking them one by one. But it makes room for all of them at once, so only
// short ones are taken so; the others are counted as they come.
async function readAtOnce(request: Request, maxBytes: number): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await request.bytes();
  } catch {
    throw brokenOff();
  }
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

async function readLong(
  body: Request["body"],
  maxBytes: number,
  limit: BodyLimit,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const reader = readerOf(body);
  try {
    return await limit.readLong(() => readCounted(reader, maxBytes));
  } catch (error) {
    // Only the reader of a late body is not released: it would wait as long as the connection lasts.
    reader.cancel().catch(() => {});
    throw error;
  }
}

async function readCounted(
  reader: ReadableStreamBYOBReader,
  maxBytes: number,
): Promise<Uint8Array> {
  let bytes = new Uint8Array(CHUNK_BYTES);
  let length = 0;
  let buffer = new ArrayBuffer(CHUNK_BYTES);
  try {
    for (let pieces = 1;; pieces++) {
      const { value, done } = await reader.read(new Uint8Array(buffer)).catch(() => {
        throw brokenOff();
      });
      if (done) return bytes.subarray(0, length);
      if (pieces % PIECES_AT_ONCE === 0) await nextTurn();
      const needed = length + value.length;
      // The rest is left to the runtime, which knows how to end a connection.
      if (needed > maxBytes) throw tooLarge(maxBytes);
      if (needed > bytes.length) {
        const longer = new Uint8Array(Math.max(needed, 2 * bytes.length));
        longer.set(bytes);
        bytes = longer;
      }
      bytes.set(value, length);
      length = needed;
      buffer = value.buffer;
    }
  } finally {
    reader.releaseLock();
  }
}

// Lets others have theirs.
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

// A chunk is good until the next one is asked for. Deno reads into a buffer of 64 KiB, and keeps it
// until the caller goes, even for a body that was given up; so it is given a smaller one, where it
// takes one. It does not for a body that has arrived, nor does Bun, which has no such buffer: their
// readers take no notice of the one that they are given.
function readerOf(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return body.getReader() as unknown as ReadableStreamBYOBReader;
  }
}
