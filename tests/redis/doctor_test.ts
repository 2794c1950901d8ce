import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { freePort } from "../support/free_port.ts";
import type { Outcome } from "../support/program.ts";
import { runCommand } from "../cli/command.ts";
import { withRedis } from "./server.ts";
import { check, failOften, patient, pinOf, SECRET, withTwoServers } from "./two_servers.ts";

async function doctor(pin: string, url: string, args: readonly string[]): Promise<Outcome> {
  const env = { AUTHENTICATOR_GUARD: patient(url) };
  return await runCommand(["doctor", ...args], { stdin: `${pin}\n${SECRET}\n`, env });
}

Deno.test("doctor says that a code was already used, and that pins are refused", async () => {
  await withRedis([], async ({ url }) => {
    // With a wide window, the code is still right when the command has started.
    const args = ["--single-use", "--max-failures", "2", "--window", "10"];
    await withTwoServers(url, args, async (one, _two, keyFile) => {
      const pin = pinOf(SECRET);
      const all = [...args, "--guard-key-file", keyFile];
      const before = await doctor(pin, url, all);
      assertEquals([before.code, /used|refused/.test(before.stdout)], [0, false], before.stdout);
      assertEquals(await check(one, pin), "True");
      const used = await doctor(pin, url, all);
      assertEquals(used.code, 1, used.stdout);
      assert(used.stdout.includes("This code was already used, and is accepted once only"));
      await failOften(url, keyFile, SECRET);
      const refused = await doctor(pinOf(SECRET, 1), url, all);
      assertEquals(refused.code, 1);
      assert(/All pins for this secret are refused for another \d+ s/.test(refused.stdout));
      // Looking changed nothing: one more look at a pin is due when the wait is over, not before.
      assertEquals(await check(one, pinOf(SECRET, 1)), "False");
    });
  });
});

Deno.test("doctor says when it cannot know whether a code was used", async () => {
  const nowhere = `redis://:canary@127.0.0.1:${freePort()}`;
  const keyless = await doctor(pinOf(SECRET, 1), nowhere, []);
  assert(keyless.stdout.includes("without --guard-key-file nothing is found"), keyless.stdout);
  const keyFile = Deno.makeTempFileSync();
  Deno.writeTextFileSync(keyFile, "k".repeat(32));
  const silent = await doctor(pinOf(SECRET, 1), nowhere, ["--guard-key-file", keyFile]);
  assert(silent.stdout.includes("does not answer"), silent.stdout);
  assert(!(silent.stdout + silent.stderr).includes("canary"));
  Deno.removeSync(keyFile);
});
