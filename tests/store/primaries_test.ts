import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import type { RedisClient } from "../../lib/connection/redis_client.ts";
import { LeaderlessError, ProtocolError } from "../../lib/connection/store_failure.ts";
import { StoreUrl } from "../../lib/connection/store_url.ts";
import { slotOf, SLOTS } from "../../lib/store/cluster_slots.ts";
import {
  allServers,
  askOnce,
  findPrimary,
  findSlotOwners,
  serverOf,
} from "../../lib/store/primaries.ts";
import { freePort } from "../support/free_port.ts";
import {
  type FuzzedStore,
  type Reply,
  startFuzzedStore,
  written,
} from "../support/fuzzed_store.ts";

// None of these is about patience.
const OPTIONS = { tls: {}, patienceMs: 60_000 };

/** Servers that answer every command in such a way, and what each was asked. */
async function withServers(
  answers: readonly ((words: readonly string[]) => Reply)[],
  run: (servers: readonly FuzzedStore[], asked: readonly string[][]) => Promise<void>,
): Promise<void> {
  const asked: string[][] = answers.map(() => []);
  const servers = answers.map((answer, i) =>
    startFuzzedStore(() => ({ pieces: [] }), (words) => {
      asked[i]!.push(words.join(" "));
      return written(answer(words));
    })
  );
  try {
    await run(servers, asked);
  } finally {
    for (const { close } of servers) close();
  }
}

function urlOf(
  servers: readonly Pick<FuzzedStore, "address">[],
  kind: string,
  path = "",
): StoreUrl {
  const addresses = servers.map(({ address }) => address).join(",");
  return StoreUrl.parse(`redis+${kind}://${addresses}${path}`)!;
}

/** Where nobody listens. */
function nowhere(): { readonly address: string } {
  return { address: `127.0.0.1:${freePort()}` };
}

/** What a Sentinel says of a primary, among other things. */
function elected(ip: string, port: number, epoch: number): Reply {
  const values = ["runid", "ip", "flags", "port", "name", "config-epoch"];
  return [...values, "ip", ip, "port", String(port), "config-epoch", String(epoch), "quorum", "2"];
}

Deno.test("findPrimary() takes the word of the Sentinel that knows of the latest election", async () => {
  const answers = [
    elected("10.0.0.1", 1, 7),
    elected("10.0.0.2", 2, 12),
    elected("10.0.0.3", 3, 9),
  ];
  await withServers(answers.map((answer) => () => answer), async (servers, asked) => {
    const url = urlOf([nowhere(), ...servers], "sentinel", "/main/3");
    assertEquals((await findPrimary(url, OPTIONS)).reveal(), "redis://10.0.0.2:2/3");
    assertEquals(asked.map((words) => words.at(-1)), Array(3).fill("SENTINEL MASTER main"));
  });
});

Deno.test("findPrimary() writes brackets around an address of IPv6", async () => {
  await withServers([() => elected("2001:db8::1", 6379, 0)], async (servers) => {
    const primary = await findPrimary(urlOf(servers, "sentinel", "/main"), OPTIONS);
    assertEquals(primary.reveal(), "redis://[2001:db8::1]:6379");
  });
});

Deno.test("findPrimary() says that no Sentinel knows the primary, where one says so", async () => {
  const unknown = new Error("ERR No such master with that name");
  await withServers([() => unknown, () => new Error("ERR other")], async (servers) => {
    for (const order of [servers, servers.toReversed()]) {
      const url = urlOf([nowhere(), ...order], "sentinel", "/main");
      await assertRejects(() => findPrimary(url, OPTIONS), LeaderlessError);
    }
    const others = urlOf(servers.slice(1), "sentinel", "/main");
    await assertRejects(() => findPrimary(others, OPTIONS), Error, "ERR other");
  });
  const { code } = await findPrimary(urlOf([nowhere()], "sentinel", "/main"), OPTIONS)
    .then(() => ({ code: "" }), (error) => error);
  assertEquals(code, "ECONNREFUSED");
});

// What is no word of a Sentinel about a primary.
const NO_PRIMARIES: readonly Reply[] = [
  "OK",
  [],
  elected("", 1, 1),
  elected("10.0.0.1", 100_000, 1),
  elected("10.0.0.1", 65_536, 1),
  elected("canary\x1b[2J", 1, 1),
  elected("10.0.0.1", -1, 1),
  elected("10.0.0.1", 1, 1e15),
  elected("10.0.0.1", 1, -1),
  ["ip", "10.0.0.1", "port", "1", "config-epoch"],
  ["port", "1", "config-epoch", "1"],
  ["port", "1", "config-epoch", "1", "ip"],
  ["ip", "10.0.0.1", "port", "1", "x", "config-epoch", "1"],
];

Deno.test("findPrimary() takes nothing else for a primary", async () => {
  for (const reply of NO_PRIMARIES) {
    await withServers([() => reply], async (servers) => {
      const url = urlOf(servers, "sentinel", "/main");
      const { message } = await assertRejects(() => findPrimary(url, OPTIONS), ProtocolError);
      assert(["This is no primary", "This is no address"].includes(message), message);
    });
  }
});

