/**
 * Replays the golden exchanges over TCP against the program that TEST_PROGRAM names. What Bun does
 * not let a server put right is listed, and must still be so: a Bun that mends it shortens the list.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { readExchangeFiles } from "../../support/exchanges.ts";
import { PROGRAM, type RunningProgram, startProgram } from "../../support/program.ts";
import { replay } from "../../support/replay.ts";
import { programServer } from "../../support/servers.ts";

const FILES = readExchangeFiles(new URL("../../exchanges/", import.meta.url));

// Bun takes the host of a URL from Host even where the target is a whole URL, and closes on a method
// that it does not know; a server of it never sees either.
const BUN_DIFFERS: ReadonlySet<string> = new Set(
  PROGRAM === "deno" ? [] : [
    "description.md: The host of a whole URL wins over the Host",
    "description.md: A whole URL whose host is none is 400 and not repeated",
    "routes.md: Another verb is 405 with what is allowed",
    "routes.md: A method is known without case",
  ],
);

const programs = new Map<string, Promise<RunningProgram>>();

Deno.test.beforeAll(async () => {
  // One program for each line of options.
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
    started.value.signal("SIGTERM");
    const { code, stderr } = await started.value.outcome;
    assertEquals(code, 0, stderr);
    // What must not come back is written with this word in the files.
    assert(!/hush|^\S+ error /im.test(stderr), `The log holds a secret or an error:\n${stderr}`);
  }
});

for (const { name, args, exchanges } of FILES) {
  for (const exchange of exchanges) {
    const title = `${name}: ${exchange.rule}`;
    const differs = BUN_DIFFERS.has(title);
    Deno.test(`exchanges/${title} (${PROGRAM}${differs ? ", differs" : ""})`, async () => {
      const server = programServer(await programs.get(args.join(" "))!, args);
      if (differs) await assertRejects(() => replay(exchange, server), Error);
      else await replay(exchange, server);
    });
  }
}

Deno.test("each exchange that Bun differs in is there", () => {
  const titles = FILES.flatMap(({ name, exchanges }) => exchanges.map((e) => `${name}: ${e.rule}`));
  assertEquals([...BUN_DIFFERS].filter((title) => !titles.includes(title)), []);
});
