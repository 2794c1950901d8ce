/**
 * Error of listening on an address.
 *
 * @module
 */

import { isIP } from "node:net";
import { systemErrorReason } from "../../system/system_error.ts";
import type { TcpAddress, UnixAddress } from "../runtime/runtime.ts";

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
      ? ["the socket", socketReason(code)]
      : [`${address.hostname}, port ${address.port}`, portReason(address, code)];
    super(`cannot listen on ${place}: ${reason ?? "the address cannot be used"}`);
  }
}

function socketReason(code: string): string | undefined {
  if (code === "EINVAL") return systemErrorReason("ENAMETOOLONG");
  if (code === "ENOENT") return "its folder does not exist";
  // The backlog of the socket is full: its server is suspended or busy.
  return systemErrorReason(code === "EAGAIN" ? "EADDRINUSE" : code);
}

// For a host name without an address, Deno gives no code and Bun an arbitrary one.
function portReason({ hostname }: TcpAddress, code: string): string | undefined {
  // The node:net of Deno has EINVAL for EADDRNOTAVAIL.
  const reason = systemErrorReason(code === "EINVAL" ? "EADDRNOTAVAIL" : code);
  if (isIP(hostname) !== 0) return reason;
  const noAddress = systemErrorReason("ENOTFOUND");
  return code === "EADDRINUSE" ? `it is in use, or ${noAddress}` : reason ?? noAddress;
}
