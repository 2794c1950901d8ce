/**
 * The server under the handler, on Deno.
 *
 * @module
 */

import type { Handler } from "../http/handler.ts";
import type { Runtime, Server, ServerOptions } from "./runtime.ts";

/** This runtime; to be touched on Deno alone. */
export function denoRuntime(): Runtime {
  return {
    title: `Deno ${Deno.version.deno}`,
    target: Deno.build.target,
    serve,
  };
}

function serve({ address, tls, shared }: ServerOptions, handler: Handler): Server {
  // Without an onListen of ours, Deno writes a line of its own.
  const common = { onListen: () => {} };
  // The handler takes a request and no more: its second argument would cost time to make.
  const answer = (request: Request): Promise<Response> => handler(request);
  if ("path" in address) {
    const server = Deno.serve({ ...common, path: address.path }, answer);
    return { address, shutdown: () => server.shutdown() };
  }
  const server = Deno.serve({ ...common, ...address, ...tls, reusePort: shared }, answer);
  const { hostname, port } = server.addr;
  return { address: { hostname, port }, shutdown: () => server.shutdown() };
}
