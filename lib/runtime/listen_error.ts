/**
 * The reasons why an address cannot be listened on.
 *
 * @module
 */

import { isIP } from "node:net";
import type { TcpAddress, UnixAddress } from "./runtime.ts";

const PORT_IN_USE = "the port is in use by another program";
const NOT_HERE = "this machine has no address with that name";

// By the error codes of the system, which both runtimes give.
const TCP_REASONS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", `${PORT_IN_USE} (stop it, or choose another port)`],
  ["EADDRNOTAVAIL", "this machine does not have this address"],
  ["EACCES", "this user may not listen on that port"],
  ["EMFILE", "too many files are open"],
  ["NotCapable", "the program was started without the permission to listen there"],
]);

// Of a name that does not resolve, Bun says whatever the last error was, most often EADDRINUSE.
const NAME_IN_USE = `${PORT_IN_USE}, or ${NOT_HERE}`;

const SOCKET_IN_USE = "the socket is in use by another program (stop it, or choose another path)";

const UNIX_REASONS: ReadonlyMap<string, string> = new Map([
  ["NotCapable", "the program was started without the permission to create a file there"],
  ["EADDRINUSE", SOCKET_IN_USE],
  // So many wait for it that it takes no more: it is stopped, or has much to do.
  ["EAGAIN", SOCKET_IN_USE],
  ["EPROTOTYPE", "the path is taken by a socket of another kind"],
  ["EMFILE", "too many files are open"],
  ["EEXIST", "the path is taken by something that is not a socket"],
  ["EACCES", "this user may not create a file there"],
  ["EPERM", "this user may not create a file there"],
  ["EROFS", "this user may not create a file there"],
  ["ENOENT", "its folder does not exist"],
  ["ENOTDIR", "its folder does not exist"],
  ["ENAMETOOLONG", "the path is too long for a socket"],
  ["EINVAL", "the path is too long for a socket"],
]);

/** The address cannot be listened on; the message is a clause for a person. */
export class ListenError extends Error {
  /** The name of the class. */
  override readonly name = "ListenError";

  /**
   * Makes an error.
   *
   * @param address Where it was tried.
   * @param code The system's code of the error, as `EADDRINUSE`.
   */
  constructor(address: TcpAddress | UnixAddress, readonly code: string) {
    const [place, reason] = "path" in address
      ? ["the socket", UNIX_REASONS.get(code)]
      : [`${address.hostname}, port ${address.port}`, tcpReason(address, code)];
    super(`cannot listen on ${place}: ${reason ?? "the address cannot be used"}`);
  }
}

function tcpReason({ hostname }: TcpAddress, code: string): string | undefined {
  const reason = TCP_REASONS.get(code);
  if (isIP(hostname) !== 0 || hostname === "localhost") return reason;
  return code === "EADDRINUSE" ? NAME_IN_USE : reason ?? NOT_HERE;
}

/** The system's code of an error, as `EADDRINUSE`; its name when it has none. */
export function systemErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && error.code !== undefined ? String(error.code) : error.name;
}
