/**
 * A good caller while 2,000 others stand in the way: it is answered as if it were alone, and what
 * they took comes back. What it costs in time is printed, and nothing asserted of it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { type Subject, withSubject } from "../../support/faulted_server.ts";
import { descriptorCount, peakResidentBytes, residentBytes } from "../../support/process.ts";
import { PROGRAM } from "../../support/program.ts";
import { call, type Measured, quantile } from "./caller.ts";
import { BEHAVIOURS, gather } from "./crowd.ts";

const SIZE = 2_000;
const CONNECTIONS = 4;
const REQUESTS = 2_000;
// Longer than the server waits for a body.
const STANDING_MS = 12_000;
// A secret of its own, whose failures do not count here.
const SECRET = "good caller";
const MIB = 2 ** 20;

async function measure(subject: Subject): Promise<Measured> {
  const { port } = new URL(subject.program.url);
  const wrong = form(subject.wrongPin(SECRET));
  return await call(Number(port), CONNECTIONS, REQUESTS, () => wrong);
}

function form(pin: string): Uint8Array {
  const body = `pin=${pin}&secretCode=${encodeURIComponent(SECRET)}`;
  return Buffer.from(
    "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

Deno.test(`a normal caller beside crowds of ${SIZE}`, async (t) => {
  // 2,000 connections, and what else a server has open.
  const circumstances = { args: ["--max-failures", "0"], shell: "ulimit -n 4096" };
  await withSubject(circumstances, async (subject) => {
    const { pid, url } = subject.program;
    // The first ones warm up.
    for (let i = 0; i < 3; i++) await measure(subject);
    const idleBytes = residentBytes(pid);
    const descriptors = descriptorCount(pid);
    print(["Program", "Crowd", "p99 alone, ms", "p99 beside, ms", "ratio", "most MB", "MB after"]);
    for (const behaviour of BEHAVIOURS) {
      await t.step(behaviour, async () => {
        const alone = [await measure(subject)];
        const crowd = await gather({ port: Number(new URL(url).port), size: SIZE, behaviour });
        const beside: Measured[] = [];
        let mostBytes = 0;
        try {
          for (const start = performance.now(); performance.now() - start < STANDING_MS;) {
            beside.push(await measure(subject));
            mostBytes = Math.max(mostBytes, residentBytes(pid));
          }
          await subject.assertHealthy();
        } finally {
          crowd.leave();
        }
        await eventually(() => descriptorCount(pid) <= descriptors + 2, "descriptors come back");
        alone.push(await measure(subject));
        for (const { answers } of beside) assertEquals(answers, { false: REQUESTS });
        const [p99Alone, p99] = [quantile(alone, 0.99), quantile(beside, 0.99)];
        print([
          PROGRAM,
          behaviour,
          p99Alone.toFixed(2),
          p99.toFixed(2),
          (p99 / p99Alone).toFixed(1),
          megabytes(mostBytes),
          megabytes(residentBytes(pid)),
        ]);
      });
    }
    await subject.assertHealthy();
    assert(residentBytes(pid) - idleBytes < 256 * MIB, "the memory does not come back");
    assert(peakResidentBytes(pid) < 512 * MIB, "more than half of what the unit of deploy/ allows");
  });
});
