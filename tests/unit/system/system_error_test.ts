import { assertEquals } from "@std/assert/equals";
import { describeSystemError, systemErrorCode } from "../../../lib/system/system_error.ts";

const REASONS: readonly (readonly [unknown, string])[] = [
  [{ code: "ENOENT" }, "there is no such file or folder"],
  [{ code: "EEXIST" }, "the file exists, and is never overwritten"],
  [{ code: "EACCES" }, "permission denied"],
  [{ code: "EPERM", name: "NotCapable" }, "permission denied"],
  [{ code: "EISDIR" }, "it is a folder"],
  [{ code: "ENOSPC" }, "the disk is full"],
  [{ code: "EROFS" }, "the file system is read-only"],
  [{ code: "ENFILE" }, "too many files are open"],
  [{ code: "EMFILE" }, "too many files are open"],
  [{ code: "ENOTDIR" }, "a part of its path is not a folder"],
  [{ code: "ENOTSOCK" }, "the path is taken by something that is not a socket"],
  [{ code: "EPROTOTYPE" }, "the path is taken by a socket of another kind"],
  [{ code: "ENAMETOOLONG" }, "the path is too long"],
  [{ code: "EADDRNOTAVAIL" }, "this machine does not have this address"],
  [{ code: "ECONNREFUSED" }, "nothing listens there"],
  [{ code: "ECONNRESET" }, "it closes the connection"],
  [{ code: "ENOTFOUND" }, "the name has no address"],
  [{ name: "NotCapable" }, "the program was started without the permission"],
  [new Error("canary"), "the system refuses"],
  ["canary", "the system refuses"],
];

Deno.test("describeSystemError() describes an error in the program's own words", () => {
  assertEquals(
    REASONS.map(([error]) => describeSystemError(error)),
    REASONS.map(([, reason]) => reason),
  );
});

Deno.test("systemErrorCode() returns the code, or else the name", () => {
  const coded = (code: unknown): Error => Object.assign(new RangeError("canary"), { code });
  const errors = [coded("EMFILE"), coded(undefined), new RangeError("canary"), "canary", null];
  assertEquals(errors.map(systemErrorCode), ["EMFILE", "RangeError", "RangeError", "", ""]);
});
