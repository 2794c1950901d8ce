import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import type { StoreClient } from "../../../lib/guard/redis/connect.ts";
import { sampleSecrets, unlockSecret, withStore } from "../../../lib/guard/redis/operator.ts";
import { redisKey } from "../../../lib/guard/redis/script.ts";
import { parseStoreUrl, type StoreUrl } from "../../../lib/guard/redis/store_url.ts";
import { SECRET } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { runToEnd } from "../../support/child.ts";
import { guardLines } from "../../../lib/cli/guard_commands.ts";
import { configOf } from "../../support/command.ts";
import { GUARD_KEY_FILE } from "../../support/guard_key.ts";
import { programWords, runProgram } from "../../support/program.ts";
import { withRedis } from "../../support/redis_server.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";
import { check, failOften, patient, withTwoServers } from "../../support/two_servers.ts";

Deno.test("guard unlock lifts a wait for all servers at a store, and a used code stays used", async () => {
  await withRedis([], async ({ url, command }) => {
    // With a wide window, the code is still right when the commands have ended.
    const args = ["--max-failures", "2", "--single-use", "--window", "10"];
    const log = await withTwoServers(url, args, async (one, two) => {
      const guard = async (name: string): Promise<string> => {
        const options = ["--guard-key-file", GUARD_KEY_FILE];
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
      await failOften(url, SECRET);
      for (const server of [one, two]) assertEquals(await check(server, pinOf(SECRET)), "False");
      const name = await guard("name");
      // What `status` has of a store.
      const status = await guardLines(
        undefined,
        configOf([
          "--guard",
          patient(url),
          "--guard-key-file",
          GUARD_KEY_FILE,
          "--max-failures",
          "2",
        ]),
      );
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
      assertEquals(await guard("unlock"), `nothing was remembered of this secret, secret=${name}`);
    });
    assert(/ secret=[\w-]{10} outcome=throttled /.test(log), log);
  });
});

// Permissions that the commands need of those that the page lists for a user of Redis.
const NEEDED = "~authenticator:guard:2:* +eval +get +set +del +pttl +time +scan".split(" ");

Deno.test("the permissions on the page of the store are enough for the commands, and each is needed", async () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/store.md", import.meta.url));
  const [, rights = ""] = /user authenticator on >PASSWORD (.*)/.exec(page) ?? [];
  const shown = rights.split(" ");
  // Of the first, the used code stays when its wait is lifted; of the second, nothing.
  const [names, texts] = [["a", "b"].map((a) => a.repeat(43)), ["9:0:5", "9:0:-1"]];
  const keys = names.map(redisKey);
  await withRedis([], async ({ url, command }) => {
    const store = parseStoreUrl(patient(url).replace("//", "//operator:canary@")) as StoreUrl;
    const ask = <T>(act: (store: StoreClient) => Promise<T>): Promise<T> =>
      withStore(store, {}, act);
    // What `status` and `guard unlock` ask a store.
    const askAll = (): Promise<void> =>
      ask(async (store) => {
        await sampleSecrets(store, 0);
        for (const name of names) await unlockSecret(store, name);
      });
    const isEnough = async (rights: readonly string[]): Promise<boolean> => {
      await command("ACL", "SETUSER", "operator", "reset", "on", ">canary", ...rights);
      for (const [i, key] of keys.entries()) await command("SET", key, texts[i]!, "PX", "3600000");
      return await askAll().then(() => true, () => false);
    };
    assert(await isEnough(shown));
    assertEquals(await command("GET", keys[0]!), '"0:0:5"');
    for (const right of NEEDED) {
      assert(shown.includes(right), right);
      assert(!await isEnough(shown.filter((each) => each !== right)), right);
    }
    await isEnough(shown.filter((right) => right !== "+get"));
    await assertRejects(
      () => ask((store) => unlockSecret(store, names[0]!)),
      Error,
      "The user executing",
    );
  });
});

Deno.test("check names the permission that the script lacks", async () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/store.md", import.meta.url));
  const [, rights = ""] = /user authenticator on >PASSWORD (.*)/.exec(page) ?? [];
  await withRedis([], async ({ url, command }) => {
    for (const name of ["get", "set", "time", "evalsha"]) {
      await command("ACL", "SETUSER", name, "on", ">canary", ...rights.split(" "), `-${name}`);
      const env = { AUTHENTICATOR_GUARD: patient(url).replace("//", `//${name}:canary@`) };
      const { code, stderr } = await runProgram(["check", "--port", "0"], env);
      assertEquals([code, stderr.includes(`needed (NOPERM ${name})`)], [1, true], stderr);
    }
  });
});

Deno.test("check reports that a store has fewer replicas than it wants", async () => {
  await withRedis(["--min-replicas-to-write", "1"], async ({ url }) => {
    const env = { AUTHENTICATOR_GUARD: patient(url) };
    const { code, stderr } = await runProgram(["check", "--port", "0"], env);
    assertEquals(code, 1);
    assert(stderr.includes("fewer replicas than its min-replicas-to-write (NOREPLICAS)"), stderr);
  });
});

/** Runs a test with a store that writes a text to each client, and closes the connection. */
async function withRefusingStore(text: string, run: (url: string) => Promise<void>): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const refusals = (async () => {
    for await (const connection of listener) {
      await connection.write(new TextEncoder().encode(text)).catch(() => {});
      connection.close();
    }
  })();
  await run(`127.0.0.1:${listener.addr.port}`);
  listener.close();
  await refusals;
}

const DENIED = "-DENIED Redis is running in protected mode because\r\n";

Deno.test("check reports that a store, a Sentinel or a node of a Cluster is in protected mode", async () => {
  await withRefusingStore(DENIED, async (address) => {
    for (const [scheme, path] of [["redis", ""], ["redis+sentinel", "/x"], ["redis+cluster", ""]]) {
      const env = { AUTHENTICATOR_GUARD: patient(`${scheme}://${address}${path}`) };
      const { code, stderr } = await runProgram(["check", "--port", "0"], env);
      assertEquals([code, stderr.includes("is in protected mode (DENIED)")], [1, true], stderr);
    }
  });
});

Deno.test("check reports that a store has too many clients, and that it is busy", async () => {
  const args = ["--maxclients", "2", "--busy-reply-threshold", "100"];
  await withRedis(args, async ({ url, port, command }) => {
    const says = async (clause: string): Promise<void> => {
      const env = { AUTHENTICATOR_GUARD: patient(url) };
      const { code, stderr } = await runProgram(["check", "--port", "0"], env);
      assertEquals([code, stderr.includes(clause)], [1, true], stderr);
    };
    const others = await Promise.all(
      [1, 2].map(() => Deno.connect({ hostname: "127.0.0.1", port })),
    );
    await says("has no room for another client (ERR)");
    for (const other of others) other.close();
    const endless = command("EVAL", "while true do end", "0");
    await eventually(async () => (await command("PING")).includes("BUSY"));
    await says("is busy with a script of another client (BUSY)");
    assertEquals(await command("SCRIPT", "KILL"), "OK");
    await endless;
  });
});
