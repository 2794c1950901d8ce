/**
 * A request's body as text: of the right media type, in UTF-8, within a length and a time.
 *
 * @module
 */

import type { MediaType } from "../binding/media_type.ts";
import { Fault } from "../service/fault.ts";
import type { BodyTurns } from "./body_turns.ts";

/** The longest body in bytes. */
export const MAX_BODY_BYTES = 65_536;

/** How long a body may take to arrive, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;

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
  /** How long it may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
  /** Who else has a body that is being read. */
  readonly turns: BodyTurns;
}

/**
 * Reads the body of a request.
 *
 * @throws {Fault} When its media type, charset or content coding is not allowed, it is longer than
 * `MAX_BODY_BYTES`, takes too long, breaks off, or is not UTF-8; or when too many are being read.
 */
export async function readBody(
  request: Request,
  mediaType: MediaType,
  rules: BodyRules,
): Promise<string> {
  const declared = request.headers.get("content-length");
  checkHead(request, mediaType, rules.mediaTypes);
  // The declared length answers before a byte of the body is awaited.
  if (Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  // Not by `has`, for which Deno copies all fields.
  const isChunked = request.headers.get("transfer-encoding") !== null;
  const isShort = !isChunked && declared !== null && Number(declared) <= CHUNK_BYTES;
  const read = (): Promise<Uint8Array> => readBytes(request, isShort);
  return decodeUtf8(await rules.turns.take({ read, isShort, timeoutMs: rules.timeoutMs }));
}

function checkHead(request: Request, mediaType: MediaType, allowed: readonly string[]): void {
  if (!allowed.includes(mediaType.essence)) {
    throw unsupported(`The Content-Type must be ${allowed.join(" or ")}.`);
  }
  const charsets = mediaType.parameter("charset")?.toLowerCase().split(", ") ?? [];
  if (!charsets.every((charset) => charset === "utf-8" || charset === "utf8")) {
    throw unsupported("The charset of the Content-Type must be utf-8.");
  }
  const coding = request.headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (coding !== "identity") throw unsupported("The Content-Encoding must be identity.");
}

function unsupported(message: string): Fault {
  return new Fault("unsupported-media-type", message);
}

function tooLarge(): Fault {
  return new Fault("body-too-large", `The body is longer than ${MAX_BODY_BYTES} bytes.`);
}

// With a declared length the server under us delivers that many bytes and no more, and taking them
// at once costs half of taking them one by one. But it makes room for all of them at once, so only
// short ones are taken so; the others are counted as they come.
async function readBytes(request: Request, isShort: boolean): Promise<Uint8Array> {
  try {
    const bytes = isShort ? await request.bytes() : await readCounted(request);
    if (bytes.length > MAX_BODY_BYTES) throw tooLarge();
    return bytes;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("unreadable", "The body broke off.");
  }
}

async function readCounted({ body }: Request): Promise<Uint8Array> {
  let bytes = new Uint8Array(CHUNK_BYTES);
  let length = 0;
  let pieces = 0;
  for await (const chunk of body === null ? [] : chunksOf(body)) {
    pieces++;
    if (pieces % PIECES_AT_ONCE === 0) await nextTurn();
    const needed = length + chunk.length;
    // What is too much is left to the runtime, which knows how to end a connection.
    if (needed > MAX_BODY_BYTES) throw tooLarge();
    if (needed > bytes.length) {
      const longer = new Uint8Array(Math.max(needed, 2 * bytes.length));
      longer.set(bytes);
      bytes = longer;
    }
    bytes.set(chunk, length);
    length = needed;
  }
  return bytes.subarray(0, length);
}

// Lets others have theirs.
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

// A chunk is good until the next one is asked for. Deno reads into a buffer of 64 KiB, and keeps it
// until the caller goes, even for a body that was given up; so it is given a smaller one, where it
// takes one. It does not for a body that has arrived, nor does Bun, which has no such buffer.
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = byteReader(body);
  if (reader === undefined) return yield* body.values({ preventCancel: true });
  let buffer = new ArrayBuffer(CHUNK_BYTES);
  try {
    for (;;) {
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (done) return;
      yield value;
      buffer = value.buffer;
    }
  } finally {
    reader.releaseLock();
  }
}

function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

// Takes one byte order mark off, and only one.
const decoder = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    const lines = longestUtf8Prefix(bytes).split(/\r\n?|\n/);
    const place = `line ${lines.length}, column ${[...lines.at(-1) ?? ""].length + 1}`;
    throw new Fault("unreadable", `The body is not UTF-8 (${place}).`);
  }
}

// Bisection over prefixes: a decoder that is told more will come forgives a character cut in two
// and nothing else, so a prefix decodes just when the first bad byte lies behind it.
function longestUtf8Prefix(bytes: Uint8Array): string {
  let good = "";
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    try {
      good = new TextDecoder("utf-8", { fatal: true })
        .decode(bytes.subarray(0, middle), { stream: true });
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  return good;
}
