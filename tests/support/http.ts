/**
 * HTTP/1.x by hand over TCP: it sends exactly the bytes it is given, where `fetch` would put them
 * right.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { AUTHORITY } from "./certificates.ts";

/** A request; in the head each character is one byte. */
export interface RawRequest {
  /** The request line and the lines of the header. */
  readonly head: readonly string[];
  /** The body as it goes over the wire. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A request with the length of its body, where it needs one and its head has none. */
export function withLength(head: readonly string[], body: RawRequest["body"]): RawRequest {
  const hasLength = head.some((line) => /^(?:content-length|transfer-encoding):/i.test(line));
  const needsLength = !hasLength && (body.length > 0 || head[0]!.startsWith("POST "));
  return { head: needsLength ? [...head, `Content-Length: ${body.length}`] : head, body };
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

/** Sends a request, without a body unless it has one, on a connection of its own to a URL's host. */
export async function exchangeRaw(
  url: string,
  { head, body = new Uint8Array() }: Partial<RawRequest> & Pick<RawRequest, "head">,
): Promise<RawReply> {
  using wire = await Wire.to(url);
  return await wire.exchange({ head, body });
}

// Far above what any reply takes; it only keeps a test from hanging.
const DEADLINE_MS = 300_000;

/** A connection that can send any bytes. */
export class Wire {
  // What was received and not read yet, one character for each byte.
  #text = "";
  #isEnded = false;
  readonly #connection: Deno.TcpConn | Deno.TlsConn | Deno.UnixConn;

  private constructor(connection: Deno.TcpConn | Deno.TlsConn | Deno.UnixConn) {
    this.#connection = connection;
  }

  /** Connects to the host of a URL, by TLS for `https:`, or to the socket of `unix:` and a path. */
  static async to(url: string): Promise<Wire> {
    if (url.startsWith("unix:")) {
      return new Wire(await Deno.connect({ transport: "unix", path: url.slice("unix:".length) }));
    }
    const { protocol, hostname, port } = new URL(url);
    const address = { hostname, port: Number(port) };
    return new Wire(
      protocol === "https:"
        ? await Deno.connectTls({ ...address, caCerts: [AUTHORITY] })
        : await Deno.connect(address),
    );
  }

  /**
   * Connects and sends text at once: Bun closes a connection that is silent for ten seconds, which can
   * pass on a busy machine while others connect.
   */
  static async saying(url: string, text: string): Promise<Wire> {
    const wire = await Wire.to(url);
    await wire.send(text);
    return wire;
  }

  /**
   * Begins the check of a pin and waits for the interim reply, which shows that the request is being
   * answered; its body is still to come, and the connection is closed after its reply.
   */
  static async beginning(url: string, body = FORM): Promise<Wire> {
    const wire = await Wire.saying(
      url,
      "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
        "Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n" +
        `Content-Length: ${body.length}\r\n\r\n`,
    );
    await wire.receive((text) => text.startsWith("HTTP/1.1 100 "));
    wire.#text = "";
    return wire;
  }

  /**
   * Sends bytes, or text whose characters are one byte each; false once the other side takes no more,
   * since a server may answer and close before it has all of a body.
   */
  async send(data: string | Uint8Array): Promise<boolean> {
    const bytes = typeof data === "string" ? Buffer.from(data, "latin1") : data;
    try {
      for (let sent = 0; sent < bytes.length;) {
        sent += await this.#connection.write(bytes.subarray(sent));
      }
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) return false;
      if (error instanceof Deno.errors.ConnectionReset) return false;
      throw error;
    }
  }

  /** Receives until the text is complete, or the other side closes. */
  async receive(until: (text: string) => boolean): Promise<string> {
    const timer = setTimeout(() => this.close(), DEADLINE_MS);
    while (!this.#isEnded && !until(this.#text)) this.#isEnded = !await this.#more();
    clearTimeout(timer);
    return this.#text;
  }

  /** Sends the body that is still to come, and receives the reply, to the end. */
  async finish(body = FORM): Promise<string> {
    await this.send(body);
    await this.receive(() => false);
    this.close();
    return this.#text;
  }

  /**
   * Sends a request and reads the reply. With `Expect: 100-continue` the body is held back until the
   * server asks for it.
   */
  async exchange({ head, body }: RawRequest): Promise<RawReply> {
    const expects = head.some((line) => /^expect:\s*100-continue$/i.test(line));
    const start = Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1");
    await this.send(expects ? start : Buffer.concat([start, body]));
    let reply = await this.#readHead();
    const continued = reply.status === 100;
    if (continued) {
      await this.send(body);
      reply = await this.#readHead();
    }
    const isBodiless = /^HEAD /.test(head[0]!) || [204, 304].includes(reply.status);
    const text = isBodiless ? "" : await this.#readBody(reply.headers);
    return { ...reply, body: Buffer.from(text, "latin1"), continued };
  }

  /** Ends its own side, and goes on receiving; over TLS by a close_notify. */
  async endSending(): Promise<void> {
    await this.#connection.closeWrite();
  }

  /** Waits until the other side closes. */
  async isClosed(): Promise<boolean> {
    await this.receive(() => false);
    return this.#isEnded;
  }

  /** Closes it. */
  close(): void {
    try {
      this.#connection.close();
    } catch {
      // It was closed before.
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #readHead(): Promise<Pick<RawReply, "status" | "headers">> {
    const [statusLine, ...lines] = (await this.#until("\r\n\r\n")).split("\r\n");
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

  async #readBody(headers: ReadonlyMap<string, string>): Promise<string> {
    const length = headers.get("content-length");
    if (length !== undefined) return await this.#take(Number(length));
    if (headers.get("transfer-encoding") !== "chunked") return await this.receive(() => false);
    for (let body = "";;) {
      const length = parseInt(await this.#until("\r\n"), 16);
      body += await this.#take(length);
      await this.#until("\r\n");
      if (length === 0) return body;
    }
  }

  async #until(delimiter: string): Promise<string> {
    await this.#need((text) => text.includes(delimiter));
    const before = await this.#take(this.#text.indexOf(delimiter));
    await this.#take(delimiter.length);
    return before;
  }

  async #take(length: number): Promise<string> {
    await this.#need((text) => text.length >= length);
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    return taken;
  }

  async #need(isThere: (text: string) => boolean): Promise<void> {
    if (isThere(await this.receive(isThere))) return;
    throw new Error("The server closed in the middle of a reply");
  }

  async #more(): Promise<boolean> {
    const buffer = new Uint8Array(65_536);
    try {
      const length = await this.#connection.read(buffer);
      if (length === null) return false;
      this.#text += Buffer.from(buffer.subarray(0, length)).toString("latin1");
      return true;
    } catch {
      // A reset is a way to close as well.
      return false;
    }
  }
}

/** The body of a request with a wrong pin. */
const FORM = "pin=1&secretCode=x";

/** Whether the head of the final reply is there in whole, which may come in pieces. */
export function hasHead(received: string): boolean {
  return /^HTTP\/1\.[01] (?!100 )\d{3} [^]*?\r\n\r\n/m.test(received);
}

/** The status of the final reply in what was received; `closed` when there is none. */
export function statusIn(received: string): string {
  const statuses = [...received.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => status!);
  return statuses.find((status) => status !== "100") ?? "closed";
}
