import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { limitLife, runToEnd } from "../../support/child.ts";

// A program that hangs is left behind.
Deno.test.sanitizer({ ops: false, resources: false });

// No program of a test waits for ever; without that, these would.

Deno.test("runToEnd() returns the exit code and the output of a program", async () => {
  const { code, stdout, stderr } = await runToEnd(["sh", "-c", "cat; echo b >&2; exit 3"], {
    input: "a",
  });
  assertEquals([code, stdout, stderr], [3, "a", "b\n"]);
});

Deno.test("runToEnd() names the package of a program that is missing", async () => {
  const message = "no-such-program is missing: apt-get install no-such-program";
  await assertRejects(() => runToEnd(["no-such-program"]), Error, message);
});

Deno.test("runToEnd() does not wait for a program that hangs", async () => {
  await assertRejects(
    () => runToEnd(["sh", "-c", "trap '' TERM; exec sleep 60"], { deadlineMs: 100 }),
    Error,
    "sh has not ended after 0.1 seconds",
  );
});

Deno.test("limitLife() kills a process that still runs at its deadline", async () => {
  const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
  limitLife(child, 50);
  const { success, signal } = await child.status;
  assertEquals([success, signal], [false, "SIGKILL"]);
  assert(child.pid > 0);
});
