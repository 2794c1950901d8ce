/**
 * The server under the handler, on Bun.
 *
 * @module
 */

import process from "node:process";
import type { Handler } from "../http/handler.ts";
import type { Runtime, Server, ServerOptions } from "./runtime.ts";

// Bun answers a declared length above its limit with a bare 413. The handler's limit is lower and its
// answer has the form of the binding, so Bun's is put where nothing reaches it.
const MAX_REQUEST_BODY_BYTES = Number.MAX_SAFE_INTEGER;

// Above the 60 s that proxies keep an idle connection, so that they close it and not we.
const IDLE_TIMEOUT_SECONDS = 75;

/** This runtime; to be touched on Bun alone. */
export function bunRuntime(): Runtime {
  return {
    title: `Bun ${Bun.version}`,
    target: `${process.platform}-${process.arch}`,
    serve,
  };
}

function serve({ address, tls, shared }: ServerOptions, handler: Handler): Server {
  const scheme = tls === undefined ? "http" : "https";
  const server = Bun.serve({
    // Said outright, because Bun shares a port by default where `development` is off.
    ...("path" in address ? { unix: address.path } : { ...address, reusePort: shared }),
    ...(tls === undefined ? {} : { tls }),
    fetch: (request) => handler(withSentHost(request, scheme)),
    // Otherwise the page for an error shows the source.
    development: false,
    maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
  });
  const { hostname = "", port = 0 } = server;
  return {
    address: "path" in address ? address : { hostname, port },
    shutdown: () => server.stop(),
  };
}

// Bun takes the URL apart and puts it together again: the host of Host in lower case and without the
// port of the scheme, and none at all when there is no Host, as HTTP/1.0 allows. Callers find the host
// that they used in the WSDL, so it is put back as it was sent; for none, what Deno has there.
function withSentHost(request: Request, scheme: string): Request {
  const { url } = request;
  const host = request.headers.get("host") || "localhost";
  const base = `${scheme}://${host}`;
  if (url.startsWith(base) && url[base.length] === "/") return request;
  const isWhole = url.startsWith(`${scheme}://`);
  // What is no URL at all, as the target of CONNECT, stays so.
  if (!isWhole && !url.startsWith("/")) return request;
  const path = isWhole ? url.slice(url.indexOf("/", scheme.length + 3)) : url;
  return Object.defineProperty(request, "url", { value: base + path });
}
