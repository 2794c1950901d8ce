import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { Writable } from "node:stream";
import {
  CommandError,
  readSecret,
  readStdin,
  readVariable,
  warn,
  withoutLineEnd,
  writeAll,
  writeNewFiles,
  writeOut,
} from "../../../../lib/cli/io/io.ts";
import { sink, streamOf, withProcess } from "../../../support/command.ts";
import { withFolder } from "../../../support/folder.ts";

const MOST_BYTES = 16_384;

Deno.test("writeOut() is done once all is written", async () => {
  const written: string[] = [];
  const stdout = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      queueMicrotask(() => done(void written.push(text)));
    },
  });
  await withProcess({ stdout }, async () => {
    for (const text of ["a", "b", "c"]) {
      await writeOut(text);
      assertEquals(written.at(-1), text);
    }
  });
});

Deno.test("writeOut() throws why it cannot write, but for a reader that has gone, for which writeAll() throws", async () => {
  const failing = (facts: object, write = writeOut): Promise<void> => {
    const error = Object.assign(new Error("canary"), facts);
    const stdout = new Writable({ write: (_text, _encoding, done) => done(error) });
    return withProcess({ stdout }, () => write("text"));
  };
  await failing({ code: "EPIPE" });
  await assertRejects(() => failing({ code: "EPIPE" }, writeAll), CommandError);
  const start = "standard output cannot be written to: ";
  for (
    const [facts, reason] of [[{ code: "ENOSPC" }, "the disk is full"], [
      {},
      "the system refuses",
    ]] as const
  ) {
    const { message } = await assertRejects(() => failing(facts), CommandError);
    assertEquals(message, start + reason);
  }
});

Deno.test("readSecret() reads a file of UTF-8 of so many bytes, without a byte order mark and its last line end", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/secret`;
    for (const [text, read] of [["\ufeffé\n\n", "é\n"], ["", ""]] as const) {
      Deno.writeTextFileSync(path, text);
      assertEquals(await readSecret(path), read);
    }
    Deno.writeTextFileSync(path, "x".repeat(MOST_BYTES));
    assertEquals((await readSecret(path)).length, MOST_BYTES);
    Deno.writeTextFileSync(path, "x".repeat(MOST_BYTES + 1));
    await assertRejects(() => readSecret(path), CommandError, `${path} is too long for a secret`);
    Deno.writeFileSync(path, Uint8Array.of(0xff));
    await assertRejects(() => readSecret(path), CommandError, `${path} is not UTF-8 text`);
    Deno.writeFileSync(path, Uint8Array.of(0xff, 0xfe, 0x61, 0));
    await assertRejects(
      () => readSecret(path),
      CommandError,
      `${path} is UTF-16: save it as UTF-8`,
    );
    Deno.removeSync(path);
    const { message } = await assertRejects(() => readSecret(path), CommandError);
    assertEquals(message, `cannot read ${path}: there is no such file or folder`);
  });
});

Deno.test("writeNewFiles() writes files that only the user can read, and overwrites none", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/picture`;
    await writeNewFiles([path, "first"]);
    if (Deno.build.os !== "windows") assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
    const { message } = await assertRejects(() => writeNewFiles([path, "second"]), CommandError);
    assertEquals(message, `cannot write ${path}: the file exists, and is never overwritten`);
    assertEquals(Deno.readTextFileSync(path), "first");
  });
});

Deno.test("writeNewFiles() leaves no file, whole or half, when it cannot write all", async () => {
  await withFolder(async (folder) => {
    const first = [`${folder}/first`, "text"] as const;
    // What is no text stands for a disk that is full.
    for (const second of [[`${folder}/none/a`, ""], [`${folder}/a`, {} as string]] as const) {
      await assertRejects(() => writeNewFiles(first, second), CommandError, "cannot write");
      assertEquals([...Deno.readDirSync(folder)], []);
    }
    await writeNewFiles(first);
    await assertRejects(() => writeNewFiles([`${folder}/a`, ""], first), CommandError, "exists");
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["first"]);
  });
});

Deno.test("withoutLineEnd() removes one line end, only at the end", () => {
  const texts = ["a", "a\n", "a\r\n", "a\n\n", "a\nb", "a\r", "\n"];
  assertEquals(texts.map(withoutLineEnd), ["a", "a", "a", "a\n", "a\nb", "a\r", ""]);
});

Deno.test("readVariable() is undefined where a runtime forbids to read a variable", async () => {
  const env = new Proxy({}, {
    get: (_, name) => {
      if (name === "PATH") throw new Error("not permitted");
      return "a";
    },
  });
  const read = await withProcess(
    { env },
    () => Promise.resolve([readVariable("PATH"), readVariable("HOME")]),
  );
  assertEquals(read, [undefined, "a"]);
});

Deno.test("readSecret() reads standard input to its end in pieces of any size", async () => {
  const read = (...pieces: string[]): Promise<string> =>
    withProcess({ stdin: streamOf(pieces) }, () => readSecret(undefined));
  assertEquals(await read("hu", "sh", "\n"), "hush");
  assertEquals(await read("\ufeffhush"), "hush");
  assertEquals(await read("x".repeat(MOST_BYTES), ""), "x".repeat(MOST_BYTES));
  const { message } = await assertRejects(() => read("x".repeat(MOST_BYTES), "y"), CommandError);
  assertEquals(message, "standard input is too long for a secret");
});

Deno.test("readSecret() reads the file that is named, and then nothing else", async () => {
  await withFolder(async (folder) => {
    Deno.writeTextFileSync(`${folder}/secret`, "from the file\n");
    const read = (): Promise<string> => readSecret(`${folder}/secret`);
    assertEquals(await withProcess({ stdin: streamOf(["typed\n"]) }, read), "from the file");
  });
});

Deno.test("readSecret() does not read on where standard input is too long", async () => {
  let pieces = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; pieces < 20; pieces++) yield await Promise.resolve(new Uint8Array(MOST_BYTES));
  }
  await assertRejects(
    () => withProcess({ stdin: endless() }, () => readSecret(undefined)),
    CommandError,
    "too long",
  );
  assertEquals(pieces, 1);
});

Deno.test("readStdin() returns what is typed at a terminal as lines", async () => {
  const terminal = { isTTY: true, setRawMode: () => {} };
  const stdin = Object.assign(streamOf(["123\rhush\r"]), terminal);
  const prompts = [{ what: "Pin", isShown: true }, { what: "Secret", isShown: false }];
  const typed = await withProcess(
    { stdin, stderr: sink(() => {}) },
    () => readStdin(prompts),
  );
  assertEquals(typed, "123\nhush\n");
});

Deno.test("warn() writes sentences on standard error, behind the name of the program", async () => {
  let written = "";
  const stderr = sink((text) => void (written += text));
  await withProcess({ stderr }, () => Promise.resolve(warn("Mind the gap.")));
  assertEquals(written, "authenticator: warning: Mind the gap.\n");
});

Deno.test("a CommandError is an error by its own name", () => {
  assertEquals(String(new CommandError("cannot")), "CommandError: cannot");
});
