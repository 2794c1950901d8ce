/**
 * A request's body as text: of the right media type, in UTF-8, within a length and a time.
 *
 * @module
 */

import type { MediaType } from "../binding/media_type.ts";
import { Fault } from "../service/fault.ts";

/** The longest body in bytes. */
export const MAX_BODY_BYTES = 65_536;

/** How long a body may take to arrive, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;

/** What a body must be. */
export interface BodyRules {
  /** The media types allowed. */
  readonly mediaTypes: readonly string[];
  /** How long it may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Reads the body of a request.
 *
 * @throws {Fault} When its media type, charset or content coding is not allowed, it is longer than
 * `MAX_BODY_BYTES`, takes too long, breaks off, or is not UTF-8.
 */
export async function readBody(
  request: Request,
  mediaType: MediaType,
  rules: BodyRules,
): Promise<string> {
  checkHead(request, mediaType, rules.mediaTypes);
  const bytes = await beforeDeadline(readBytes(request), rules.timeoutMs);
  return decodeUtf8(bytes);
}

function checkHead(request: Request, mediaType: MediaType, allowed: readonly string[]): void {
  if (!allowed.includes(mediaType.essence)) {
    throw unsupported(`The Content-Type must be ${allowed.join(" or ")}.`);
  }
  const charsets = mediaType.parameters.get("charset")?.toLowerCase().split(", ") ?? [];
  if (!charsets.every((charset) => charset === "utf-8" || charset === "utf8")) {
    throw unsupported("The charset of the Content-Type must be utf-8.");
  }
  const coding = request.headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (coding !== "identity") throw unsupported("The Content-Encoding must be identity.");
  // The declared length answers before a byte of the body is awaited.
  if (Number(request.headers.get("content-length")) > MAX_BODY_BYTES) throw tooLarge();
}

function unsupported(message: string): Fault {
  return new Fault("unsupported-media-type", message);
}

function tooLarge(): Fault {
  return new Fault("body-too-large", `The body is longer than ${MAX_BODY_BYTES} bytes.`);
}

// With a declared length the server under us delivers that many bytes and no more, and taking them
// at once costs half of taking them one by one. Without, they are counted as they come.
async function readBytes(request: Request): Promise<Uint8Array> {
  const declared = request.headers.has("content-length") &&
    !request.headers.has("transfer-encoding");
  try {
    const bytes = declared ? await request.bytes() : await readCounted(request);
    if (bytes.length > MAX_BODY_BYTES) throw tooLarge();
    return bytes;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("unreadable", "The body broke off.");
  }
}

async function readCounted(request: Request): Promise<Uint8Array> {
  const bytes = new Uint8Array(MAX_BODY_BYTES);
  let length = 0;
  // What is too much is left to the runtime, which knows how to end a connection.
  for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
    if (length + chunk.length > MAX_BODY_BYTES) throw tooLarge();
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}

async function beforeDeadline<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`;
    timer = setTimeout(() => reject(new Fault("timeout", message)), timeoutMs);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
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
