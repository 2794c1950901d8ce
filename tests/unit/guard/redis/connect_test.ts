import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { openStore, slotOf, SPREAD_KEYS } from "../../../../lib/guard/redis/connect.ts";
import { parseStoreUrl, type StoreUrl } from "../../../../lib/guard/redis/store_url.ts";
import { startFakeRedis } from "../../../support/fake_redis.ts";

Deno.test("slotOf() returns the slots of Redis", () => {
  // By CLUSTER KEYSLOT of Redis 7.0.15.
  assertEquals(["", "a", "foo", "123456789"].map(slotOf), [0, 15495, 12182, 12739]);
});

Deno.test("a server is probed by a key in each quarter of the slots of a Cluster", () => {
  const slots = SPREAD_KEYS.map(slotOf);
  assert([0, 1, 2, 3].every((quarter) => slots.some((slot) => slot >> 12 === quarter)));
});

Deno.test("a Cluster without a node for a key is an error", async () => {
  const options = { readFiles: () => ({}), timeoutMs: 60_000 };
  for (const last of [-1, 100]) {
    const node = startFakeRedis(([command]) => {
      if (command !== "CLUSTER") return "PONG";
      return last < 0 ? [] : [[0, last, ["127.0.0.1", node.port, "id"]]];
    });
    const client = await openStore(
      parseStoreUrl(`redis+cluster://127.0.0.1:${node.port}`) as StoreUrl,
      options,
    );
    const asked = client.connect().then(async () => {
      assertEquals(await client.run("", (send) => send(["GET", ""])), "PONG");
      assertEquals(await client.probe(), []);
      await client.run("a", (send) => send(["GET", "a"]));
    });
    await assertRejects(() => asked, Error, "CLUSTERDOWN");
    client.destroy();
    node.close();
  }
});
