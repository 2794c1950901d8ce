import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import type { RedisClient } from "../../lib/connection/redis_client.ts";
import type { RedisConnection } from "../../lib/connection/redis_connection.ts";
import { StoreUrl } from "../../lib/connection/store_url.ts";
import { slotOf, SLOTS } from "../../lib/store/cluster_slots.ts";
import { connectStore, tryStore } from "../../lib/store/connect.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import {
  type FuzzedStore,
  type Reply,
  startFuzzedStore,
  written,
} from "../support/fuzzed_store.ts";

const PROBE_PREFIX = "probe-";
// None of these is about patience.
const OPTIONS = { tls: {}, patienceMs: 60_000 };
const PATIENT = "timeout=60000";

/** A server, and the keys about which it was asked. */
interface Asked extends FuzzedStore {
  readonly keys: readonly string[];
}

/** A server that answers a probe with PONG, and other commands as a function says. */
function server(other: (words: readonly string[]) => Reply = () => "OK"): Asked {
  const keys: string[] = [];
  const store = startFuzzedStore(() => ({ pieces: [] }), (words) => {
    if (words[0] !== "PROBE") return written(other(words));
    keys.push(words[1]!);
    return written("PONG");
  });
  return { ...store, keys };
}

async function probe({ ask }: Pick<RedisClient, "ask">, key: string): Promise<void> {
  await ask(["PROBE", key], (reply) => {
    if (reply !== "PONG") throw new Error("This is no answer to a probe");
  });
}

const PROBE = { probe, probePrefix: PROBE_PREFIX };

/** A connection to a store, and what it said of it. */
function connected(
  url: string,
): { readonly connection: RedisConnection; readonly news: unknown[] } {
  const news: unknown[] = [];
  const connection = connectStore({
    url: StoreUrl.parse(`${url}?${PATIENT}`)!,
    readTls: () => ({}),
    ...PROBE,
    onChange: (failure) => void news.push(failure?.kind ?? "there"),
  });
  return { connection, news };
}

/** The quarters of the slots in which keys are. */
function quartersOf(keys: readonly string[]): readonly number[] {
  return keys.map((key) => Math.floor(4 * slotOf(key) / SLOTS)).toSorted();
}

/** What a Sentinel says of a primary, which may become another one. */
function sentinelOf(primary: () => FuzzedStore): Asked {
  return server(() => {
    const [ip, port] = primary().address.split(":");
    return ["ip", ip!, "port", port!, "config-epoch", "1"];
  });
}

Deno.test("tryStore() asks one server about a key in each quarter of the slots", async () => {
  const store = server();
  await tryStore(StoreUrl.parse(store.url)!, OPTIONS, PROBE);
  assertEquals(quartersOf(store.keys), [0, 1, 2, 3]);
  assertEquals(store.keys.every((key) => key.startsWith(PROBE_PREFIX)), true);
  store.close();
});

Deno.test("tryStore() asks the primary that Sentinels name, and each node of a Cluster about its own", async () => {
  const [first, second] = [server(), server()];
  const sentinel = sentinelOf(() => first);
  const url = StoreUrl.parse(`redis+sentinel://${sentinel.address}/main`)!;
  await tryStore(url, OPTIONS, PROBE);
  assertEquals([quartersOf(first.keys), second.keys], [[0, 1, 2, 3], []]);
  const half = SLOTS / 2;
  const rangeOf = ({ address }: FuzzedStore, from: number, to: number): Reply => {
    const [host, port] = address.split(":");
    return [from, to, [host!, Number(port), "id"]];
  };
  const node = server(() => [rangeOf(first, 0, half - 1), rangeOf(second, half, SLOTS - 2)]);
  const cluster = StoreUrl.parse(`redis+cluster://${node.address}`)!;
  await tryStore(cluster, OPTIONS, PROBE);
  assertEquals([first.keys.length, second.keys.length], [5, 1]);
  assertEquals([slotOf(first.keys[4]!) < half, slotOf(second.keys[0]!) >= half], [true, true]);
  second.close();
  await assertRejects(() => tryStore(cluster, OPTIONS, PROBE), Error);
  for (const { close } of [first, sentinel, node]) close();
});

