import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { readOptionFile, readOptionText } from "../../../../lib/server/files/option_file.ts";
import { UsageError } from "../../../../lib/config/option.ts";
import { withFolder } from "../../../support/command.ts";

const MOST_BYTES = 1_048_576;
const TOO_LARGE = "the file of --api-keys-file cannot be read: it has more than 1 MiB";

function read(path: string): string {
  return readOptionFile("apiKeysFile", path).toString();
}

function messageOf(path: string): string {
  return assertThrows(() => read(path), UsageError).message;
}

Deno.test("readOptionFile() names the option and the reason, and not the path", async () => {
  await withFolder((folder) => {
    const path = `${folder}/file`;
    Deno.writeTextFileSync(path, "text");
    assertEquals(read(path), "text");
    Deno.removeSync(path);
    const cannot = "the file of --api-keys-file cannot be read: ";
    assertEquals(messageOf(path), `${cannot}there is no such file or folder`);
    assertEquals(messageOf(folder), `${cannot}it is a folder`);
    return Promise.resolve();
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
    return Promise.resolve();
  });
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
    return Promise.resolve();
  });
});
