import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SECRET } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { GUARD_KEY_FILE } from "../../support/guard_key.ts";
import { type Outcome, startProgram, stop } from "../../support/program.ts";
import { runCommand } from "../../support/command.ts";
import { withRedis } from "../../support/redis_server.ts";
import { pinOf } from "../../support/reference_totp.ts";
import { check, failOften, patient, readiness, withTwoServers } from "../../support/two_servers.ts";

async function doctor(pin: string, url: string, args: readonly string[]): Promise<Outcome> {
  const env = { AUTHENTICATOR_GUARD: patient(url) };
  return await runCommand(["doctor", ...args], { stdin: `${pin}\n${SECRET}\n`, env });
}

Deno.test("doctor reports that a code was already used, and that pins are refused", async () => {
  await withRedis([], async ({ url }) => {
    // With a wide window, the code is still right when the command has started.
    const args = ["--single-use", "--max-failures", "2", "--window", "10"];
    await withTwoServers(url, args, async (one) => {
      const pin = pinOf(SECRET);
      const all = [...args, "--guard-key-file", GUARD_KEY_FILE];
      const before = await doctor(pin, url, all);
      assertEquals([before.code, /used|refused/.test(before.stdout)], [0, false], before.stdout);
      assertEquals(await check(one, pin), "True");
      const used = await doctor(pin, url, all);
      assertEquals(used.code, 1, used.stdout);
      assert(used.stdout.includes("This code was already used, and is accepted once only"));
      await failOften(url, SECRET);
      const refused = await doctor(pinOf(SECRET, 1), url, all);
      assertEquals(refused.code, 1);
      assert(/All pins for this secret are refused for another \d+ s/.test(refused.stdout));
      // Looking changed nothing: one more attempt is due when the wait is over, not before.
      assertEquals(await check(one, pinOf(SECRET, 1)), "False");
    });
  });
});

Deno.test("doctor reports that it cannot check whether a code was used", async () => {
  const nowhere = `redis://:canary@127.0.0.1:${freePort()}`;
  const keyless = await doctor(pinOf(SECRET, 1), nowhere, []);
  assert(keyless.stdout.includes("without --guard-key-file nothing is found"), keyless.stdout);
  const silent = await doctor(pinOf(SECRET, 1), nowhere, ["--guard-key-file", GUARD_KEY_FILE]);
  assert(silent.stdout.includes("does not answer"), silent.stdout);
  assert(!(silent.stdout + silent.stderr).includes("canary"));
});

Deno.test("guard unlock calls a server with a store, whose log names the secret, or else the store", async () => {
  await withRedis([], async ({ url }) => {
    const way = ["--metrics-port", String(freePort())];
    const env = { AUTHENTICATOR_GUARD: patient(url) };
    const options = ["--guard-key-file", GUARD_KEY_FILE, "--max-failures", "5"];
    const program = await startProgram(["--port", "0", ...way, ...options], { env });
    const unlock = async (secret: string, more: readonly string[] = way): Promise<string> => {
      const args = ["guard", "unlock", ...options, ...more];
      const { code, stdout, stderr } = await runCommand(args, { stdin: `${secret}\n`, env });
      assertEquals([code, stderr], [0, ""]);
      return stdout;
    };
    try {
      await eventually(async () => await readiness(program) === 200);
      assert((await unlock("mistyped")).startsWith("nothing was remembered of this secret"));
      await check(program, "wrong");
      const unlocked = await unlock(SECRET);
      assert(unlocked.endsWith(" are checked again, by every server within a second\n"), unlocked);
      const [name] = /secret=\S+/.exec(unlocked)!;
      await program.logged(` route=guard/unlock status=200 ${name} outcome=ok `);
      // Without the port of a server, the store does it.
      await check(program, "wrong");
      assertEquals(await unlock(SECRET, []), unlocked);
      assert((await unlock(SECRET, [])).startsWith("nothing was remembered of this secret"));
      const status = await runCommand(["status", ...options, ...way], { env });
      assertEquals([status.code, status.stderr], [0, ""]);
      assert(status.stdout.includes(`\nguard: ${url}`), status.stdout);
      assert(status.stdout.endsWith("secrets whose pins are refused now: 0\n"), status.stdout);
    } finally {
      await stop(program);
    }
  });
});
