import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import {
  CommandError,
  readTextFile,
  readVariable,
  withoutLineEnd,
  writeNewFile,
} from "../../lib/terminal/io.ts";
import { withFolder } from "../cli/command.ts";

const MOST_BYTES = 16_384;

Deno.test("readTextFile() reads UTF-8 of so many bytes, without a byte order mark", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/secret`;
    for (const [text, read] of [["\ufeffé\n", "é\n"], ["", ""]] as const) {
      Deno.writeTextFileSync(path, text);
      assertEquals(await readTextFile(path), read);
    }
    Deno.writeTextFileSync(path, "x".repeat(MOST_BYTES));
    assertEquals((await readTextFile(path)).length, MOST_BYTES);
    Deno.writeTextFileSync(path, "x".repeat(MOST_BYTES + 1));
    await assertRejects(() => readTextFile(path), CommandError, `${path} is too long for a secret`);
    Deno.writeFileSync(path, Uint8Array.of(0xff));
    await assertRejects(() => readTextFile(path), CommandError, `${path} is not UTF-8 text`);
    Deno.removeSync(path);
    const { message } = await assertRejects(() => readTextFile(path), CommandError);
    assertEquals(message, `cannot read ${path}: there is no such file or folder`);
  });
});

Deno.test("writeNewFile() writes for the user alone, and nothing over what is there", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/picture`;
    await writeNewFile(path, "first");
    if (Deno.build.os !== "windows") assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
    const { message } = await assertRejects(() => writeNewFile(path, "second"), CommandError);
    assertEquals(message, `cannot write ${path}: the file exists, and is never overwritten`);
    assertEquals(Deno.readTextFileSync(path), "first");
  });
});

Deno.test("withoutLineEnd() takes one line end off, at the end alone", () => {
  const texts = ["a", "a\n", "a\r\n", "a\n\n", "a\nb", "a\r", "\n"];
  assertEquals(texts.map(withoutLineEnd), ["a", "a", "a", "a\n", "a\nb", "a\r", ""]);
});

Deno.test("readVariable() tells a variable that is not there from one that may not be read", () => {
  assertEquals(readVariable("AUTHENTICATOR_NO_SUCH_VARIABLE"), {
    value: undefined,
    readable: true,
  });
});

Deno.test("a CommandError is an error by its own name", () => {
  assertEquals(String(new CommandError("cannot")), "CommandError: cannot");
});
