import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import {
  isUtf16,
  readOptionFile,
  readOptionText,
} from "../../../../lib/server/files/option_file.ts";
import { UsageError } from "../../../../lib/config/option.ts";
import { limitLife, spawn } from "../../../support/child.ts";
import { withFolder } from "../../../support/folder.ts";

const MOST_BYTES = 1_048_576;
const TOO_LARGE = "the file of --api-keys-file cannot be read: it has more than 1 MiB";

function read(path: string): string {
  return readOptionFile("apiKeysFile", path).toString();
}

function messageOf(path: string): string {
  return assertThrows(() => read(path), UsageError).message;
}

Deno.test("readOptionFile() names the option, the reason and a flaw of the path, and not the path", async () => {
  await withFolder((folder) => {
    const path = `${folder}/file`;
    Deno.writeTextFileSync(path, "text");
    assertEquals(read(path), "text");
    Deno.removeSync(path);
    const cannot = "the file of --api-keys-file cannot be read: ";
    assertEquals(messageOf(path), `${cannot}there is no such file or folder`);
    assertEquals(messageOf(folder), `${cannot}it is a folder`);
    const none = "there is no such file or folder; its path ends with white space";
    assertEquals(messageOf(`${path} `), `${cannot}${none}`);
  });
});

Deno.test("readOptionFile() reads 1 MiB and no more", async () => {
  await withFolder((folder) => {
    const path = `${folder}/file`;
    for (const length of [0, 1, 100_000, MOST_BYTES]) {
      const bytes = new Uint8Array(length).map((_, i) => i * 7);
      Deno.writeFileSync(path, bytes);
      assertEquals(readOptionFile("apiKeysFile", path).equals(bytes), true, String(length));
    }
    Deno.writeFileSync(path, new Uint8Array(MOST_BYTES + 1));
    assertEquals(messageOf(path), TOO_LARGE);
    // Nobody has the memory for this one, most of which is nowhere on the disk.
    Deno.truncateSync(path, 2 ** 40);
    assertEquals(messageOf(path), TOO_LARGE);
  });
});

Deno.test({
  name: "readOptionFile() reads no more than 1 MiB of what has no size, and closes it",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    assertEquals(messageOf("/dev/zero"), TOO_LARGE);
    await withFolder(async (folder) => {
      const script = `mkfifo "$0" && echo && exec head -c "$1" /dev/zero > "$0"`;
      const rows = [[MOST_BYTES, MOST_BYTES, null], [
        2 * MOST_BYTES,
        TOO_LARGE,
        "SIGPIPE",
      ]] as const;
      for (const [length, expected, signal] of rows) {
        const path = `${folder}/${length}`;
        const writer = spawn("/bin/sh", {
          args: ["-c", script, path, String(length)],
          stdin: "null",
          stdout: "piped",
          stderr: "null",
        });
        limitLife(writer, 60_000);
        // Wait for the pipe: its reader waits for the writer.
        const output = writer.stdout.getReader();
        await output.read();
        assertEquals(typeof expected === "number" ? read(path).length : messageOf(path), expected);
        assertEquals((await writer.status).signal, signal);
        await output.cancel();
      }
    });
  },
});

Deno.test("readOptionText() drops a byte order mark of UTF-8, and names UTF-16", async () => {
  await withFolder((folder) => {
    const path = `${folder}/file`;
    Deno.writeFileSync(path, Uint8Array.of(0xEF, 0xBB, 0xBF, 0x61));
    assertEquals(readOptionText("apiKeysFile", path), "a");
    for (const bytes of [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]]) {
      Deno.writeFileSync(path, Uint8Array.from(bytes));
      assertThrows(
        () => readOptionText("apiKeysFile", path),
        UsageError,
        "the file of --api-keys-file is UTF-16: save it as UTF-8",
      );
    }
  });
});

Deno.test("isUtf16() needs both bytes of the mark: in Windows-1252, þ and ÿ are letters", () => {
  const rows: readonly (readonly [readonly number[], boolean])[] = [
    [[0xFF, 0xFE], true],
    [[0xFE, 0xFF], true],
    [[0xFE, 0x61], false],
    [[0xFF, 0x61], false],
    [[0xFE, 0xFE], false],
    [[0xFF, 0xFF], false],
    [[0x61, 0xFE], false],
    [[0x61, 0xFF], false],
    [[0xFE], false],
    [[], false],
  ];
  for (const [bytes, expected] of rows) assertEquals(isUtf16(bytes), expected, String(bytes));
});
