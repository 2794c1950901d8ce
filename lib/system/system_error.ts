/**
 * System errors in words.
 *
 * @module
 */

/** Reasons by the code of a system error, or by the name of a permission error of the runtime. */
const REASONS: ReadonlyMap<string, string> = new Map([
  // Files and folders, and sockets by their path.
  ["ENOENT", "there is no such file or folder"],
  ["ENOTDIR", "a part of its path is not a folder"],
  ["EISDIR", "it is a folder"],
  ["EEXIST", "the file exists, and is never overwritten"],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["ENAMETOOLONG", "the path is too long"],
  ["ENOTSOCK", "the path is taken by something that is not a socket"],
  ["EPROTOTYPE", "the path is taken by a socket of another kind"],
  // Addresses.
  ["EADDRINUSE", "it is in use by another program (stop it, or choose another)"],
  ["EADDRNOTAVAIL", "this machine does not have this address"],
  ["ENOTFOUND", "the name has no address"],
  ["ECONNREFUSED", "nothing listens there"],
  ["ECONNRESET", "it closes the connection"],
  ["EHOSTUNREACH", "no network leads there"],
  ["ENETUNREACH", "no network leads there"],
  ["ETIMEDOUT", "it does not answer"],
  ["EAI_AGAIN", "no server of names answers"],
  // Both.
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["NotCapable", "the program was started without the permission"],
]);

/** Returns the code of a system error, for instance `EADDRINUSE`; the error's name without one. */
export function systemErrorCode(error: unknown): string {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name ?? "");
}

/**
 * Returns the reason for a system error as a clause, which quotes no part of the error's message.
 *
 * @param code The code, by `systemErrorCode`.
 * @returns undefined for any other code.
 */
export function systemErrorReason(code: string): string | undefined {
  return REASONS.get(code);
}

/** Returns the reason of an error as a clause: that of a system error, or "the system refuses". */
export function describeSystemError(error: unknown): string {
  return systemErrorReason(systemErrorCode(error)) ?? "the system refuses";
}
