/** The port for health, readiness and metrics alone, of what TEST_PROGRAM names. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { MAX_DRAIN_MS } from "../../../lib/server/listen/drain.ts";
import { stop } from "../../support/two_servers.ts";
import { eventually, inTime } from "../../support/eventually.ts";
import { metricsUrl, type RunningProgram, startProgram } from "../../support/program.ts";

/** A program that serves, and the URL of its metrics port. */
async function start(
  args: readonly string[],
): Promise<readonly [program: RunningProgram, probes: string]> {
  const program = await startProgram(["--metrics-port", "0", ...args]);
  return [program, await metricsUrl(program)];
}

async function end(program: RunningProgram): Promise<void> {
  program.signal("SIGTERM");
  assertEquals((await program.outcome).code, 0);
}

/** The status of a reply and its text. */
async function answerOf(url: string, init: RequestInit = {}): Promise<readonly [number, string]> {
  const reply = await fetch(url, { redirect: "manual", ...init });
  return [reply.status, await reply.text()];
}

Deno.test("a metrics port reports that the server stops until it has, after the last request", async () => {
  await inTime(MAX_DRAIN_MS, async () => {
    const [program, probes] = await start(["--port", "0"]);
    try {
      await probeWhileItStops(program, probes);
    } finally {
      await stop(program);
    }
  });
});

async function probeWhileItStops(program: RunningProgram, probes: string): Promise<void> {
  const { hostname, port } = new URL(program.url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const send = (text: string): Promise<number> => connection.write(new TextEncoder().encode(text));
  await send(
    "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
      "Content-Type: application/x-www-form-urlencoded\r\n" +
      "Expect: 100-continue\r\nContent-Length: 18\r\n\r\n",
  );
  // The interim reply shows that the request is being answered.
  await connection.read(new Uint8Array(1024));
  program.signal("SIGTERM");
  await eventually(async () => (await answerOf(`${probes}/readyz`))[0] === 503);
  const [health, metrics] = await Promise.all(
    ["/healthz", "/metrics"].map((path) => answerOf(probes + path)),
  );
  assertEquals([health, metrics![0]], [[200, "ok"], 200]);
  await send("pin=1&secretCode=x");
  const reply = await new Response(connection.readable).text();
  assert(reply.endsWith(">false</boolean>"), reply);
  assertEquals((await program.outcome).code, 0);
}

Deno.test("a metrics port stays as it is on SIGHUP, and serves beside a socket", async () => {
  const folder = await Deno.makeTempDir();
  const [program, probes] = await start(["--socket", `${folder}/a.sock`]);
  program.signal("SIGHUP");
  await program.logged(" info SIGHUP: ");
  assertEquals(await answerOf(`${probes}/readyz`), [200, "ok"]);
  await end(program);
  await Deno.remove(folder, { recursive: true });
});
