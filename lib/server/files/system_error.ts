/**
 * Why the system refuses something, in words.
 *
 * @module
 */

// By the code of the system's error, or the name of the error for what the runtime itself forbids.
const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or folder"],
  ["EEXIST", "the file exists, and is never overwritten"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EISDIR", "it is a folder"],
  ["ENOSPC", "the disk is full"],
  ["EROFS", "the file system is read-only"],
  ["NotCapable", "the program was started without the permission"],
]);

/** Why something failed, as a clause; nothing of what the error says, which may be anything. */
export function describeSystemError(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return REASONS.get(String(code)) ?? REASONS.get(String(name)) ?? "the system refuses";
}