/** All slots at one address, or those below a bound and the others. */
function slots(...owners: readonly (readonly [number, number, string])[]): Reply {
  return owners.map(([from, to, address]) => {
    const [host = "", port] = address.split(":");
    return [from, to, [host, Number(port), "id"]];
  });
}

const WHOLE = slots([0, SLOTS - 1, "10.0.0.1:1"]);

Deno.test("findSlotOwners() asks known nodes first, and goes on until one says", async () => {
  const refused = new Error("ERR cluster support disabled");
  await withServers([() => refused, () => WHOLE, () => WHOLE], async (servers, asked) => {
    const url = urlOf([nowhere(), servers[0]!, servers[1]!], "cluster");
    const owners = await findSlotOwners(url, OPTIONS);
    assertEquals([new Set(owners), owners.length], [new Set(["10.0.0.1:1"]), SLOTS]);
    assertEquals(asked.map((words) => words.includes("CLUSTER SLOTS")), [true, true, false]);
    await findSlotOwners(url, OPTIONS, [servers[2]!.address]);
    assertEquals(asked.map((words) => words.filter((word) => word === "CLUSTER SLOTS").length), [
      ...[1, 1, 1],
    ]);
    await assertRejects(
      () => findSlotOwners(urlOf([nowhere(), servers[0]!], "cluster"), OPTIONS),
      Error,
      "cluster support disabled",
    );
  });
});

Deno.test("findSlotOwners() reads what a Cluster of many ranges says", async () => {
  const ranges = Array.from({ length: 400 }, (_, i) => [i, i, `10.0.0.${i % 3}:1`] as const);
  await withServers([() => slots(...ranges)], async (servers) => {
    const owners = await findSlotOwners(urlOf(servers, "cluster"), OPTIONS);
    assertEquals([new Set(owners).size, owners[399], owners[400]], [4, "10.0.0.0:1", undefined]);
  });
});

Deno.test("findSlotOwners() takes the name by which it asked a node for one that the node leaves out", async () => {
  await withServers([() => slots([0, 5, ":7"])], async (servers) => {
    const owners = await findSlotOwners(urlOf(servers, "cluster"), OPTIONS);
    assertEquals(owners.slice(5, 7), ["127.0.0.1:7", undefined]);
  });
});

Deno.test("findSlotOwners() knows that a Cluster without any slot has no primary", async () => {
  await withServers([() => []], async (servers) => {
    const url = urlOf(servers, "cluster");
    await assertRejects(() => findSlotOwners(url, OPTIONS), LeaderlessError, "No node has a slot");
  });
});

Deno.test("serverOf() and allServers() find what keeps a key, and all that keep anything", async () => {
  const one = StoreUrl.parse("redis://10.0.0.9")!;
  assert(await serverOf(one, "foo", OPTIONS) === one);
  assertEquals(await allServers(one, OPTIONS), [one]);
  await withServers([() => elected("10.0.0.1", 1, 7)], async (servers) => {
    const url = urlOf(servers, "sentinel", "/main");
    assertEquals((await serverOf(url, "foo", OPTIONS)).reveal(), "redis://10.0.0.1:1");
    assertEquals((await allServers(url, OPTIONS)).map((server) => server.reveal()), [
      "redis://10.0.0.1:1",
    ]);
  });
  const slot = slotOf("foo");
  const owners = slots([0, slot - 1, "10.0.0.1:1"], [slot, slot, "10.0.0.2:2"], [
    ...[slot + 1, SLOTS - 2] as const,
    "10.0.0.1:1",
  ]);
  await withServers([() => owners], async (servers) => {
    const url = urlOf(servers, "cluster");
    assertEquals((await serverOf(url, "foo", OPTIONS)).reveal(), "redis://10.0.0.2:2");
    assertEquals((await allServers(url, OPTIONS)).map((server) => server.reveal()), [
      "redis://10.0.0.1:1",
      "redis://10.0.0.2:2",
    ]);
  });
  await withServers([() => slots([0, 0, "10.0.0.1:1"])], async (servers) => {
    const url = urlOf(servers, "cluster");
    await assertRejects(() => serverOf(url, "foo", OPTIONS), LeaderlessError, "has the slot");
  });
});

Deno.test("askOnce() ends its connection, whatever came of it", async () => {
  const answer = (words: readonly string[]): Reply =>
    words[0] === "GET" ? new Error("ERR no") : "PONG";
  await withServers([answer], async ([server]) => {
    const clients: RedisClient[] = [];
    const ask = (word: string): Promise<unknown> =>
      askOnce(StoreUrl.parse(server!.url)!, OPTIONS, (client) => {
        clients.push(client);
        return client.ask([word], (reply) => reply);
      });
    assertEquals(await ask("PING"), "PONG");
    await assertRejects(() => ask("GET"), Error, "ERR no");
    for (const client of clients) {
      await assertRejects(() => client.ask(["PING"], () => {}), Error, "Nothing more is asked");
    }
    assertEquals(clients.length, 2);
  });
});