Deno.test("connectStore() keeps a connection to one server that answered a probe", async () => {
  const store = server(() => "fine");
  const { connection, news } = connected(store.url);
  await eventually(connection.isHealthy);
  assertEquals([new Set(quartersOf(store.keys)), news], [new Set([0, 1, 2, 3]), ["there"]]);
  assertEquals(await connection.ask(["GET", "a"], (reply) => reply), "fine");
  connection.close();
  await eventually(() => !connection.isHealthy());
  store.close();
});

Deno.test("connectStore() connects to the primary that Sentinels name, and leaves one that leads no more", async () => {
  const [first, second] = [server(() => "first"), server(() => "second")];
  // Between the connection and the end of its probe another one is elected.
  const sentinel = sentinelOf(() => first.keys.length === 0 ? first : second);
  const { connection, news } = connected(`redis+sentinel://${sentinel.address}/main`);
  await eventually(connection.isHealthy);
  await eventually(async () =>
    await connection.ask(["GET", "a"], (reply) => reply).catch(() => "") === "second"
  );
  const quarters = [first, second].map(({ keys }) => new Set(quartersOf(keys)).size);
  assertEquals(quarters, [4, 4]);
  // Nothing is said of the first as if it answered.
  assertEquals(news, ["demoted", "there"]);
  connection.close();
  await eventually(() => !connection.isHealthy());
  for (const { close } of [first, second, sentinel]) close();
});

Deno.test("connectStore() leaves a primary, though it answers, once Sentinels name another", async () => {
  const [first, second] = [server(() => "first"), server(() => "second")];
  let primary = first;
  const sentinel = sentinelOf(() => primary);
  const { connection, news } = connected(`redis+sentinel://${sentinel.address}/main`);
  await eventually(connection.isHealthy);
  primary = second;
  // The next probe finds it out, after some seconds.
  await eventually(async () =>
    await connection.ask(["GET", "a"], (reply) => reply).catch(() => "") === "second"
  );
  assertEquals(news, ["there", "demoted", "there"]);
  connection.close();
  await eventually(() => !connection.isHealthy());
  for (const { close } of [first, second, sentinel]) close();
});

Deno.test("connectStore() keeps a connection to each primary of a Cluster", async () => {
  const one = server((words) => words[0] === "CLUSTER" ? slots() : "fine");
  const slots = (): Reply => {
    const [host, port] = one.address.split(":");
    return [[0, SLOTS - 1, [host!, Number(port), "id"]]];
  };
  const { connection } = connected(`redis+cluster://${one.address}`);
  await eventually(connection.isHealthy);
  assertEquals(await connection.ask(["GET", "a"], (reply) => reply), "fine");
  // The one key, with each probe again.
  assertEquals(new Set(one.keys).size, 1);
  connection.close();
  await eventually(() => !connection.isHealthy());
  one.close();
});

Deno.test("connectStore() stays with a primary that no Sentinel can be asked for any more", async () => {
  const store = server(() => "fine");
  const [ip, port] = store.address.split(":");
  let asked = 0;
  const sentinel = server(() =>
    asked++ === 0 ? ["ip", ip!, "port", port!, "config-epoch", "1"] : new Error("ERR no")
  );
  const { connection, news } = connected(`redis+sentinel://${sentinel.address}/main`);
  await eventually(connection.isHealthy);
  assertEquals([asked > 1, news], [true, ["there"]]);
  connection.close();
  await eventually(() => !connection.isHealthy());
  for (const { close } of [store, sentinel]) close();
});

for (const url of ["redis://", "redis+sentinel://", "redis+cluster://"]) {
  Deno.test(`connectStore() reads what TLS needs for each attempt anew (${url})`, async () => {
    const path = url.includes("sentinel") ? "/main" : "";
    let read = 0;
    const connection = connectStore({
      url: StoreUrl.parse(`${url}127.0.0.1:${freePort()}${path}`)!,
      readTls: () => (read++, {}),
      ...PROBE,
      onChange: () => {},
    });
    await eventually(() => read > 1);
    connection.close();
  });
}
