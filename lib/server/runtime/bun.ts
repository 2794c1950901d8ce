/**
 * Runtime Bun.
 *
 * @module
 */

import http from "node:http";
import process from "node:process";
import { createSecureContext } from "node:tls";
import type { Handler } from "../../http/handler.ts";
import { withTimeout } from "./timeout.ts";
import { authorityOf, type Runtime, type Server, type ServerOptions } from "./runtime.ts";

// Bun answers a declared length above its limit with a bare 413. The handler has a lower limit and
// replies in the form of the binding, so Bun's limit is out of reach.
const MAX_REQUEST_BODY_BYTES = Number.MAX_SAFE_INTEGER;

// Deno's limit. Bun answers a larger head with a bare 431, which callers of `/Validate.aspx` take
// for a success; its default, 16 KiB, is less than the longest query with its letters escaped.
const MAX_HEAD_BYTES = 65_536;

// Bun's longest idle timeout, above that of proxies (nginx 60 s, Traefik and Go 90 s, Caddy 120 s), so
// that the proxy closes the connection: a request on a connection that closes is lost.
const IDLE_TIMEOUT_SECONDS = 255;

// Limit and timeout for receiving and dropping an unread body before a close: an earlier close
// would reset a caller that still sends, before it reads the reply.
const DROPPED_BYTES = 1_048_576;
const DROPPING_MS = 2_000;

// Timeout for callers to close. Bun leaves a connection open after half a head, or over TLS before
// any data, and over TLS it waits for the caller's close_notify. Many callers read a connection
// only with their next request.
const CLOSE_TIMEOUT_MS = 1_000;

// Ciphers of TLS 1.2 with forward secrecy: Bun's own list also has key exchange by RSA, with which the
// certificate's key, once stolen, opens recorded connections. CBC stays for Windows before 10.
const CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES";

// Statuses of the reply to a stalled body, whose remaining length is unknown.
const GIVEN_UP: ReadonlySet<number> = new Set([408, 503]);

// Bun's replacement of each byte of a target that is not UTF-8: U+FFFD, encoded.
const REPLACED = "%EF%BF%BD";

/** Makes the runtime Bun; fails on any other. */
export function bunRuntime(): Runtime {
  return {
    title: `Bun ${Bun.version}`,
    target: `${process.platform}-${process.arch}`,
    // Bun ignores `reusePort` on Windows.
    sharesPorts: process.platform !== "win32",
    serve,
    tryTls: (tls) => void createSecureContext({ ...tls }),
    writeOut: (text) => write(process.stdout, text),
    writeError: (text) => write(process.stderr, text),
  };
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // An error without a listener would end the process; the callback reports it as well.
    stream.off("error", ignore).on("error", ignore)
      .write(text, (error) => error ? reject(error) : resolve());
  });
}

function ignore(): void {}

function serve({ address, tls, shared, onError, peers }: ServerOptions, handler: Handler): Server {
  // Applies to every server of this process; only Bun lets it be set.
  Object.assign(http, { maxHeaderSize: MAX_HEAD_BYTES });
  const place: Place = {
    scheme: tls === undefined ? "http" : "https",
    ownHost: (isMissing) => {
      if ("path" in address) return "localhost";
      const { hostname = "", port = 0 } = server;
      return isMissing ? `localhost:${port}` : authorityOf({ hostname, port });
    },
  };
  const server: Bun.Server = Bun.serve({
    // Explicit, because Bun shares a port by default with `development` off.
    ...("path" in address ? { unix: address.path } : { ...address, reusePort: shared }),
    ...(tls === undefined ? {} : { tls: { ...tls, ciphers: CIPHERS } }),
    fetch: (request) => {
      const peer = peers && server.requestIP(request)?.address;
      if (peer) peers.set(request, peer);
      return answer(request, place, handler);
    },
    error: onError,
    // Disabled, since Bun's error page would show the source.
    development: false,
    maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
  });
  const { hostname = "", port = 0 } = server;
  return {
    address: "path" in address ? undefined : { hostname, port },
    // Bun retries failed accepts.
    failed: new Promise(() => {}),
    shutdown: () => shutdown(server),
    abort: () => void server.stop(true),
  };
}

async function shutdown(server: Bun.Server): Promise<void> {
  const stopped = server.stop();
  while (!await withTimeout(stopped, CLOSE_TIMEOUT_MS) && server.pendingRequests > 0);
  await server.stop(true);
}

/** Parts of a request's URL that the request itself lacks. */
interface Place {
  readonly scheme: "http" | "https";
  /** The host for a request with an empty or a missing Host. */
  readonly ownHost: (isMissing: boolean) => string;
}

async function answer(request: Request, place: Place, handler: Handler): Promise<Response> {
  const reply = await handler(withSentUrl(request, place));
  // Bun sets Date in all replies except for HEAD (RFC 9110 §6.6.1).
  if (request.method === "HEAD") reply.headers.set("date", new Date().toUTCString());
  const rest = restOf(request, reply);
  const isLong = rest !== null && declaredLength(request) > DROPPED_BYTES;
  // After its reply, Bun receives the rest of a body without a limit of length or time.
  const leavesTooMuch = GIVEN_UP.has(reply.status) ||
    rest !== null && (isLong || isChunked(request));
  // RFC 9112 §9.6: without this header, the caller's next request would be lost.
  if (leavesTooMuch || asksToClose(request)) reply.headers.set("connection", "close");
  // Set this before the reply, since Bun closes after it.
  if (rest !== null && !isLong && reply.headers.get("connection") === "close") {
    await withTimeout(drop(rest), DROPPING_MS);
  }
  return reply;
}

// Returns the unread rest of a body: all of it, or the excess of a chunked one. The body of a used
// request is not accessed, since Bun would make a stream for it.
function restOf(request: Request, { status }: Response): Request["body"] {
  if (request.bodyUsed && status !== 413) return null;
  return request.body?.locked ? null : request.body;
}

function declaredLength({ headers }: Request): number {
  return Number(headers.get("content-length"));
}

function isChunked({ headers }: Request): boolean {
  return headers.has("transfer-encoding");
}

function asksToClose({ headers }: Request): boolean {
  const options = headers.get("connection");
  return options !== null && /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(options);
}

async function drop(body: NonNullable<Request["body"]>): Promise<void> {
  let bytes = 0;
  try {
    for await (const { length } of body) {
      bytes += length;
      if (bytes > DROPPED_BYTES) return;
    }
  } catch {
    // The sender is gone.
  }
}

// Restores the URL as sent. Bun normalizes it: the host in lower case and without the default port,
// and no host without a Host header, as HTTP/1.0 allows. The WSDL repeats the caller's host, so the
// sent one is restored, or Deno's value without one. Bun also maps all bytes that are not UTF-8 to
// one text, which would make different secrets equal: they become %FF, which is refused as invalid
// UTF-8. A target with a sent `%EF%BF%BD` is refused as well.
function withSentUrl(request: Request, { scheme, ownHost }: Place): Request {
  const read = request.url;
  const url = read.includes(REPLACED) ? read.replaceAll(REPLACED, "%FF") : read;
  const sent = request.headers.get("host");
  const host = sent || ownHost(sent === null);
  const base = `${scheme}://${host}`;
  if (url === read && url.startsWith(base) && url[base.length] === "/") return request;
  const isWhole = url.startsWith(`${scheme}://`);
  // A target that is no URL, as of CONNECT, stays unchanged.
  if (!isWhole && !url.startsWith("/")) return request;
  const path = isWhole ? url.slice(url.indexOf("/", scheme.length + 3)) : url;
  return Object.defineProperty(request, "url", { value: base + path });
}
