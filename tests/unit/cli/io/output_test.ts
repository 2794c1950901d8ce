import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { Writable } from "node:stream";
import { writeStderr, writeStdout } from "../../../../lib/cli/io/output.ts";
import { sink, withProcess } from "../../../support/command.ts";

Deno.test("texts on standard output and standard error are written in their order, one at a time", async () => {
  let written = "";
  const [stdout, stderr] = ["<", ">"].map((mark) => sink((text) => void (written += mark + text)));
  await withProcess({ stdout, stderr }, async () => {
    writeStderr("a");
    const written = writeStdout("b");
    writeStderr("c\n");
    await written;
  });
  assertEquals(written, ">a<b>c\n");
});

Deno.test("a failed write to standard error is ignored, one to standard output is not", async () => {
  const failing = (): Writable =>
    new Writable({ write: (_text, _encoding, done) => done(new Error("canary")) });
  let written = "";
  const stdout = sink((text) => void (written += text));
  await withProcess({ stdout, stderr: failing() }, async () => {
    writeStderr("text");
    await writeStdout("after");
  });
  assertEquals(written, "after");
  await withProcess({ stdout: failing() }, async () => {
    await assertRejects(() => writeStdout("text"), Error, "canary");
  });
});
