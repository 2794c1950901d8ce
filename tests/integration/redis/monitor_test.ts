import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { withFolder } from "../../support/folder.ts";
import { runProgram, stop } from "../../support/program.ts";
import { withRedis } from "../../support/redis_server.ts";
import { pinOf } from "../../support/reference_totp.ts";
import { check, counted, patient, readiness, startServer } from "../../support/two_servers.ts";

const OTHER_KEYS = "has servers with different guard keys";

Deno.test("servers of one store with two guard keys warn of it, as check does, until one is gone", async () => {
  await withRedis([], ({ url }) =>
    withFolder(async (folder) => {
      const keyFile = (name: string): readonly string[] => {
        Deno.writeTextFileSync(`${folder}/${name}`, `${name} `.repeat(20));
        return ["--guard-key-file", `${folder}/${name}`];
      };
      const one = await startServer(url, keyFile("one"));
      await eventually(async () => await readiness(one) === 200);
      const two = await startServer(url, keyFile("two"));
      await two.logged(OTHER_KEYS);
      await one.logged(OTHER_KEYS);
      for (const [name, warns] of [["three", true], ["one", true]] as const) {
        const env = { AUTHENTICATOR_GUARD: patient(url) };
        const { code, stderr } = await runProgram(["check", "--port", "0", ...keyFile(name)], env);
        assertEquals([code, stderr.includes(OTHER_KEYS)], [0, warns], stderr);
      }
      await stop(one);
      await two.logged("has no server with another guard key any more");
      const { code, stderr } = await runProgram(
        ["check", "--port", "0", ...keyFile("two")],
        { AUTHENTICATOR_GUARD: patient(url) },
      );
      assertEquals([code, stderr.includes(OTHER_KEYS)], [0, false], stderr);
      await stop(two);
    }));
});

Deno.test("a server logs and counts evictions of its store, and logs a missing permission once", async () => {
  await withRedis(["--maxmemory", "2500000"], async ({ url, command }) => {
    const page = Deno.readTextFileSync(new URL("../../../docs/store.md", import.meta.url));
    const [, rights = ""] = /user authenticator on >PASSWORD (.*)/.exec(page) ?? [];
    const shown = rights.split(" ");
    const refused = ["+info", "+restore"];
    for (const right of refused) assert(shown.includes(right), right);
    const fewer = shown.filter((right) => !refused.includes(right));
    for (const [user, all] of [["told", shown], ["blind", fewer]]) {
      await command("ACL", "SETUSER", user as string, "on", ">canary", ...all as string[]);
    }
    const login = (user: string): string => url.replace("//", `//${user}:canary@`);
    const told = await startServer(login("told"));
    const blind = await startServer(login("blind"));
    await blind.logged("refuses INFO to its user: evictions go unnoticed");
    await blind.logged("refuses RESTORE to its user: if it is full, wrong pins are forgotten");
    await eventually(async () => await readiness(told) === 200);
    const fill =
      "for i = 1, 20000 do redis.call('SET', 'x' .. i, string.rep('x', 200), 'PX', 9e6) end";
    // A store that is too small for its entries.
    await command("EVAL", fill, "0");
    await told.logged("is full, and evicts entries that are still needed");
    assert(await counted(told, 'authenticator_guard_evictions_total{class="store"}') > 0);
    assertEquals(await counted(blind, 'authenticator_guard_evictions_total{class="store"}'), 0);
    assertEquals(await check(blind, pinOf("x"), "x"), "True");
    for (const server of [told, blind]) await stop(server);
    assertEquals((await blind.outcome).stderr.split("refuses INFO").length, 2);
    assert(!(await told.outcome).stderr.includes("refuses"));
  });
});
