/**
 * Replays the golden exchanges of `tests/exchanges/`, each against the handler in this process and
 * against the program over TCP.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { readExchangeFiles } from "./support/exchanges.ts";
import { fillIn } from "./support/placeholders.ts";
import { type RunningProgram, startProgram } from "./support/program.ts";
import { replay } from "./support/replay.ts";
import { handlerServer, programServer } from "./support/servers.ts";

const FILES = readExchangeFiles(new URL("exchanges/", import.meta.url));

// One program for each line of options, by that line.
const programs = new Map<string, Promise<RunningProgram>>();

Deno.test.beforeAll(async () => {
  for (const { args } of FILES) {
    const line = args.join(" ");
    if (!programs.has(line)) programs.set(line, startProgram(["--port", "0", ...args]));
  }
  // One that does not start fails the tests that need it, and the others are still stopped.
  await Promise.allSettled(programs.values());
});

Deno.test.afterAll(async () => {
  for (const started of await Promise.allSettled(programs.values())) {
    if (started.status === "rejected") continue;
    const program = started.value;
    program.signal("SIGTERM");
    const { code, stderr } = await program.outcome;
    assertEquals(code, 0, stderr);
    assert(!/hush|^\S+ error /im.test(stderr), `The log holds a secret or an error:\n${stderr}`);
  }
});

Deno.test("the pins of the exchanges are those of RFC 6238 appendix B", () => {
  const clock = { algorithm: "SHA1", digits: 8, period: 30, window: 0, now: () => 59_000 } as const;
  assertEquals(fillIn("{{pin 12345678901234567890}}", clock, () => ""), "94287082");
});

for (const { name, args, exchanges } of FILES) {
  const server = handlerServer(args);
  for (const exchange of exchanges) {
    const title = `exchanges/${name}: ${exchange.rule}`;
    if (!exchange.wireOnly) {
      Deno.test(`${title} (in process)`, () => replay(exchange, server));
    }
    Deno.test(`${title} (TCP)`, async () => {
      const program = await programs.get(args.join(" "))!;
      await replay(exchange, programServer(program, args));
    });
  }
}
