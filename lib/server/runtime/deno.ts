/**
 * Runtime Deno.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { LINGER_MS } from "../../http/body.ts";
import type { Handler } from "../../http/handler.ts";
import { NativeMemory } from "./native_memory.ts";
import { sleep } from "./timeout.ts";
import {
  authorityOf,
  type Runtime,
  type Server,
  type ServerFailure,
  type ServerOptions,
  type Tls,
} from "./runtime.ts";

// Pause before the next write to a full non-blocking pipe.
const FULL_PIPE_PAUSE_MS = 50;

// Time and number of requests between two looks at the memory: requests that follow each other
// closely leave a timer no turn.
const LOOK_MS = 100;
const REQUESTS_BETWEEN_LOOKS = 200;

// Number of requests over TLS after which other connections get a turn.
const REQUESTS_BETWEEN_TURNS = 8;

/** Makes the runtime Deno; fails on any other. */
export function denoRuntime(): Runtime {
  return {
    title: `Deno ${Deno.version.deno}`,
    target: Deno.build.target,
    sharesPorts: Deno.build.os !== "windows",
    serve,
    tryTls,
    writeOut: (text) => write(Deno.stdout, text),
    writeError: (text) => write(Deno.stderr, text),
  };
}

function serve(
  { address, tls, shared, limitsMemory, onError, peers }: ServerOptions,
  handler: Handler,
): Server {
  const stopper = new AbortController();
  const watch = new MemoryWatch(limitsMemory);
  // Without onListen, Deno writes its own line.
  const common = { onListen: () => {}, onError, signal: stopper.signal };
  const fair = tls === undefined ? handler : fairOverTls(handler);
  // One parameter only: Deno spends time on the second argument if it is declared.
  const answer = async (request: Request): Promise<Response> => {
    watch.count();
    const { method } = request;
    const reply = await fair(request);
    if (method === "CONNECT") return lastReply(reply);
    // Deno leaves the rest of a body that was begun to its reader, and keeps the connection. Over TLS,
    // it is held already.
    if (reply.status === 413 && request.bodyUsed) request.body?.cancel().catch(() => {});
    return reply;
  };
  if ("path" in address) {
    const answerAtHost = (request: Request): Promise<Response> => answer(withHost(request));
    const server = Deno.serve({ ...common, path: address.path }, answerAtHost);
    return asServer(server, undefined, watch, stopper);
  }
  const ofAddress = (request: Request): Promise<Response> =>
    answer(
      request.headers.get("host") === ""
        ? withAuthority(request, authorityOf(server.addr))
        : request,
    );
  const withPeer = (request: Request, { remoteAddr }: Deno.ServeHandlerInfo): Promise<Response> => {
    if ("hostname" in remoteAddr) peers?.set(request, remoteAddr.hostname);
    return ofAddress(request);
  };
  const server = Deno.serve(
    { ...common, ...address, ...tls, reusePort: shared },
    peers === undefined ? ofAddress : withPeer,
  );
  const { hostname, port } = server.addr;
  return asServer(server, { hostname, port }, watch, stopper);
}

// Makes a client, which parses the files as a server does and needs no port. If no client can be
// made at all, for instance because the file of DENO_CERT is missing, the files are not checked.
function tryTls(tls: Tls): void {
  try {
    Deno.createHttpClient({}).close();
  } catch {
    return;
  }
  Deno.createHttpClient({ ...tls }).close();
}

// Adapts a server of Deno. A failed accept ends the server; unhandled, it would end the process
// (tests/integration/upstream/deno_accept.md).
function asServer(
  server: Deno.HttpServer,
  address: Server["address"],
  watch: MemoryWatch,
  stopper: AbortController,
): Server {
  let isStopping = false;
  const failed = new Promise<ServerFailure>((resolve) => {
    const ended = (): void => {
      watch.stop();
      if (!isStopping) resolve("not-accepting");
    };
    server.finished.then(ended, ended);
    void watch.full.then(() => resolve("memory"));
  });
  return {
    address,
    failed,
    shutdown: () => {
      isStopping = true;
      return server.shutdown();
    },
    abort: () => {
      isStopping = true;
      watch.stop();
      stopper.abort();
    },
  };
}

