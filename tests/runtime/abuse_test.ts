/**
 * Bad clients over TCP: each ends with a clean status or a closed connection, and the server lives
 * on. Nothing here asserts how long something takes.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { PROGRAM, type RunningProgram, startProgram } from "../support/program.ts";
import { ABUSES } from "./abuse.ts";
import { statusIn, Wire } from "./wire.ts";

const RUNTIME = PROGRAM === "deno" ? "deno" : "bun";
const GET = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const POST = "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
  "Content-Type: application/x-www-form-urlencoded\r\n";
const FORM = "pin=1&secretCode=x";

let program: RunningProgram;

Deno.test.beforeAll(async () => {
  program = await startProgram(["--port", "0"]);
});

Deno.test.afterAll(async () => {
  program.signal("SIGTERM");
  const { code, stderr } = await program.outcome;
  assertEquals(code, 0);
  assert(!/^\S+ error /m.test(stderr), `The log has an error:\n${stderr}`);
});

// Where the system tells it.
function residentBytes(): number {
  if (Deno.build.os === "windows") return 0;
  const { stdout } = new Deno.Command("ps", { args: ["-o", "rss=", "-p", `${program.pid}`] })
    .outputSync();
  return Number(new TextDecoder().decode(stdout)) * 1024;
}

let number = 0;

function abuse(title: string, act: (wire: Wire) => Promise<void>): void {
  Deno.test(`abuse ${++number}: ${title}`, async () => {
    const wire = await Wire.to(program);
    try {
      await act(wire);
    } finally {
      wire.close();
    }
    assertEquals(await (await fetch(`${program.url}/healthz`)).text(), "ok");
  });
}

for (const { title, bytes, ...expected } of ABUSES) {
  abuse(`${title} → ${expected[RUNTIME]}`, async (wire) => {
    await wire.send(bytes);
    assertEquals(
      statusIn(await wire.receive((text) => statusIn(text) !== "closed")),
      expected[RUNTIME],
    );
  });
}

abuse("a head that comes slowly does not hold up others", async (wire) => {
  for (const piece of ["GET /healthz HT", "TP/1.1\r\nHo", "st: localhost\r\n"]) {
    await wire.send(piece);
    assertEquals(await (await fetch(`${program.url}/healthz`)).text(), "ok");
  }
  await wire.send("\r\n");
  assertEquals(statusIn(await wire.receive((text) => text.endsWith("\r\n\r\nok"))), "200");
});

abuse("a body that never comes to its end → 408", async (wire) => {
  await wire.send(`${POST}Content-Length: 18\r\n\r\npin=1`);
  assertEquals(statusIn(await wire.receive((text) => statusIn(text) !== "closed")), "408");
});

abuse("a chunked body without end → 413", async (wire) => {
  await wire.send(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `1000\r\n${"a".repeat(0x1000)}\r\n`;
  for (let count = 0; count < 17; count++) await wire.send(chunk);
  assertEquals(statusIn(await wire.receive((text) => statusIn(text) !== "closed")), "413");
});

abuse("a client that goes on with a body that was refused takes no memory", async (wire) => {
  await wire.send(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
  const before = residentBytes();
  // 512 MiB, or as much as the server takes.
  for (let count = 0; count < 8_192 && await wire.send(chunk); count++);
  assert(residentBytes() - before < 128 * 1024 * 1024, "the server keeps what it does not need");
});

abuse("a thousand requests at once are answered in order", async (wire) => {
  const count = 1_000;
  const replies = (text: string): number => text.split("\r\n\r\nok").length - 1;
  const received = wire.receive((text) => replies(text) === count);
  await wire.send(GET.repeat(count));
  assertEquals((await received).match(/^HTTP\/1\.1 200 OK|okHTTP\/1\.1 200 OK/gm)?.length, count);
});

abuse("Expect: 100-continue gets 100, then the reply", async (wire) => {
  await wire.send(`${POST}Expect: 100-continue\r\nContent-Length: ${FORM.length}\r\n\r\n`);
  assertEquals(
    await wire.receive((text) => text.endsWith("\r\n\r\n")),
    "HTTP/1.1 100 Continue\r\n\r\n",
  );
  await wire.send(FORM);
  assertEquals(statusIn(await wire.receive((text) => text.endsWith("</boolean>"))), "200");
});

abuse("HEAD has the length of the body and no body", async (wire) => {
  await wire.send(GET.replace("GET", "HEAD") + GET);
  const received = await wire.receive((text) => text.endsWith("\r\n\r\nok"));
  const [head, reply, ...rest] = received.split("\r\n\r\n");
  assertEquals([rest, reply?.startsWith("HTTP/1.1 200 OK\r\n")], [["ok"], true]);
  assert(/^content-length: 2$/im.test(head!.replaceAll("\r", "")), head);
});

abuse("a client that leaves in the middle of a body", async (wire) => {
  await wire.send(`${POST}Content-Length: 1000\r\n\r\npin=1`);
  wire.close();
});

abuse("a client that asks for Connection: close is let go", async (wire) => {
  await wire.send(GET.replace("Host", "Connection: close\r\nHost"));
  assert(await wire.isClosed());
});
