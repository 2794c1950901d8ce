import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../support/eventually.ts";
import { runToEnd } from "../support/child.ts";
import { programWords } from "../support/program.ts";
import { withRedis } from "./server.ts";
import {
  check,
  failOften,
  patient,
  pinOf,
  SECRET,
  withTwoServers,
  wrongPinOf,
} from "./two_servers.ts";

Deno.test("guard unlock lifts a wait for all servers at a store, and a used code stays used", async () => {
  await withRedis([], async ({ url, command }) => {
    // With a wide window, the code is still right when the commands have ended.
    const args = ["--max-failures", "2", "--single-use", "--window", "10"];
    const log = await withTwoServers(url, args, async (one, two, keyFile) => {
      const guard = async (name: string, ...more: string[]): Promise<string> => {
        const options = ["--guard-key-file", keyFile, ...more];
        const { code, stdout, stderr } = await runToEnd(
          [...programWords(), "guard", name, ...options],
          { input: `${SECRET}\n`, env: { AUTHENTICATOR_GUARD: patient(url), NO_COLOR: "1" } },
        );
        assertEquals([code, stderr], [0, ""]);
        assert(!stdout.includes("canary"), stdout);
        return stdout.trim();
      };
      const used = pinOf(SECRET, -1);
      assertEquals(await check(one, used), "True");
      await failOften(url, keyFile, SECRET);
      for (const server of [one, two]) assertEquals(await check(server, pinOf(SECRET)), "False");
      const name = await guard("name");
      const status = (await guard("status", "--max-failures", "2")).split("\n");
      assertEquals(status.slice(0, 2), [
        "secrets remembered: 1",
        "secrets whose pins are refused now: 1",
      ]);
      assert(new RegExp(`^secret=${name} wrong=8 refused_seconds=[0-9]+$`).test(status[2]!));
      assert((await guard("unlock")).startsWith(`pins for secret=${name} are checked again`));
      assertEquals(await check(one, used), "False");
      for (const server of [one, two]) {
        await eventually(async () => await check(server, wrongPinOf("x"), "x") === "False");
      }
      // An instance remembers a refusal for a second at most.
      let pin = "";
      await eventually(async () => {
        pin = pinOf(SECRET);
        return await check(two, pin) === "True";
      });
      assertEquals(await check(one, pin), "False");
      assertEquals(await command("FLUSHALL"), "OK");
      assertEquals(await guard("unlock"), `nothing was remembered about secret=${name}`);
    });
    assert(/ secret=[\w-]{10} outcome=throttled /.test(log), log);
  });
});
