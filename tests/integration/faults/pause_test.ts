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
import type { RunningProgram } from "../../support/program.ts";
import { Wire } from "../../support/wire.ts";
import { type Subject, withSubject } from "../../support/faulted_server.ts";

// Longer than a body may take to arrive.
const PAUSE_MS = 12_000;
const CALLERS = 50;

/** A request whose body is still to come; the interim reply shows that it is waited for. */
async function beginRequest(program: RunningProgram, pin: string): Promise<[Wire, string]> {
  const body = `pin=${pin}&secretCode=${encodeURIComponent(SECRET)}`;
  const wire = await Wire.saying(
    program,
    "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
      "Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n" +
      `Content-Length: ${body.length}\r\n\r\n`,
  );
  await wire.receive((text) => text.startsWith("HTTP/1.1 100 "));
  return [wire, body];
}

const ATTEMPTS = 20;

/** Begins two requests, with a right pin and a wrong one, and stops the server before they are late. */
async function beginAndStop(subject: Subject): Promise<readonly (readonly [Wire, string])[]> {
  const { program } = subject;
  const pins = [subject.freshPin(), subject.wrongPin()];
  for (let attempts = 1;; attempts++) {
    const startMs = performance.now();
    const begun = await Promise.all(pins.map((pin) => beginRequest(program, pin)));
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
  await withSubject({}, async (subject) => {
    const { program } = subject;
    const begun = await beginAndStop(subject);
    for (const [wire, body] of begun) await wire.send(body);
    const pin = subject.wrongPin();
    const text = `GET ${validateTarget(pin)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const callers = await Promise.all(
      Array.from({ length: CALLERS }, () => Wire.saying(program, text)),
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    program.signal("SIGCONT");
    const replies = await Promise.all(callers.map((wire) => wire.receive(() => false)));
    assertEquals(replies.filter((text) => text.endsWith("\r\n\r\nFalse")).length, CALLERS);
    const answers = await Promise.all(begun.map(([wire]) => wire.receive(() => false)));
    assertEquals(answers.map((text) => /(true|false)<\/boolean>$/.exec(text)?.[1]), [
      "true",
      "false",
    ]);
    for (const wire of [...callers, ...begun.map(([wire]) => wire)]) wire.close();
    await subject.assertHealthy();
  });
});
