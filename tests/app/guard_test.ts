import { assertEquals } from "@std/assert/equals";
import { createGuard } from "../../lib/app/guard.ts";
import { configOf } from "../cli/command.ts";

const OBSERVER = { log: { info: () => {}, warn: () => {} }, count: () => {} };

// What the options ask for, and the verdicts about a wrong pin and a right one that comes twice.
const ROWS: readonly (readonly [string, readonly string[] | undefined])[] = [
  ["", ["wrong", "accepted", "accepted"]],
  ["--single-use", ["wrong", "accepted", "replayed"]],
  ["--max-failures 1", ["wrong", "throttled", "throttled"]],
  ["--max-failures 0 --single-use", ["wrong", "accepted", "replayed"]],
  ["--max-failures 0", undefined],
];

for (const [line, verdicts] of ROWS) {
  Deno.test(`createGuard() does what the options "${line}" ask for`, async () => {
    const guard = createGuard(configOf(line.split(" ").filter((word) => word !== "")), OBSERVER);
    const told: string[] = [];
    for (const step of [undefined, 7, 7]) {
      if (guard !== undefined) told.push(await guard.store.decide("a secret", step));
    }
    assertEquals(guard && told, verdicts);
    guard?.store.close();
  });
}
