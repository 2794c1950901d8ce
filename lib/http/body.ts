/**
 * Reading of a request's body, with limits for length and time.
 *
 * @module
 */

import { clearImmediate, setImmediate } from "node:timers";
import type { MediaType } from "../bindings/media_type.ts";
import { Fault } from "../operations/fault.ts";
import type { HandlerParts, RequestContext } from "./route.ts";

/** Longest body, in bytes. */
export const MAX_BODY_BYTES = 65_536;

// Longest short body, and first buffer of a long one; almost every body fits.
const SHORT_BYTES = 4_096;

/**
 * Maximum number of chunks of a body, since each costs a read. A body of 65,536 bytes may come in
 * chunks of 16 bytes.
 */
export const MAX_CHUNKS = 4_096;

/**
 * Maximum number of chunks over TLS in one turn of the event loop. With each read, Deno 2.9.6 takes
 * up to 16 KiB more from such a connection, however small the chunk; once the caller has left, it
 * drops what it took in quadratic time and answers no other caller meanwhile: a second for 1 MB, half
 * an hour for 15 MB (tests/integration/upstream/deno_hang.md). Without TLS it takes 128 buffers at
 * most.
 */
export const MAX_CHUNKS_AT_ONCE = 64;

// Buffer of an arriving long body. Deno 2.9.6 parses no more than a buffer's length of what it has
// taken, and keeps framing without end in memory where its own limits are not within that: 4 KiB for
// a chunk size with its extension, twice 64 KiB for trailers
// (tests/integration/upstream/deno_chunks.md). Without TLS the buffer is small, since 128 of them may
// be taken, and trailers are left to the watch of the memory; over TLS that gets no turn
// (tests/integration/upstream/deno_tls_turns.md).
const BUFFER_BYTES = 4_352;
const TLS_BUFFER_BYTES = 132 * 1_024;

/**
 * Time for a reply to arrive before the rest of a chunked body over TLS is cancelled, in milliseconds.
 * At once, Deno 2.9.6 would drop the rest itself, and give no other caller a turn meanwhile
 * (tests/integration/upstream/deno_tls_turns.md); behind the reply, it closes the connection.
 */
export const LINGER_MS = 1_000;

/** Part of a request's context that reading its body needs. */
export interface BodyContext extends Pick<RequestContext, "request" | "mediaType"> {
  /** Limits of bodies. */
  readonly parts: Pick<HandlerParts, "bodyLimit" | "isTls">;
}

/**
 * Reads the body of a request.
 *
 * @param maxBytes Longest body allowed, in bytes.
 * @throws {Fault} When its Content-Type is ambiguous, it is compressed, is too long, times out or breaks
 * off, or too many bodies are being read.
 */
export async function readBody(
  { request, mediaType, parts }: BodyContext,
  maxBytes = MAX_BODY_BYTES,
): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  checkHead(request, mediaType);
  // Refuse by the declared length before waiting for the first byte.
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
  // `get`, not `has`: for `has`, Deno copies all fields.
  const isChunked = request.headers.get("transfer-encoding") !== null;
  const isShort = !isChunked && declared !== null && Number(declared) <= SHORT_BYTES;
  return isShort
    ? await parts.bodyLimit.readShort(() => readAtOnce(request, maxBytes))
    : await readLong(request.body, maxBytes, parts, !isChunked && declared !== null);
}

// Content codings that change the bytes of a body (registry of RFC 9110 §16.6.1). Other values of
// the field are ignored: callers put a charset or a media type there.
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

function checkHead(request: Request, { isAmbiguous }: MediaType): void {
  if (isAmbiguous) throw unsupported("The Content-Type is sent twice, with different values.");
  const codings = request.headers.get("content-encoding")?.toLowerCase().split(",") ?? [];
  if (codings.some((coding) => CODINGS.has(coding.replace(/;.*|"/g, "").trim()))) {
    throw unsupported(
      "The Content-Encoding names a compression of the body, and none is supported: leave the " +
        "field out. A charset belongs in the Content-Type.",
    );
  }
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

const TOO_MANY_CHUNKS = `The body comes in more than ${MAX_CHUNKS} chunks.`;
const TOO_MANY_AT_ONCE = `More than ${MAX_CHUNKS_AT_ONCE} chunks of the body come at once.`;

// Reads a short body of declared length in one call, at half the cost of reading chunks. The
// runtime delivers exactly that many bytes, but allocates them all at once, so longer bodies are
// read in chunks.
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
  { bodyLimit: limit, isTls = true }: BodyContext["parts"],
  isCounted: boolean,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  let reader: ReadableStreamBYOBReader;
  try {
    reader = readerOf(body);
  } catch {
    // Code in front of the handler has read the body.
    throw brokenOff();
  }
  // A declared length has no framing.
  const isFramed = isTls && !isCounted;
  try {
    const [bufferBytes, maxAtOnce] = isFramed
      ? [TLS_BUFFER_BYTES, MAX_CHUNKS_AT_ONCE]
      : [BUFFER_BYTES, Infinity];
    return await limit.readLong(
      () => readCounted(reader, { maxBytes, bufferBytes, maxAtOnce }),
      isCounted,
    );
  } catch (error) {
    // The pending read of a late body would hold its lock until the connection closes.
    const cancel = (): void => void reader.cancel().catch(() => {});
    if (body.locked && isFramed) setTimeout(cancel, LINGER_MS);
    else cancel();
    throw error;
  }
}

// Reads without giving up the turn: in Deno 2.9.6, a handler that waits for a timer while chunks of a
// byte arrive never gets its turn back, and no other handler either
// (tests/integration/upstream/deno_hang.md).
async function readCounted(
  reader: ReadableStreamBYOBReader,
  { maxBytes, bufferBytes, maxAtOnce }: {
    readonly maxBytes: number;
    readonly bufferBytes: number;
    readonly maxAtOnce: number;
  },
): Promise<Uint8Array> {
  let bytes = new Uint8Array(SHORT_BYTES);
  let length = 0;
  let buffer = new ArrayBuffer(bufferBytes);
  let atOnce = 0;
  let nextTurn: ReturnType<typeof setImmediate> | undefined;
  try {
    for (let chunks = 1;; chunks++) {
      const { value, done } = await reader.read(new Uint8Array(buffer)).catch(() => {
        throw brokenOff();
      });
      if (done) return bytes.subarray(0, length);
      if (chunks > MAX_CHUNKS) throw new Fault("body-too-large", TOO_MANY_CHUNKS);
      if (maxAtOnce < Infinity && atOnce === 0) nextTurn = setImmediate(() => void (atOnce = 0));
      if (++atOnce > maxAtOnce) throw new Fault("body-too-large", TOO_MANY_AT_ONCE);
      const needed = length + value.length;
      // Leave the rest of the body to the runtime, which can end a connection.
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
    clearImmediate(nextTurn);
    reader.releaseLock();
  }
}

// Prefers a BYOB reader: for each read of another, Deno allocates 64 KiB, also for a chunk of one byte.
// Deno (for a body that has arrived) and Bun (always) ignore the buffer. A chunk is valid until the
// next read.
function readerOf(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return body.getReader() as unknown as ReadableStreamBYOBReader;
  }
}
