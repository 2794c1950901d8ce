/**
 * HTTP client of the commands.
 *
 * @module
 */

import http from "node:http";
import https from "node:https";

/** Default timeout of a reply, in milliseconds. */
export const TIMEOUT_MS = 5_000;

/** Request to a server, by its address or its socket. */
export interface ServerRequest extends http.RequestOptions {
  /** TLS in place of plain HTTP. */
  readonly isTls?: boolean;
  /** The authorities (PEM) that the server's certificate is checked by; unchecked without. */
  readonly ca?: string[];
  /** The body; undefined for none. */
  readonly body?: string | undefined;
  /** The timeout of the reply, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Sends a request, and returns the reply, whose body is yet to come. */
export function send(
  { isTls = false, ca, body, timeoutMs = TIMEOUT_MS, ...options }: ServerRequest,
): Promise<http.IncomingMessage> {
  const { request, Agent } = isTls ? https : http;
  return new Promise((resolve, reject) => {
    request({
      ...options,
      signal: AbortSignal.timeout(timeoutMs),
      // No proxy of the environment (NODE_USE_ENV_PROXY): it would read secrets and API keys.
      agent: new Agent({ proxyEnv: {} } as http.AgentOptions),
      // Without `ca`, Deno asks for permission to read the certificates of the system.
      ...(isTls && { rejectUnauthorized: ca !== undefined, ca: ca ?? [] }),
    }).on("response", resolve).on("error", reject).end(body);
  });
}

// Wildcard addresses, with the loopback address to connect to.
const LOOPBACK: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Returns the address for a connection to a server that listens on `host` of this machine. */
export function connectAddress(host: string): string {
  return LOOPBACK.get(host) ?? host;
}
