/**
 * A server that the system stops for a while, as a machine that sleeps or a debugger does.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { BODY_TIMEOUT_MS } from "../../../lib/http/body_limit.ts";
import { SECRET, validateTarget } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { isStopped } from "../../support/process.ts";
import { Wire } from "../../support/http.ts";
import { type FaultedServer, withFaultedServer } from "../../support/faulted_server.ts";

// Longer than a body may take to arrive.
const PAUSE_MS = 12_000;
const CALLERS = 50;

const ATTEMPTS = 20;

/** Begins two requests, with a right pin and a wrong one, and stops the server before they are late. */
async function beginAndStop(server: FaultedServer): Promise<readonly (readonly [Wire, string])[]> {
  const { program } = server;
  const bodies = [server.freshPin(), server.wrongPin()]
    .map((pin) => `pin=${pin}&secretCode=${encodeURIComponent(SECRET)}`);
  for (let attempts = 1;; attempts++) {
    const startMs = performance.now();
    const begun = await Promise.all(
      bodies.map(async (body) => [await Wire.beginning(program.url, body), body] as const),
    );
    program.signal("SIGSTOP");
    await eventually(() => isStopped(program.pid), "the server stands");
    if (performance.now() - startMs < BODY_TIMEOUT_MS) return begun;
    assert(attempts < ATTEMPTS, "the server stood too late, again and again");
    // On a busy machine, the server may have waited long enough, and logged it.
    program.signal("SIGCONT");
    for (const [wire] of begun) wire.close();
  }
}

Deno.test("after a pause every caller that came meanwhile is answered, each with what is right", async () => {
  await withFaultedServer({}, async (server) => {
    const { program } = server;
    const begun = await beginAndStop(server);
    const finished = begun.map(([wire, body]) => wire.finish(body));
    const pin = server.wrongPin();
    const text = `GET ${validateTarget(pin)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const callers = await Promise.all(
      Array.from({ length: CALLERS }, () => Wire.saying(program.url, text)),
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    program.signal("SIGCONT");
    const replies = await Promise.all(callers.map((wire) => wire.receive(() => false)));
    assertEquals(replies.filter((text) => text.endsWith("\r\n\r\nFalse")).length, CALLERS);
    const answers = await Promise.all(finished);
    assertEquals(answers.map((text) => /(true|false)<\/boolean>$/.exec(text)?.[1]), [
      "true",
      "false",
    ]);
    for (const wire of [...callers, ...begun.map(([wire]) => wire)]) wire.close();
    await server.assertHealthy();
  });
});
