import { assertEquals } from "@std/assert/equals";
import { limitLife } from "../support/child.ts";
import { programWords } from "../support/program.ts";
import { createLogWriter, type LineSink } from "../../lib/cli/log_writer.ts";

/** A writer into a list, which also takes what is told of lost lines. */
function writerOver(sink: LineSink): { write: (line: string) => void; lost: number[] } {
  const lost: number[] = [];
  return { write: createLogWriter(sink, (count) => lost.push(count)), lost };
}

Deno.test("createLogWriter() goes on after errors, and says how many lines were lost", () => {
  const written: string[] = [];
  let full = false;
  const { write, lost } = writerOver((line, done) => {
    if (full) return done(new Error("ENOSPC"));
    written.push(line);
    done();
  });
  write("a");
  full = true;
  ["b", "c"].forEach(write);
  assertEquals(lost, []);
  full = false;
  ["d", "e"].forEach(write);
  assertEquals([written, lost], [["a", "d", "e"], [2]]);
});

Deno.test("createLogWriter() keeps no more than 10,000 lines for a reader that stalls", () => {
  const waiting: (() => void)[] = [];
  const { write, lost } = writerOver((_, done) => waiting.push(() => done()));
  for (let i = 0; i < 10_005; i++) write("line");
  assertEquals(waiting.length, 10_000);
  waiting.splice(0).forEach((finish) => finish());
  assertEquals(lost, [5]);
  write("line");
  assertEquals(waiting.length, 1);
});

Deno.test("createLogWriter() may be told of lost lines by a line of its own", () => {
  const written: string[] = [];
  const errors: (Error | undefined)[] = [new Error("EIO"), undefined, undefined];
  const write = createLogWriter((line, done) => {
    written.push(line);
    done(errors.shift());
  }, (count) => write(`${count} lost`));
  ["a", "b"].forEach(write);
  assertEquals(written, ["a", "b", "1 lost"]);
});

Deno.test({
  name: "the program serves on when nothing can be written into its log",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const child = new Deno.Command("sh", {
      args: ["-c", 'exec "$@" 2>/dev/full', "sh", ...programWords(), "--port", "0"],
      stdin: "null",
      stdout: "piped",
    }).spawn();
    limitLife(child);
    const stdout = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const url = /http:\S+/.exec((await stdout.read()).value ?? "")![0];
    for (let i = 0; i < 5; i++) {
      const reply = await fetch(`${url}/Validate.aspx?Pin=1&SecretCode=x`);
      assertEquals([reply.status, await reply.text()], [200, "False"]);
    }
    child.kill("SIGTERM");
    assertEquals((await child.status).code, 0);
    await stdout.cancel();
  },
});
