import { assertEquals } from "@std/assert/equals";
import { LogWriter } from "../../../lib/server/log_writer.ts";

Deno.test("a LogWriter writes the lines written in one moment together, in their order", async () => {
  const written: string[] = [];
  const writer = new LogWriter(async (text) => void await written.push(text), () => {});
  ["a\n", "b\n", "c\n"].forEach((line) => writer.write(line));
  await writer.flush();
  writer.write("d\n");
  await writer.flush();
  await writer.flush();
  assertEquals(written, ["a\nb\nc\n", "d\n"]);
});

Deno.test("a LogWriter continues after each error, with the number of lines that were lost since the last, and in all", async () => {
  const written: string[] = [];
  let full = false;
  const writer = new LogWriter((text) => {
    if (full) return Promise.reject(new Error("ENOSPC"));
    written.push(text);
    return Promise.resolve();
  }, (count) => writer.write(`${count} lost\n`));
  writer.write("a\n");
  await writer.flush();
  full = true;
  ["b\n", "c\n"].forEach((line) => writer.write(line));
  await writer.flush();
  writer.write("d\n");
  await writer.flush();
  assertEquals(written, ["a\n"]);
  full = false;
  writer.write("e\n");
  await writer.flush();
  assertEquals([written, writer.lost], [["a\n", "e\n", "3 lost\n"], 3]);
  full = true;
  writer.write("f\n");
  await writer.flush();
  full = false;
  writer.write("g\n");
  await writer.flush();
  assertEquals([written.slice(3), writer.lost], [["g\n", "1 lost\n"], 4]);
});

Deno.test("a LogWriter keeps no more than 10,000 lines for a reader that stalls", async () => {
  const written: string[] = [];
  const lost: number[] = [];
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const writer = new LogWriter(async (text) => {
    begin();
    await isRead;
    written.push(text);
  }, (count) => void lost.push(count));
  writer.write("first");
  await begun;
  for (let i = 0; i < 10_005; i++) writer.write(".");
  const flushed = writer.flush();
  read();
  await flushed;
  assertEquals(written, ["first", ".".repeat(9_999)]);
  assertEquals(lost, [6]);
});

Deno.test("a LogWriter counts no line as kept that is written", async () => {
  const written: string[] = [];
  const writer = new LogWriter(async (text) => void await written.push(text), () => {});
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 10_000; i++) writer.write(".");
    await writer.flush();
  }
  assertEquals(written.join("").length, 30_000);
});
