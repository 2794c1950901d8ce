import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { explainMemory } from "../../lib/cli/guard_memory.ts";
import type { Outcome } from "../support/program.ts";
import { runCommand } from "../cli/command.ts";
import { freePort, withRedis } from "./server.ts";
import {
  check,
  earlyInTimeStep,
  pinOf,
  SECRET,
  withTwoServers,
  wrongPinOf,
} from "./two_servers.ts";

async function doctor(pin: string, url: string, args: readonly string[]): Promise<Outcome> {
  const env = { AUTHENTICATOR_GUARD: url };
  return await runCommand(["doctor", ...args], { stdin: `${pin}\n${SECRET}\n`, env });
}

Deno.test("doctor says that a code was already used, and that pins are refused", async () => {
  await withRedis([], async ({ url }) => {
    const args = ["--single-use", "--max-failures", "2"];
    await withTwoServers(url, args, async (one, _two, keyFile) => {
      await earlyInTimeStep();
      const pin = pinOf(SECRET);
      const all = [...args, "--guard-key-file", keyFile];
      const before = await doctor(pin, url, all);
      assertEquals([before.code, /used|refused/.test(before.stdout)], [0, false], before.stdout);
      assertEquals(await check(one, pin), "True");
      const used = await doctor(pin, url, all);
      assertEquals(used.code, 1, used.stdout);
      assert(used.stdout.includes("This code was already used, and is accepted once only"));
      for (let i = 0; i < 2; i++) await check(one, wrongPinOf(SECRET));
      const refused = await doctor(pinOf(SECRET, 1), url, all);
      assertEquals(refused.code, 1);
      assert(/All pins for this secret are refused for another \d+ s/.test(refused.stdout));
      // Looking changed nothing: one more look at a pin is due when the wait is over, not before.
      assertEquals(await check(one, pinOf(SECRET, 1)), "False");
    });
  });
});

Deno.test("doctor says when it cannot know whether a code was used", async () => {
  const pin = pinOf(SECRET, 1);
  const nowhere = `redis://:canary@127.0.0.1:${freePort()}`;
  const keyless = await doctor(pin, nowhere, []);
  assert(keyless.stdout.includes("without --guard-key-file nothing is found"), keyless.stdout);
  const keyFile = Deno.makeTempFileSync();
  Deno.writeTextFileSync(keyFile, "k".repeat(32));
  const silent = await doctor(pin, nowhere, ["--guard-key-file", keyFile]);
  assert(silent.stdout.includes("does not answer"), silent.stdout);
  assert(!(silent.stdout + silent.stderr).includes("canary"));
  Deno.removeSync(keyFile);
});

Deno.test("explainMemory() says what the options make of what is remembered", () => {
  const remembered = { failures: 3, refusedMs: 1500, usedStep: 7 };
  const options = { singleUse: true, maxFailures: 3 };
  const refuses = (...args: Parameters<typeof explainMemory>): boolean =>
    explainMemory(...args).refuses;
  assertEquals(explainMemory(remembered, options, 6).lines, [
    "All pins for this secret are refused for another 2 seconds, after 3 wrong ones in a row.",
    "A later code than this was already used, and is accepted once only: wait for the next one.",
  ]);
  assertEquals(explainMemory({ ...remembered, refusedMs: 0 }, options, 7).lines, [
    "This code was already used, and is accepted once only: wait for the next one.",
  ]);
  assertEquals(refuses({ ...remembered, refusedMs: 0 }, options, 8), false);
  assertEquals(refuses({ ...remembered, refusedMs: 0 }, options, undefined), false);
  assertEquals(refuses(remembered, { singleUse: false, maxFailures: 0 }, 7), false);
  assertEquals(refuses(undefined, options, 7), false);
});
