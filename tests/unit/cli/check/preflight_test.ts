import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { checkSystem, storeObstacles } from "../../../../lib/cli/check/preflight.ts";
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

Deno.test("storeObstacles() tries the store, and none that a server would not use", async () => {
  const nowhere = `redis://127.0.0.1:${freePort()}`;
  const obstacles = (...args: string[]): Promise<readonly string[]> =>
    storeObstacles(configOf(["--guard", nowhere, ...args]));
  const refused = [`the store of the guard, ${nowhere}, cannot be reached (ECONNREFUSED)`];
  assertEquals(await obstacles(), refused);
  assertEquals(await obstacles("--single-use"), refused);
  // Without a limit and without single use there is no guard.
  assertEquals(await obstacles("--max-failures", "0", "--single-use"), refused);
  assertEquals(await obstacles("--max-failures", "0"), []);
  assertEquals(await storeObstacles(configOf([])), []);
  const well = startFakeRedis();
  assertEquals(await storeObstacles(configOf(["--guard", `${well.url}?timeout=60000`])), []);
  well.close();
});

Deno.test("storeObstacles() waits two seconds for a store, and as long as a server where that is longer", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const store = `redis://127.0.0.1:${silent.addr.port}`;
  for (const [query, tickMs] of [["", 200], ["?timeout=100", 200], ["?timeout=60000", 6000]]) {
    await ManualTimers.during(async (timers) => {
      const obstacles = storeObstacles(configOf(["--guard", store + query]));
      let isOver = false;
      void obstacles.then(() => isOver = true);
      while (!isOver) await timers.tick();
      // Ticks of connecting, which has twice as long, then of each reply.
      assertEquals(new Set(timers.delaysMs), new Set([2 * Number(tickMs), tickMs]));
      assertEquals(await obstacles, [
        `the store of the guard, ${store}, does not answer in time`,
      ]);
    });
  }
});

Deno.test("storeObstacles() trusts whom the options name", async () => {
  using listener = Deno.listenTls({
    ...{ hostname: "127.0.0.1", port: 0 },
    ...{ cert: CERTIFICATE, key: PRIVATE_KEY },
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
      const [obstacle = ""] = await storeObstacles(configOf(["--guard", url, ...args]));
      assertEquals(/\((\w+)\)$/.exec(obstacle)?.[1], code, obstacle);
    }
  });
});
