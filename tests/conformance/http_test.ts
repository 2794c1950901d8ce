import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { exchangeRaw, type RawReply } from "../support/http.ts";

// What HTTP demands of the whole server: the program with its runtime, over TCP.

let program: RunningProgram;

Deno.test.beforeAll(async () => {
  program = await startProgram(["--port", "0"]);
});

Deno.test.afterAll(async () => {
  program.signal("SIGTERM");
  await program.outcome;
});

async function send(...head: string[]): Promise<RawReply> {
  const { hostname, port } = new URL(program.url);
  return await exchangeRaw({ hostname, port: Number(port) }, { head, body: new Uint8Array() });
}

Deno.test("HTTP: a reply has a Date, whatever its status", async () => {
  const rows: readonly (readonly [number, string])[] = [
    [200, "GET /healthz"],
    [200, "HEAD /healthz"],
    [204, "OPTIONS /api.asmx"],
    [302, "GET /"],
    [304, "GET /api.asmx?wsdl"],
    [400, "GET /api.asmx/Pair"],
    [404, "GET /nowhere"],
    [405, "PUT /healthz"],
    [415, "POST /api.asmx"],
  ];
  for (const [status, line] of rows) {
    const fields = ["Host: localhost", "Content-Length: 0", "If-None-Match: *"];
    const beforeMs = Date.now();
    const reply = await send(`${line} HTTP/1.1`, ...fields);
    const afterMs = Date.now();
    assertEquals(reply.status, status, line);
    const date = new Date(reply.headers.get("date") ?? "none");
    // In whole seconds, and a server may write one for all replies of a second.
    assert(date.getTime() > beforeMs - 3_000 && date.getTime() <= afterMs, line);
    assertEquals(date.toUTCString(), reply.headers.get("date"), line);
  }
});

Deno.test("HTTP: two Hosts are 400", async () => {
  assertEquals((await send("GET /healthz HTTP/1.1", "Host: a", "Host: b")).status, 400);
});

Deno.test("HTTP: an HTTP/1.1 request without a Host is answered", async () => {
  assertEquals((await send("GET /healthz HTTP/1.1")).status, 200);
});

Deno.test("HTTP: a message that two readers could cut apart differently is 400", async () => {
  for (
    const fields of [
      ["Content-Length: 5", "Content-Length: 6"],
      ["Content-Length: 5", "Transfer-Encoding: chunked"],
      ["Content-Length: +5"],
      ["Transfer-Encoding: gzip"],
      ["X-Name : a blank before the colon"],
      ["X-Name: folded", " over two lines"],
    ]
  ) {
    const reply = await send("POST /api.asmx HTTP/1.1", "Host: localhost", ...fields);
    assertEquals(reply.status, 400, fields.join(", "));
  }
});
