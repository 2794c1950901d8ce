/**
 * Reader of HTTP/1.1 replies (RFC 9112) for the commands. It keeps at most `MAX_REPLY_BYTES` of what a
 * server sends: clients of the runtimes keep framing and small chunks without a limit.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { systemErrorCode } from "../system/system_error.ts";

/** Limit of all bytes that a server sends, with framing, in bytes. */
const MAX_REPLY_BYTES = 524_288;

/** Limit of a line of a reply: its status line, a field, a chunk size; in bytes. */
const MAX_LINE_BYTES = 16_384;

/** Limit of the fields of a reply. */
const MAX_FIELDS = 1_000;

/** Limit of the informational responses (RFC 9110 §15.2) before a reply. */
const MAX_INFORMATIONAL = 10;

/** Reply of a server. */
export interface ServerReply {
  /** The status. */
  readonly status: number;
  /** The header fields, with names in lower case; several of a name are one list. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The whole body. */
  readonly text: string;
}

/** Failure of a request; the message is a clause about the server. */
export class NoReplyError extends Error {
  /** The name of the class. */
  override readonly name = "NoReplyError";

  /**
   * Makes an error.
   *
   * @param kind No connection, no HTTP on it, or HTTP without a reply that is of use.
   */
  constructor(message: string, readonly kind: "unreachable" | "protocol" | "reply" = "reply") {
    super(message);
  }
}

/** Makes the error of a server that closes the connection without a reply. */
export function closedError(): NoReplyError {
  return new NoReplyError("closes the connection without an answer", "protocol");
}

/** Makes the error of a server that does not speak HTTP. */
export function notHttpError(): NoReplyError {
  return new NoReplyError("does not answer as HTTP", "protocol");
}

/** Whether an error says that the other side has closed the connection. */
export function isReset(error: unknown): boolean {
  return /^(?:ECONNRESET|EPIPE)$/.test(systemErrorCode(error));
}

/**
 * Reads the reply to a request.
 *
 * @param socket Bytes of the connection, as they arrive.
 * @throws {NoReplyError} When it is no reply, or beyond a limit.
 */
export async function readReply(socket: AsyncIterable<Uint8Array>): Promise<ServerReply> {
  const bytes = new ReceivedBytes(socket[Symbol.asyncIterator]());
  for (let informational = 0; informational <= MAX_INFORMATIONAL; informational++) {
    const status = await readStatus(bytes);
    if (status === 101) throw new NoReplyError("switches to another protocol (status 101)");
    const headers = await readFields(bytes);
    if (status < 200) continue;
    bytes.closing = new NoReplyError("closes the connection before the end of its answer");
    const hasBody = status !== 204 && status !== 304;
    const body = hasBody ? await readBody(bytes, headers) : Buffer.of();
    return { status, headers, text: new TextDecoder().decode(body) };
  }
  throw new NoReplyError(`sends more than ${MAX_INFORMATIONAL} informational responses`);
}

async function readStatus(bytes: ReceivedBytes): Promise<number> {
  const [, status] = /^HTTP\/1\.[01] ([1-9]\d\d)(?: |$)/.exec(await bytes.line("HTTP/1.")) ?? [];
  if (status === undefined) throw notHttpError();
  return Number(status);
}

async function readFields(bytes: ReceivedBytes): Promise<ServerReply["headers"]> {
  const fields = new Map<string, string>();
  for (let count = 0; count <= MAX_FIELDS; count++) {
    const line = await bytes.line();
    if (line === "") return Object.fromEntries(fields);
    const [, name] = /^([!#$%&'*+.^_`|~0-9a-z-]+):/.exec(line.toLowerCase()) ?? [];
    if (name === undefined) throw notHttpError();
    const value = line.slice(name.length + 1).trim();
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  throw notHttpError();
}

// RFC 9112 §6.3.
async function readBody(bytes: ReceivedBytes, headers: ServerReply["headers"]): Promise<Buffer> {
  const { "transfer-encoding": coding, "content-length": length } = headers;
  if (coding !== undefined && length !== undefined) throw notHttpError();
  if (coding !== undefined && /(?:^|[, \t])chunked$/i.test(coding)) return await readChunks(bytes);
  if (length === undefined) return await bytes.rest();
  if (!/^\d{1,15}$/.test(length)) throw notHttpError();
  return await bytes.take(Number(length));
}

// RFC 9112 §7.1. Extensions and trailers are dropped.
async function readChunks(bytes: ReceivedBytes): Promise<Buffer> {
  const body = Buffer.alloc(MAX_REPLY_BYTES);
  for (let length = 0;;) {
    const [, digits] = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(await bytes.line()) ?? [];
    if (digits === undefined) throw notHttpError();
    const size = parseInt(digits, 16);
    if (size === 0) {
      while (await bytes.line() !== "");
      return body.subarray(0, length);
    }
    length += (await bytes.take(size)).copy(body, length);
    if (await bytes.line() !== "") throw notHttpError();
  }
}

/** Bytes of a connection: all that were received, and how far they were read. */
class ReceivedBytes {
  /** Error if the connection closes now. */
  closing = closedError();
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #bytes = Buffer.alloc(MAX_REPLY_BYTES);
  #end = 0;
  #position = 0;

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /**
   * Reads a line, without its CR LF.
   *
   * @param start Text that it begins with.
   */
  async line(start = ""): Promise<string> {
    for (let from = this.#position;;) {
      const feed = this.#bytes.subarray(0, this.#end).indexOf("\n", from);
      const isWhole = feed >= 0;
      const text = this.#bytes.toString("latin1", this.#position, isWhole ? feed : this.#end);
      const isWrong = isWhole ? !text.endsWith("\r") : text.length > MAX_LINE_BYTES;
      if (isWrong || !text.startsWith(start.slice(0, text.length))) throw notHttpError();
      if (isWhole) {
        this.#position = feed + 1;
        return text.slice(0, -1);
      }
      from = this.#end;
      if (!await this.#receive()) throw this.closing;
    }
  }

  /** Reads some bytes. */
  async take(length: number): Promise<Buffer> {
    const start = this.#position;
    if (start + length > MAX_REPLY_BYTES) throw tooLongError();
    while (this.#end < start + length) {
      if (!await this.#receive()) throw this.closing;
    }
    this.#position = start + length;
    return this.#bytes.subarray(start, this.#position);
  }

  /** Reads all bytes before the connection closes. */
  async rest(): Promise<Buffer> {
    while (await this.#receive());
    return this.#bytes.subarray(this.#position, this.#end);
  }

  // Returns false when the connection closes.
  async #receive(): Promise<boolean> {
    const { value, done } = await this.#chunks.next().catch((error: unknown) => {
      throw isReset(error) ? this.closing : error;
    });
    if (done) return false;
    if (this.#end + value.length > MAX_REPLY_BYTES) throw tooLongError();
    this.#bytes.set(value, this.#end);
    this.#end += value.length;
    return true;
  }
}

function tooLongError(): NoReplyError {
  return new NoReplyError("sends more than 512 KiB");
}
