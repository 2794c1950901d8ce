/**
 * Requests as expensive as the limits allow, over TCP to the program that TEST_PROGRAM names: other
 * engines are slow at other texts.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { costGroups, costProblems } from "../../support/cost/groups.ts";
import { PROGRAM, type RunningProgram, startProgram } from "../../support/program.ts";
import { programServer } from "../../support/servers.ts";

// Bun takes heads of 16 KiB.
const GROUPS = PROGRAM === "deno" ? costGroups() : costGroups(12_000);

const programs = new Map<string, RunningProgram>();

Deno.test.beforeAll(async () => {
  for (const { args } of GROUPS) {
    const line = args.join(" ");
    if (!programs.has(line)) programs.set(line, await startProgram(["--port", "0", ...args]));
  }
});

Deno.test.afterAll(async () => {
  for (const program of programs.values()) {
    program.signal("SIGTERM");
    const { code, stderr } = await program.outcome;
    assertEquals(code, 0, stderr);
    assert(!/^\S+ error /m.test(stderr), `The log has an error:\n${stderr}`);
  }
});

for (const group of GROUPS) {
  Deno.test(`the most expensive requests get small replies: ${group.name} (${PROGRAM})`, async () => {
    const server = programServer(programs.get(group.args.join(" "))!, group.args);
    assertEquals(await costProblems(server, group), []);
  });
}
