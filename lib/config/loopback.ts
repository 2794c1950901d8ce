/**
 * Address for a connection from this machine to one of its servers.
 *
 * @module
 */

// Wildcard addresses, with the loopback address to connect to.
const LOOPBACK: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Returns the address for a connection to a server that listens on `host` of this machine. */
export function connectAddress(host: string): string {
  return LOOPBACK.get(host) ?? host;
}
