/**
 * Where a server is reached that listens at an address.
 *
 * @module
 */

// Addresses that mean all of this machine, and the one to reach them by.
const LOOPBACK: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** The address at which this machine reaches a server that listens at another. */
export function connectAddress(host: string): string {
  return LOOPBACK.get(host) ?? host;
}
