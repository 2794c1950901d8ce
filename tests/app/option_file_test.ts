import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { readOptionFile } from "../../lib/app/option_file.ts";
import { UsageError } from "../../lib/config/option.ts";
import { withFolder } from "../cli/command.ts";
import { runToEnd } from "../support/child.ts";

const MOST_BYTES = 1_048_576;
const TOO_LARGE = "the file of --api-keys-file cannot be read: it has more than 1 MiB";

function read(path: string, patienceMs?: number): string {
  return readOptionFile("apiKeysFile", path, patienceMs).toString();
}

function messageOf(path: string, patienceMs?: number): string {
  return assertThrows(() => read(path, patienceMs), UsageError).message;
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

Deno.test("readOptionFile() reads 1 MiB of a device and no more", () => {
  assertEquals([messageOf("/dev/zero"), read("/dev/null")], [TOO_LARGE, ""]);
});

/** Reads what a shell writes into a pipe, or says why not. */
async function piped(script: string): Promise<string> {
  let text = "";
  await withFolder(async (folder) => {
    const pipe = `${folder}/pipe`;
    await runToEnd(["mkfifo", pipe]);
    const args = ["-c", `${script} >"$0"`, pipe];
    const writer = new Deno.Command("sh", { args, stdin: "null", stderr: "null" }).spawn();
    try {
      text = read(pipe);
    } catch (error) {
      text = (error as Error).message;
    }
    await writer.status;
  });
  return text;
}

Deno.test("readOptionFile() waits for who writes to a pipe, until all is written", async () => {
  assertEquals(await piped("{ echo one; sleep 0.2; echo two; }"), "one\ntwo\n");
  const long = "x".repeat(300_000);
  assertEquals(await piped(`printf '%0300000d' 0 | tr 0 x`), long);
});

Deno.test("readOptionFile() reads as little of a pipe as of a file", async () => {
  assertEquals(await piped("yes"), TOO_LARGE);
});

Deno.test("readOptionFile() does not wait for ever for who writes to a pipe", async () => {
  const late =
    "the file of --api-keys-file cannot be read: it is a pipe or a device that did not " +
    "end within a minute";
  await withFolder(async (folder) => {
    await runToEnd(["mkfifo", `${folder}/pipe`]);
    assertEquals(messageOf(`${folder}/pipe`, 50), late);
    // A writer that writes nothing, and one that does not end.
    for (const text of ["", "text"]) {
      using writer = await Deno.open(`${folder}/pipe`, { read: true, write: true });
      if (text !== "") await writer.write(new TextEncoder().encode(text));
      assertEquals(messageOf(`${folder}/pipe`, 50), late);
    }
  });
});
