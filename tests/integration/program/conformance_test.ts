import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type RunningProgram, startProgram } from "../../support/program.ts";
import { exchangeRaw, type RawReply } from "../../support/http.ts";

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
  return await exchangeRaw(program.url, { head });
}

Deno.test("HTTP: a reply of every status has a Date", async () => {
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

// Other messages that two readers could cut apart differently stand in abuse_test.ts.
Deno.test("HTTP: a body in a coding of its transfer that is not chunked is 400", async () => {
  const fields = ["Host: localhost", "Transfer-Encoding: gzip"];
  assertEquals((await send("POST /api.asmx HTTP/1.1", ...fields)).status, 400);
});
