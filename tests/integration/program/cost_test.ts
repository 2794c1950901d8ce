/**
 * The dearest requests that stay within the limits, over TCP to the program that TEST_PROGRAM names:
 * the engine of another runtime has other expressions to stumble over.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { complaints } from "../../support/cost/check.ts";
import { COST_GROUPS } from "../../support/cost/groups.ts";
import { PROGRAM, type RunningProgram, startProgram } from "../../support/program.ts";
import { programServer } from "../../support/servers.ts";

// Deno takes fields of 64 KiB, Bun heads of 16 KiB.
const MAX_FIELD_BYTES = PROGRAM === "deno" ? 65_535 : 12_000;

const programs = new Map<string, RunningProgram>();

Deno.test.beforeAll(async () => {
  for (const { args } of COST_GROUPS) {
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

for (const group of COST_GROUPS) {
  Deno.test(`the dearest requests get small replies: ${group.name} (${PROGRAM})`, async () => {
    const server = programServer(programs.get(group.args.join(" "))!, group.args);
    const most = group.name.startsWith("heads") ? MAX_FIELD_BYTES : Infinity;
    const found: string[] = [];
    for (const dear of group.dear) {
      found.push(...await complaints(server, group, dear, Math.min(dear.size, most)));
    }
    assertEquals(found, []);
  });
}
