/**
 * Reasons of system errors, in words.
 *
 * @module
 */

// Reasons by the code of a system error, or by the name of a permission error of the runtime.
const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or folder"],
  ["EEXIST", "the file exists, and is never overwritten"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EISDIR", "it is a folder"],
  ["ENOSPC", "the disk is full"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["EROFS", "the file system is read-only"],
  ["NotCapable", "the program was started without the permission"],
]);

/** Returns the reason of a failure as a clause, which quotes no part of the error's message. */
export function describeSystemError(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return REASONS.get(String(code)) ?? REASONS.get(String(name)) ?? "the system refuses";
}
