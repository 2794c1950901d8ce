/**
 * Reasons of a failure to listen on an address.
 *
 * @module
 */

import { isIP } from "node:net";
import type { TcpAddress, UnixAddress } from "../runtime/runtime.ts";

// Reasons by the code of the system error, which both runtimes give.
const TCP_REASONS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "the port is in use by another program (stop it, or choose another port)"],
  ["EADDRNOTAVAIL", "this machine does not have this address"],
  // The node:net of Deno has this code for EADDRNOTAVAIL.
  ["EINVAL", "this machine does not have this address"],
  ["EACCES", "this user may not listen on that port"],
  ["ENOTFOUND", "this machine has no address with that name"],
  ["EMFILE", "too many files are open"],
  ["NotCapable", "the program was started without the permission to listen there"],
]);

const SOCKET_IN_USE = "the socket is in use by another program (stop it, or choose another path)";

const UNIX_REASONS: ReadonlyMap<string, string> = new Map([
  ["NotCapable", "the program was started without the permission to create a file there"],
  ["EADDRINUSE", SOCKET_IN_USE],
  // The backlog of the socket is full: its server is suspended or busy.
  ["EAGAIN", SOCKET_IN_USE],
  ["EPROTOTYPE", "the path is taken by a socket of another kind"],
  ["EMFILE", "too many files are open"],
  ["EEXIST", "the path is taken by something that is not a socket"],
  ["EACCES", "this user may not create or replace a socket there"],
  ["EPERM", "this user may not create or replace a socket there"],
  ["EROFS", "its folder is on a file system that is read-only"],
  ["ENOSPC", "the disk of its folder is full"],
  ["ENOENT", "its folder does not exist"],
  ["ENOTDIR", "what its path names as a folder is none"],
  ["ENAMETOOLONG", "the path is too long for a socket"],
  ["EINVAL", "the path is too long for a socket"],
]);

/** Failure to listen on an address; the message is a clause for a person. */
export class ListenError extends Error {
  /** The name of the class. */
  override readonly name = "ListenError";

  /**
   * Makes an error.
   *
   * @param address The address.
   * @param code The code of the system error, for instance `EADDRINUSE`.
   */
  constructor(address: TcpAddress | UnixAddress, readonly code: string) {
    const [place, reason] = "path" in address
      ? ["the socket", UNIX_REASONS.get(code)]
      : [`${address.hostname}, port ${address.port}`, tcpReason(address, code)];
    super(`cannot listen on ${place}: ${reason ?? "the address cannot be used"}`);
  }
}

// Returns the reason for a TCP address. For a host name without an address, Deno gives no code and
// Bun an arbitrary one.
function tcpReason({ hostname }: TcpAddress, code: string): string | undefined {
  const reason = TCP_REASONS.get(code);
  if (isIP(hostname) !== 0) return reason;
  const noAddress = "this machine has no address with that name";
  return code === "EADDRINUSE" ? `the port is in use, or ${noAddress}` : reason ?? noAddress;
}

/** Returns the code of a system error, for instance `EADDRINUSE`; the error's name without one. */
export function systemErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && error.code !== undefined ? String(error.code) : error.name;
}