// Watch of what Deno 2.9.6 keeps in memory for connections, without a limit: over HTTP/2, replies
// that their callers do not take, and empty DATA frames behind them
// (tests/integration/upstream/deno_http2_replies.md,
// tests/integration/upstream/deno_http2_empty_data.md). Over TLS it gets no turn while one caller sends
// without a pause (tests/integration/upstream/deno_tls_turns.md). No option turns HTTP/2 off
// (tests/integration/upstream/deno_http2_option.md), and `completed` does not tell which replies wait
// (tests/integration/upstream/deno_completed.md).
class MemoryWatch {
  /** Resolves when it is too much; else never. */
  readonly full: Promise<void>;
  #resolve: () => void;
  readonly #memory = new NativeMemory(Deno.memoryUsage);
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #requests = 0;

  constructor(isOn: boolean) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.full = promise;
    this.#resolve = resolve;
    if (!isOn) return;
    const timer = setInterval(() => this.#look(), LOOK_MS);
    Deno.unrefTimer(timer);
    this.#timer = timer;
    this.#look();
  }

  /** Counts a request. */
  count(): void {
    if (this.#timer !== undefined && ++this.#requests % REQUESTS_BETWEEN_LOOKS === 0) this.#look();
  }

  /** Ends the looks. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#memory.hasGrown()) this.#resolve();
  }
}

// Makes the reply to a CONNECT, after which the connection must be closed: the bytes that follow
// are no requests. Deno ignores `Connection: close` in a reply (denoland/deno#9411) and closes only
// after a reply shorter than its Content-Length, so this one lacks a byte.
async function lastReply(reply: Response): Promise<Response> {
  const { status, headers } = reply;
  const bytes = await reply.bytes();
  headers.set("content-length", String(bytes.length + 1));
  // Sent as a stream, since Deno sets the length of any other body.
  return new Response(new Blob([bytes]).stream(), { status, headers });
}

// Makes a handler that gives other connections their turns over TLS, where Deno 2.9.6 stays with one
// whose caller sends without a pause (tests/integration/upstream/deno_tls_turns.md): with pipelined
// requests, and with the rest of a chunked body, which it drops. It drops none that has a reader.
function fairOverTls(handler: Handler): Handler {
  let requests = 0;
  return async (request) => {
    if (++requests % REQUESTS_BETWEEN_TURNS === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const reply = await handler(request);
    // `get`, not `has`: for `has`, Deno copies all fields.
    if (request.headers.get("transfer-encoding") !== null) holdBody(bodyOf(request));
    return reply;
  };
}

// Gives a body a reader, which reads nothing, and cancels it once the reply has had the time to arrive,
// which closes the connection.
function holdBody(body: Request["body"]): void {
  // The reader of a late body is cancelled where it is.
  if (body === null || body.locked) return;
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), LINGER_MS);
  const end = (): void => clearTimeout(timer);
  reader.closed.then(end, end);
}

// Returns the body of a request, also of a GET or HEAD, which Deno hides: it asks the request that it
// keeps inside for the method.
function bodyOf(request: Request): Request["body"] {
  const key = Object.getOwnPropertySymbols(request).find(({ description }) =>
    description === "request"
  );
  const inner = key && (request as unknown as Readonly<Record<symbol, object>>)[key];
  if (inner) Object.defineProperty(inner, "method", { value: "POST" });
  return request.body;
}

// Sets the host `localhost` for a request without a Host, which HTTP/1.0 allows; Deno uses the
// encoded path of the socket instead.
function withHost(request: Request): Request {
  const { url } = request;
  if (!url.startsWith("http+unix://%") || request.headers.get("host")) return request;
  return withAuthority(request, "localhost", "http");
}

function withAuthority(request: Request, authority: string, scheme?: string): Request {
  const { url } = request;
  const base = `${scheme ?? url.slice(0, url.indexOf(":"))}://${authority}`;
  return Object.defineProperty(request, "url", { value: url.replace(/^[^:]*:\/\/[^/?]*/, base) });
}

// Writes without the streams of node:process, which would block the process until their reader
// reads.
async function write(stream: Pick<typeof Deno.stdout, "write">, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length;) {
    try {
      start += await stream.write(bytes.subarray(start));
    } catch (error) {
      // The pipe is full, and another program that shares it made it non-blocking.
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      await sleep(FULL_PIPE_PAUSE_MS);
    }
  }
}
