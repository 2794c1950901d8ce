/**
 * HTTP client of the commands, for servers on this machine.
 *
 * @module
 */

import http from "node:http";
import https from "node:https";

/** Timeout of a server, in milliseconds. */
export const TIMEOUT_MS = 5_000;

/** Request to a server, by its address or its socket. */
export interface LocalRequest extends http.RequestOptions {
  /** Whether to speak TLS, without a check of the certificate. */
  readonly isTls?: boolean;
  /** The body; undefined for none. */
  readonly body?: string | undefined;
  /** The timeout of the server, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Sends a request, and returns the reply, whose body is yet to come. */
export function send(
  { isTls = false, body, timeoutMs = TIMEOUT_MS, ...options }: LocalRequest,
): Promise<http.IncomingMessage> {
  const { request, Agent } = isTls ? https : http;
  return new Promise((resolve, reject) => {
    request({
      ...options,
      signal: AbortSignal.timeout(timeoutMs),
      // No proxy of the environment (NODE_USE_ENV_PROXY): it would read secrets and API keys.
      agent: new Agent({ proxyEnv: {} } as http.AgentOptions),
      // Without `ca`, Deno asks for permission to read the certificates of the system.
      ...(isTls && { rejectUnauthorized: false, ca: [] }),
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
