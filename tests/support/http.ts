/**
 * HTTP/1.x by hand over TCP: it sends exactly the bytes it is given, where `fetch` would put them
 * right.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** A request; in the head each character is one byte. */
export interface RawRequest {
  /** The request line and the lines of the header. */
  readonly head: readonly string[];
  /** The body as it goes over the wire. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A reply. */
export interface RawReply {
  /** The status. */
  readonly status: number;
  /** The header fields, their names in lower case; several of one name joined with a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body; a chunked one is put together. */
  readonly body: Uint8Array;
  /** Whether an interim 100 (Continue) came first. */
  readonly continued: boolean;
}

// Far above what any reply takes; it only keeps a test from hanging.
const PATIENCE_MS = 180_000;

/**
 * Sends a request on a connection of its own and reads the reply. With `Expect: 100-continue` the
 * body is held back until the server asks for it.
 */
export async function exchangeRaw(
  address: { readonly hostname: string; readonly port: number },
  request: RawRequest,
): Promise<RawReply> {
  using connection = await Deno.connect({ ...address });
  return await exchangeOn(connection, request);
}

/** The same on a connection that is there and has no other exchange, and that stays open. */
export async function exchangeOn(connection: Deno.Conn, request: RawRequest): Promise<RawReply> {
  const timer = setTimeout(() => connection.close(), PATIENCE_MS);
  try {
    const reader = new Reader(connection);
    const expects = request.head.some((line) => /^expect:\s*100-continue$/i.test(line));
    const head = Buffer.from(`${request.head.join("\r\n")}\r\n\r\n`, "latin1");
    await send(connection, expects ? head : Buffer.concat([head, request.body]));
    let answer = await reader.head();
    const continued = answer.status === 100;
    if (continued) {
      await send(connection, request.body);
      answer = await reader.head();
    }
    const bodiless = /^HEAD /.test(request.head[0]!) || [204, 304].includes(answer.status);
    const body = bodiless ? new Uint8Array() : await reader.body(answer.headers);
    return { ...answer, body, continued };
  } finally {
    clearTimeout(timer);
  }
}

// A server may answer and close before it has all of a body: its reply counts, not our broken pipe.
async function send(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  try {
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return;
    if (error instanceof Deno.errors.ConnectionReset) return;
    throw error;
  }
}

class Reader {
  // What was received and not read yet, one character for each byte.
  private text = "";

  constructor(private readonly connection: Deno.Conn) {}

  async head(): Promise<Omit<RawReply, "body" | "continued">> {
    const [statusLine, ...lines] = (await this.until("\r\n\r\n")).split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3}) ?/.exec(statusLine!)?.[1]);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
    }
    return { status, headers };
  }

  async body(headers: ReadonlyMap<string, string>): Promise<Uint8Array> {
    const length = headers.get("content-length");
    if (length !== undefined) return Buffer.from(await this.take(Number(length)), "latin1");
    if (headers.get("transfer-encoding") === "chunked") return await this.chunks();
    while (await this.more());
    return Buffer.from(this.text, "latin1");
  }

  private async chunks(): Promise<Uint8Array> {
    let body = "";
    for (;;) {
      const length = parseInt(await this.until("\r\n"), 16);
      body += await this.take(length);
      await this.until("\r\n");
      if (length === 0) return Buffer.from(body, "latin1");
    }
  }

  private async until(delimiter: string): Promise<string> {
    while (!this.text.includes(delimiter)) await this.need();
    const before = this.text.slice(0, this.text.indexOf(delimiter));
    this.text = this.text.slice(before.length + delimiter.length);
    return before;
  }

  private async take(length: number): Promise<string> {
    while (this.text.length < length) await this.need();
    const taken = this.text.slice(0, length);
    this.text = this.text.slice(length);
    return taken;
  }

  private async need(): Promise<void> {
    if (!await this.more()) throw new Error("The server closed in the middle of a reply");
  }

  private async more(): Promise<boolean> {
    const buffer = new Uint8Array(65_536);
    const length = await this.connection.read(buffer);
    if (length === null) return false;
    this.text += Buffer.from(buffer.subarray(0, length)).toString("latin1");
    return true;
  }
}
