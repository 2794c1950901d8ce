/**
 * The server under the handler, on Deno.
 *
 * @module
 */

import type { Handler } from "../../http/handler.ts";
import { sleep } from "./timeout.ts";
import { authorityOf, type Runtime, type Server, type ServerOptions, type Tls } from "./runtime.ts";

// How long to wait until a pipe is tried again that would not wait itself.
const FULL_PIPE_PAUSE_MS = 50;

/** This runtime; to be touched on Deno alone. */
export function denoRuntime(): Runtime {
  return {
    title: `Deno ${Deno.version.deno}`,
    target: Deno.build.target,
    serve,
    tryTls,
    writeOut: (text) => write(Deno.stdout, text),
    writeError: (text) => write(Deno.stderr, text),
  };
}

function serve({ address, tls, shared, onError }: ServerOptions, handler: Handler): Server {
  // Without an onListen of ours, Deno writes a line of its own.
  const common = { onListen: () => {}, onError };
  // The handler takes a request and no more: its second argument would cost time to make.
  const answer = (request: Request): Promise<Response> =>
    request.method === "CONNECT" ? lastReply(handler(request)) : handler(request);
  if ("path" in address) {
    const answerAtHost = (request: Request): Promise<Response> => answer(withHost(request));
    return asServer(Deno.serve({ ...common, path: address.path }, answerAtHost), undefined);
  }
  const ofAddress = (request: Request): Promise<Response> =>
    answer(
      request.headers.get("host") === ""
        ? withAuthority(request, authorityOf(server.addr))
        : request,
    );
  const server = Deno.serve({ ...common, ...address, ...tls, reusePort: shared }, ofAddress);
  const { hostname, port } = server.addr;
  return asServer(server, { hostname, port });
}

// By a client, which reads them as a server does and needs no port. Where none can be made at all, for
// instance for want of the file of DENO_CERT, nothing is known.
function tryTls(tls: Tls): void {
  try {
    Deno.createHttpClient({}).close();
  } catch {
    return;
  }
  Deno.createHttpClient({ ...tls }).close();
}

// Deno ends a server when a connection cannot be accepted. Left alone, that would end the process.
function asServer(server: Deno.HttpServer, address: Server["address"]): Server {
  let isTold = false;
  const failed = new Promise<void>((resolve) => {
    const ended = (): void => {
      if (!isTold) resolve();
    };
    server.finished.then(ended, ended);
  });
  const shutdown = (): Promise<void> => {
    isTold = true;
    return server.shutdown();
  };
  return { address, failed, shutdown };
}

// To the last request of a connection: what comes behind a CONNECT is not to be read as requests. Deno
// reads on, whatever a reply says of the connection (denoland/deno#9411), and closes it only where a
// reply is shorter than it says. So this one is, by a byte.
async function lastReply(replying: Promise<Response>): Promise<Response> {
  const reply = await replying;
  const { status, headers } = reply;
  const bytes = await reply.bytes();
  headers.set("content-length", String(bytes.length + 1));
  // As a stream, since Deno counts what is not one.
  return new Response(new Blob([bytes]).stream(), { status, headers });
}

// Without a Host, as HTTP/1.0 allows, the path of the socket stands in its place, encoded; the host
// is then the one that there would be on a port.
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

// Not by the streams of node:process, which wait for their reader and let nothing else run.
async function write(stream: Pick<typeof Deno.stdout, "write">, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length;) {
    try {
      start += await stream.write(bytes.subarray(start));
    } catch (error) {
      // A pipe that another program made so, and shares with us, is full.
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      await sleep(FULL_PIPE_PAUSE_MS);
    }
  }
}
