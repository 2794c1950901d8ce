import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { openStore, slotOf, SPREAD_KEYS } from "../../../../lib/guard/redis/connect.ts";
import { storeClause } from "../../../../lib/guard/redis/reasons.ts";
import { parseStoreUrl, type StoreUrl } from "../../../../lib/guard/redis/store_url.ts";
import { eventually } from "../../../support/eventually.ts";
import { startFakeRedis, startFakeSentinel } from "../../../support/fake_redis.ts";
import { freePort } from "../../../support/free_port.ts";

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
    const connected = client.connect();
    if (last < 0) await assertRejects(() => connected, Error, "CLUSTERDOWN");
    const asked = connected.then(async () => {
      assertEquals(await client.run("", (send) => send(["GET", ""])), "PONG");
      assertEquals(await client.probe(), []);
      await client.run("a", (send) => send(["GET", "a"]));
    });
    await assertRejects(() => asked, Error, "CLUSTERDOWN");
    client.destroy();
    node.close();
  }
});

Deno.test("neither primary decides while Sentinels name one that cannot be reached", async () => {
  // Sentinels have no databases, and refuse all other commands than their own.
  const chosen: string[] = [];
  const old = startFakeRedis(([command, database = ""]) => {
    if (command === "SELECT") chosen.push(database);
    return "PONG";
  });
  let [port, epoch] = [old.port, 1];
  const sentinel = startFakeSentinel(() => [port, epoch]);
  const losses: string[] = [];
  const client = await openStore(
    parseStoreUrl(`redis+sentinel://127.0.0.1:${sentinel.port}/main/3`) as StoreUrl,
    {
      readFiles: () => ({}),
      timeoutMs: 60_000,
      onLoss: (error) => void losses.push(storeClause(error)),
    },
  );
  await client.connect();
  const ask = (): Promise<unknown> => client.run("a", (send) => send(["GET", "a"]));
  assertEquals([await ask(), chosen], ["PONG", ["3"]]);
  [port, epoch] = [freePort(), 2];
  await eventually(() => losses.length > 0);
  assertEquals(losses, [`its primary, 127.0.0.1:${port}, cannot be reached (ECONNREFUSED)`]);
  await assertRejects(ask, Error, "There is no primary");
  client.destroy();
  [sentinel, old].forEach((each) => each.close());
});

Deno.test("of two moves at once, the primary that was named last decides", async () => {
  const stores = [startFakeRedis(), startFakeRedis()];
  using slow = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const ports = [stores[0]!.port, slow.addr.port, stores[1]!.port];
  let epoch = 0;
  const sentinel = startFakeSentinel(() => [ports[epoch]!, epoch]);
  const primaries: number[] = [];
  const client = await openStore(
    parseStoreUrl(`redis+sentinel://127.0.0.1:${sentinel.port}/main`) as StoreUrl,
    {
      readFiles: () => ({}),
      timeoutMs: 60_000,
      onPrimary: (_, port) => void primaries.push(port),
    },
  );
  await client.connect();
  epoch = 1;
  const connection = await slow.accept();
  epoch = 2;
  await eventually(() => primaries.length === 2);
  // The login of the first is answered once the second decides.
  await connection.write(new TextEncoder().encode("+OK\r\n"));
  let isClosed = false;
  const buffer = new Uint8Array(1000);
  const drained = (async () => {
    while (await connection.read(buffer) !== null);
    isClosed = true;
  })().catch(() => isClosed = true);
  await eventually(() => isClosed || primaries.length > 2);
  assertEquals(primaries, [ports[0], ports[2]]);
  client.destroy();
  await drained;
  connection.close();
  [sentinel, ...stores].forEach((each) => each.close());
});

Deno.test("a client refuses a command beyond 10,000 that wait for their replies", async () => {
  const redis = startFakeRedis();
  const url = parseStoreUrl(`${redis.url}?timeout=60000`) as StoreUrl;
  const client = await openStore(url, { readFiles: () => ({}), timeoutMs: url.timeoutMs });
  await client.connect();
  const asked = Array.from({ length: 10_001 }, () => client.run("", (send) => send(["PING"])));
  const refused = (await Promise.allSettled([asked.at(-1), ...asked.slice(0, 1)]))
    .map((result) => result.status === "rejected" && `${result.reason}`);
  client.destroy();
  await Promise.allSettled(asked);
  assertEquals(refused, ["Error: The queue is full", false]);
  redis.close();
});
