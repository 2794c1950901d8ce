/**
 * The reasons why an address cannot be listened on.
 *
 * @module
 */

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { TcpAddress, UnixAddress } from "./runtime.ts";

// By the error codes of the system, which both runtimes give.
const TCP_REASONS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "the port is in use by another program (stop it, or choose another port)"],
  ["EADDRNOTAVAIL", "this machine does not have this address"],
  ["EACCES", "this user may not listen on that port"],
  ["ENOTFOUND", "this machine has no address with that name"],
  ["EMFILE", "too many files are open"],
  ["NotCapable", "the program was started without the permission to listen there"],
]);

/** The code of a path at which a socket is that another user made. No system has it. */
export const OTHERS_SOCKET = "OthersSocket";

const SOCKET_IN_USE = "the socket is in use by another program (stop it, or choose another path)";

const UNIX_REASONS: ReadonlyMap<string, string> = new Map([
  ["NotCapable", "the program was started without the permission to create a file there"],
  ["EADDRINUSE", SOCKET_IN_USE],
  // So many wait for it that it takes no more: it is stopped, or has much to do.
  ["EAGAIN", SOCKET_IN_USE],
  ["EPROTOTYPE", "the path is taken by a socket of another kind"],
  ["EMFILE", "too many files are open"],
  ["EEXIST", "the path is taken by something that is not a socket"],
  [OTHERS_SOCKET, "the path is taken by a socket of another user"],
  ["EACCES", "this user may not create a file in its folder"],
  ["EPERM", "this user may not create a file in its folder"],
  ["EROFS", "its folder is on a file system that is read-only"],
  ["ENOSPC", "the disk of its folder is full"],
  ["ENOENT", "its folder does not exist"],
  ["ENOTDIR", "what its path names as a folder is none"],
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
      : [`${address.hostname}, port ${address.port}`, TCP_REASONS.get(code)];
    super(`cannot listen on ${place}: ${reason ?? "the address cannot be used"}`);
  }
}

/**
 * An error as it is to be said: in the words for its address, and with a second look at a name. Of one
 * that has no address, Bun says whatever the last error was, most often that the port is in use.
 *
 * @param find Finds an address of a name, and rejects where there is none.
 */
export async function explained(
  address: TcpAddress | UnixAddress,
  error: unknown,
  find: (hostname: string) => Promise<unknown> = lookup,
): Promise<unknown> {
  if (!(error instanceof ListenError)) return error;
  const hasAddress = "path" in address || await isFound(address.hostname, find);
  return new ListenError(address, hasAddress ? error.code : "ENOTFOUND");
}

async function isFound(
  hostname: string,
  find: (hostname: string) => Promise<unknown>,
): Promise<boolean> {
  if (isIP(hostname) !== 0) return true;
  try {
    await find(hostname);
    return true;
  } catch (error) {
    // A program that may not look knows no more than before.
    return systemErrorCode(error) === "NotCapable";
  }
}

/** The system's code of an error, as `EADDRINUSE`; its name when it has none. */
export function systemErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && error.code !== undefined ? String(error.code) : error.name;
}
