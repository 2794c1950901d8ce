import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { checkStore, checkSystem } from "../../../../lib/cli/check/preflight.ts";
import { CommandError } from "../../../../lib/cli/io/io.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../../../support/certificates.ts";
import { configOf } from "../../../support/command.ts";
import { withFolder } from "../../../support/folder.ts";
import { UsageError } from "../../../../lib/config/option.ts";
import { freePort } from "../../../support/free_port.ts";
import { startFakeRedis } from "../../../support/fake_redis.ts";
import { ManualTimers } from "../../../support/timers.ts";

Deno.test("checkSystem() refuses on Windows the options that need a Unix system", () => {
  for (const args of [["--socket", "a.sock"], ["--share-port"]]) {
    const config = configOf(args);
    const sentence = `${args[0]} needs a Unix system`;
    assertThrows(() => checkSystem(config, "win32"), UsageError, sentence);
    checkSystem(config, "linux");
  }
  checkSystem(configOf([]), "win32");
});

/** Why a server could not use the store; undefined when it can. */
async function obstacle(...args: string[]): Promise<string | undefined> {
  const found = await checkStore(configOf(args)).catch((error: unknown) => error);
  if (found === undefined) return undefined;
  assert(found instanceof CommandError, `${found}`);
  return found.message;
}

Deno.test("checkStore() tries the store, and none that a server would not use", async () => {
  const nowhere = `redis://127.0.0.1:${freePort()}`;
  const refused = `the store of the guard, ${nowhere}, cannot be reached (ECONNREFUSED)`;
  assertEquals(await obstacle("--guard", nowhere), refused);
  assertEquals(await obstacle("--guard", nowhere, "--single-use"), refused);
  // Without a limit and without single use there is no guard.
  const unlimited = ["--guard", nowhere, "--max-failures", "0"];
  assertEquals(await obstacle(...unlimited, "--single-use"), refused);
  assertEquals(await obstacle(...unlimited), undefined);
  assertEquals(await obstacle(), undefined);
  const well = startFakeRedis();
  assertEquals(await obstacle("--guard", `${well.url}?timeout=60000`), undefined);
  well.close();
});

Deno.test("checkStore() waits four seconds for a silent store, and as long as a server where that is longer", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const store = `redis://127.0.0.1:${silent.addr.port}`;
  for (const [query, tickMs] of [["", 200], ["?timeout=100", 200], ["?timeout=60000", 6000]]) {
    await ManualTimers.during(async (timers) => {
      const reason = obstacle("--guard", store + query);
      let isOver = false;
      void reason.then(() => isOver = true);
      while (!isOver) await timers.tick();
      // Ticks of connecting, with its first command, which has twice as long as a reply.
      assertEquals(new Set(timers.delaysMs), new Set([2 * Number(tickMs)]));
      assertEquals(await reason, `the store of the guard, ${store}, does not answer in time`);
    });
  }
});

Deno.test("checkStore() trusts whom the options name", async () => {
  using listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: CERTIFICATE,
    key: PRIVATE_KEY,
  });
  void (async () => {
    for await (const connection of listener) {
      void connection.handshake().catch(() => {}).finally(() => connection.close());
    }
  })();
  const url = `rediss://127.0.0.1:${listener.addr.port}`;
  await withFolder(async (folder) => {
    const path = `${folder}/ca.pem`;
    Deno.writeTextFileSync(path, CERTIFICATE);
    // The certificate has another name, which is checked once its authority is trusted.
    for (
      const [args, code] of [
        [[], "DEPTH_ZERO_SELF_SIGNED_CERT"],
        [["--guard-tls-ca", path], "ERR_TLS_CERT_ALTNAME_INVALID"],
      ] as const
    ) {
      const reason = await obstacle("--guard", url, ...args) ?? "";
      assertEquals(/\((\w+)\)$/.exec(reason)?.[1], code, reason);
    }
  });
});
