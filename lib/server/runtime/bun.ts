/**
 * The server under the handler, on Bun.
 *
 * @module
 */

import http from "node:http";
import process from "node:process";
import { createSecureContext } from "node:tls";
import type { Handler } from "../../http/handler.ts";
import { withTimeout } from "./timeout.ts";
import { authorityOf, type Runtime, type Server, type ServerOptions } from "./runtime.ts";

// Bun answers a declared length above its limit with a bare 413. The handler's limit is lower and its
// answer has the form of the binding, so Bun's is put where nothing reaches it.
const MAX_REQUEST_BODY_BYTES = Number.MAX_SAFE_INTEGER;

// As large a head as Deno takes. Bun answers a larger one with a bare 431, and callers of
// `/Validate.aspx` take that for a success: 16 KiB, unless told otherwise, are not even the longest
// query with its letters escaped.
const MAX_HEAD_BYTES = 65_536;

// Above the 60 s that proxies keep an idle connection, so that they close it and not we.
const IDLE_TIMEOUT_SECONDS = 75;

// How much of a body that nobody reads is received and dropped, and how long that may take where the
// connection is closed then: to close it earlier would be a reset for a caller who still sends, and
// who would never read the reply.
const DROPPED_BYTES = 1_048_576;
const DROPPING_MS = 2_000;

// A connection without a request is left by Bun to its caller where it has sent half of a head, or
// nothing yet over TLS; and over TLS Bun says goodbye and waits for the caller's. Many callers look at a
// connection only when they have a request, so they are waited for no longer than this.
const GOODBYE_MS = 1_000;

// Of a body that did not come on, nobody knows how much is left.
const GIVEN_UP: ReadonlySet<number> = new Set([408, 503]);

// What Bun makes of each byte of a target that is not UTF-8: U+FFFD, encoded.
const REPLACED = "%EF%BF%BD";

/** This runtime; to be touched on Bun alone. */
export function bunRuntime(): Runtime {
  return {
    title: `Bun ${Bun.version}`,
    target: `${process.platform}-${process.arch}`,
    serve,
    tryTls: (tls) => void createSecureContext({ ...tls }),
    writeOut: (text) => write(process.stdout, text),
    writeError: (text) => write(process.stderr, text),
  };
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // A stream without a listener for errors would end the process. The callback of a text tells of them.
    stream.off("error", ignore).on("error", ignore)
      .write(text, (error) => error ? reject(error) : resolve());
  });
}

function ignore(): void {}

function serve({ address, tls, shared, onError }: ServerOptions, handler: Handler): Server {
  // For every server of this process, and a property that can be set on Bun alone.
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
    // Said outright, because Bun shares a port by default where `development` is off.
    ...("path" in address ? { unix: address.path } : { ...address, reusePort: shared }),
    ...(tls === undefined ? {} : { tls }),
    fetch: (request) => answer(request, place, handler),
    error: onError,
    // Otherwise the page for an error shows the source.
    development: false,
    maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
  });
  const { hostname = "", port = 0 } = server;
  return {
    address: "path" in address ? undefined : { hostname, port },
    // What it cannot accept, it tries again.
    failed: new Promise(() => {}),
    shutdown: () => shutdown(server),
  };
}

async function shutdown(server: Bun.Server): Promise<void> {
  let isStopped = false;
  const stopped = server.stop().then(() => {
    isStopped = true;
  });
  do await withTimeout(stopped, GOODBYE_MS); while (!isStopped && server.pendingRequests > 0);
  await server.stop(true);
}

/** What a request does not say of where it came to. */
interface Place {
  readonly scheme: "http" | "https";
  /** The host for a request with an empty Host, or for one without any. */
  readonly ownHost: (isMissing: boolean) => string;
}

async function answer(request: Request, place: Place, handler: Handler): Promise<Response> {
  const reply = await handler(withSentUrl(request, place));
  // Bun gives a Date to every reply but that to a HEAD (RFC 9110 §6.6.1).
  if (request.method === "HEAD") reply.headers.set("date", new Date().toUTCString());
  const rest = restOf(request, reply);
  const isLong = rest !== null && declaredLength(request) > DROPPED_BYTES;
  // Behind its reply Bun takes all that is left of a body, however long it is and whenever it comes.
  const leavesTooMuch = GIVEN_UP.has(reply.status) ||
    rest !== null && (isLong || isChunked(request));
  // RFC 9112 §9.6: to close without a word would have the caller send its next request into nowhere.
  if (leavesTooMuch || asksToClose(request)) reply.headers.set("connection", "close");
  // Before the reply, since Bun closes behind it.
  if (rest !== null && !isLong && reply.headers.get("connection") === "close") {
    await withTimeout(drop(rest), DROPPING_MS);
  }
  return reply;
}

// What no handler took of a body: all of it, or what came in chunks and was too much. A body that was
// taken is not asked for: Bun would make a stream for it.
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
    // Its sender is gone.
  }
}

// Bun takes the URL apart and puts it together again: the host of Host in lower case and without the
// port of the scheme, and none at all when there is no Host, as HTTP/1.0 allows. Callers find the host
// that they used in the WSDL, so it is put back as it was sent; for none, what Deno has there. What was
// not UTF-8 would be one text for all such bytes, and so one secret: a byte that is no UTF-8 either
// stands for it, which is refused. A caller who did send `%EF%BF%BD` is refused with it.
function withSentUrl(request: Request, { scheme, ownHost }: Place): Request {
  const url = request.url.replaceAll(REPLACED, "%FF");
  const sent = request.headers.get("host");
  const host = sent || ownHost(sent === null);
  const base = `${scheme}://${host}`;
  if (url === request.url && url.startsWith(base) && url[base.length] === "/") return request;
  const isWhole = url.startsWith(`${scheme}://`);
  // What is no URL at all, as the target of CONNECT, stays so.
  if (!isWhole && !url.startsWith("/")) return request;
  const path = isWhole ? url.slice(url.indexOf("/", scheme.length + 3)) : url;
  return Object.defineProperty(request, "url", { value: base + path });
}
