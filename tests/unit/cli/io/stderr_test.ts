import { assertEquals } from "@std/assert/equals";
import { Writable } from "node:stream";
import { writeStderr } from "../../../../lib/cli/io/stderr.ts";
import { sink, withProcess } from "../../../support/command.ts";

Deno.test("say() writes to standard error, and no listeners pile up", async () => {
  let written = "";
  const stderr = sink((text) => void (written += text));
  await withProcess({ stderr }, () => Promise.resolve(["a", "b\n", "c"].forEach(writeStderr)));
  assertEquals([written, stderr.listenerCount("error")], ["ab\nc", 1]);
});

Deno.test("say() goes on where standard error fails, at once or later", async () => {
  const later = new Writable({ write: (_text, _encoding, done) => done(new Error("canary")) });
  const atOnce = sink(() => {
    throw new Error("canary");
  });
  for (const stderr of [later, atOnce]) {
    await withProcess({ stderr }, () => {
      writeStderr("text");
      return new Promise((resolve) => setTimeout(resolve));
    });
  }
  assertEquals(later.errored?.message, "canary");
});
