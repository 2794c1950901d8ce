import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { readOptionFile } from "../../lib/app/option_file.ts";
import { reasonOf } from "../../lib/app/reason.ts";
import { UsageError } from "../../lib/config/option.ts";

const REASONS: readonly (readonly [unknown, string])[] = [
  [{ code: "ENOENT" }, "there is no such file or folder"],
  [{ code: "EEXIST" }, "the file exists, and is never overwritten"],
  [{ code: "EACCES" }, "permission denied"],
  [{ code: "EPERM", name: "NotCapable" }, "permission denied"],
  [{ code: "EISDIR" }, "it is a folder"],
  [{ code: "ENOSPC" }, "the disk is full"],
  [{ code: "EROFS" }, "the file system is read-only"],
  [{ name: "NotCapable" }, "the program was started without the permission"],
  [new Error("canary"), "the system refuses"],
  ["canary", "the system refuses"],
];

Deno.test("reasonOf() says why in words of its own", () => {
  assertEquals(REASONS.map(([error]) => reasonOf(error)), REASONS.map(([, reason]) => reason));
});

Deno.test("readOptionFile() names the option and the reason, and not the path", () => {
  const path = Deno.makeTempFileSync();
  Deno.writeTextFileSync(path, "text");
  assertEquals(readOptionFile("apiKeysFile", path).toString(), "text");
  Deno.removeSync(path);
  const error = assertThrows(() => readOptionFile("apiKeysFile", path), UsageError);
  assertEquals(
    error.message,
    "the file of --api-keys-file cannot be read: there is no such file or folder",
  );
});
