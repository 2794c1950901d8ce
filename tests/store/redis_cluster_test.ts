import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { MAX_NODES, slotOf, type SlotOwners, SLOTS } from "../../lib/store/cluster_slots.ts";
import type { RedisClient } from "../../lib/connection/redis_client.ts";
import { connectCluster } from "../../lib/store/redis_cluster.ts";
import type { RedisConnection } from "../../lib/connection/redis_connection.ts";
import { ErrorReply, SilenceError } from "../../lib/connection/store_failure.ts";
import { ManualTimers } from "../support/timers.ts";

/** What a node says to a question; an error is an error reply, or the end of the connection. */
type Answer = (words: readonly string[]) => unknown;

/** Who has the slots, in equal shares; an error where nobody says so. */
type Owners = readonly (string | undefined)[] | Error;

interface Scene {
  readonly connection: RedisConnection;
  /** What each node was asked, but for probes. */
  readonly asked: (readonly [node: string, word: string])[];
  /** What each node was probed with: a key, or a command without one. */
  readonly probed: (readonly [node: string, word: string])[];
  /** What was told, with the node. */
  readonly news: (readonly [string | undefined, string])[];
  /** How a node answers from now on. */
  readonly nodes: Map<string, Answer>;
  /** Nodes to which no connection can be made from now on. */
  readonly down: Set<string>;
  /** What is waited for before there is a connection to a node. */
  readonly gates: Map<string, Promise<void>>;
  /** Nodes to which there is a connection. */
  readonly open: Set<string>;
  /** Who has the slots from now on. */
  owners: Owners | Promise<Owners>;
  /** The nodes that were well whenever somebody asked for the slots. */
  readonly finds: (readonly string[])[];
}

const [ONE, TWO, THREE, FOUR] = ["one:7001", "two:7002", "three:7003", "four:7004"] as const;

// One of the first half of the slots, one of the second, and another one of the first.
const [FIRST, SECOND, THIRD] = ["b", "a", "c"] as const;

/** What keeps the slots before the first one. */
function play(owners: Scene["owners"] = [ONE, TWO]): Scene {
  const scene: Omit<Scene, "connection"> = {
    ...{ asked: [], probed: [], news: [], finds: [], owners },
    ...{ nodes: new Map(), down: new Set(), gates: new Map(), open: new Set() },
  };
  const connection = connectCluster({
    findOwners: async (known) => {
      scene.finds.push(known);
      return slotsOf(await scene.owners);
    },
    open: async (address, onEnd) => {
      await scene.gates.get(address);
      if (scene.down.has(address)) throw new Error("Down");
      return nodeOf(scene, address, onEnd);
    },
    probe: (client, key) => client.ask(["EVAL", "", "1", key], () => {}),
    probePrefix: "probe-",
    onChange: (failure, node) => void scene.news.push([node, failure?.kind ?? "there"]),
    pace: { retryMs: 5, longestPauseMs: 5 },
    refreshMs: 60_000,
  });
  return Object.assign(scene, { connection });
}

function slotsOf(owners: Owners): SlotOwners {
  if (owners instanceof Error) throw owners;
  return owners.flatMap((owner) => new Array(SLOTS / owners.length).fill(owner));
}

function nodeOf(
  { asked, probed, nodes, open }: Omit<Scene, "connection">,
  address: string,
  onEnd: (reason: unknown) => void,
): RedisClient {
  open.add(address);
  const client: RedisClient = {
    ask: (words, read) => {
      if (!open.has(address)) return Promise.reject(new Error("Ended"));
      const probe = words[0] === "TIME" ? "TIME" : /^probe-.*/.exec(words[3] ?? "")?.[0];
      if (probe === undefined) asked.push([address, words[0]!]);
      else probed.push([address, probe]);
      const reply = probe ? "fine" : (nodes.get(address) ?? (() => address))(words);
      if (reply instanceof SilenceError) client.end(reply);
      return reply instanceof Error
        ? Promise.reject(reply)
        : Promise.resolve().then(() => read(reply));
    },
    end: (reason) => {
      if (open.delete(address)) onEnd(reason);
    },
  };
  return client;
}

function ask({ connection }: Scene, key: string): Promise<unknown> {
  return connection.ask(["EVALSHA", "sha", "1", key], (reply) => reply);
}

function moved(key: string, address: string): ErrorReply {
  return new ErrorReply(`MOVED ${slotOf(key)} ${address}`);
}

/** Runs a test of a Cluster that is connected, in the pause before the slots are asked for again. */
function testCluster(
  name: string,
  act: (scene: Scene, timers: ManualTimers) => Promise<void>,
): void {
  Deno.test(`connectCluster() ${name}`, () =>
    ManualTimers.during(async (timers) => {
      const scene = play();
      await timers.settle();
      await act(scene, timers);
      scene.connection.close();
      await timers.settle();
      assertEquals(scene.open, new Set());
    }));
}

// The pauses of the Cluster, without those of its connections.
function pausesOf({ asked }: ManualTimers): readonly number[] {
  return asked.filter((ms) => ms !== 5);
}

testCluster("asks the node that has the slot of the key", async (scene) => {
  assert(slotOf(FIRST) < SLOTS / 2 && slotOf(SECOND) >= SLOTS / 2 && slotOf(THIRD) < SLOTS / 2);
  assertEquals(scene.connection.isHealthy(), true);
  for (const command of [["EVAL", "", "1"], ["EVALSHA", "sha", "1"], ["GET"]]) {
    for (const [key, node] of [[FIRST, ONE], [SECOND, TWO]] as const) {
      assertEquals(await scene.connection.ask([...command, key], (reply) => reply), node);
    }
  }
  assertEquals(scene.news, [[undefined, "there"]]);
  scene.connection.close();
  await assertRejects(() => ask(scene, FIRST), Error, "No node has the slot");
});

testCluster("probes each node about a key that it has", async (scene, timers) => {
  const halves = (): readonly unknown[] =>
    scene.probed.splice(0).map(([node, key]) => [
      node,
      key.startsWith("probe-") && slotOf(key) < SLOTS / 2,
    ]);
  assertEquals(halves(), [[ONE, true], [TWO, false]]);
  // Once it has others, about one of those.
  scene.owners = [TWO, ONE];
  for (let i = 0; i < 2; i++) await timers.tick();
  assertEquals([scene.finds.length, halves()], [2, []]);
  await timers.repeat();
  assertEquals(halves(), [[ONE, false], [TWO, true]]);
});

testCluster("goes where a slot has moved to, and from then on at once", async (scene) => {
  scene.nodes.set(ONE, () => moved(FIRST, TWO));
  for (let i = 0; i < 2; i++) assertEquals(await ask(scene, FIRST), TWO);
  assertEquals(scene.asked.map(([node]) => node), [ONE, TWO, TWO]);
  assertEquals([scene.news, scene.finds.length], [[[undefined, "there"]], 1]);
});

testCluster("asks who has what once a slot has moved", async (scene, timers) => {
  await timers.tick();
  assertEquals([pausesOf(timers), scene.finds], [[250, 60_000], [[]]]);
  scene.nodes.set(ONE, () => moved(FIRST, TWO));
  scene.owners = [TWO];
  await ask(scene, FIRST);
  await timers.settle();
  assertEquals([scene.finds, timers.pending], [[[], [ONE, TWO]], 1]);
  assertEquals(await ask(scene, THIRD), TWO);
  // The other one was asked, and goes the next time.
  for (let i = 0; i < 2; i++) await timers.tick();
  assertEquals([scene.finds.length, scene.open], [3, new Set([TWO])]);
});

testCluster("takes a node that nobody has heard of for no primary", async (scene) => {
  for (const node of [THREE, FOUR]) scene.down.add(node);
  scene.nodes.set(ONE, ([, , , key]) => moved(key!, key === FIRST ? THREE : FOUR));
  for (const key of [FIRST, THIRD]) {
    await assertRejects(() => ask(scene, key), Error, "There is no connection");
  }
  assertEquals(scene.connection.isHealthy(), true);
});

testCluster("keeps a node without slots while it is asked", async (scene, timers) => {
  scene.nodes.set(ONE, () => moved(FIRST, THREE));
  await assertRejects(() => ask(scene, FIRST), Error, "There is no connection");
  await timers.settle();
  assertEquals([await ask(scene, FIRST), scene.probed.at(-1)], [THREE, [THREE, "TIME"]]);
  // The slots are asked for in the meantime.
  for (let i = 0; i < 2; i++) await timers.tick();
  assertEquals([scene.finds.length, scene.open], [2, new Set([ONE, TWO, THREE])]);
  for (let i = 0; i < 2; i++) await timers.tick();
  assertEquals([scene.finds.length, scene.open], [3, new Set([ONE, TWO])]);
});

testCluster("connects anew to a node that has slots again", async (scene, timers) => {
  scene.owners = [ONE];
  for (let i = 0; i < 2; i++) await timers.tick();
  assertEquals(scene.open, new Set([ONE]));
  scene.owners = [ONE, TWO];
  for (let i = 0; i < 2; i++) await timers.tick();
  assertEquals([await ask(scene, SECOND), scene.open], [TWO, new Set([ONE, TWO])]);
});

testCluster("asks nobody for the slots because a connection is there", async (scene, timers) => {
  const gate = Promise.withResolvers<void>();
  scene.gates.set(THREE, gate.promise);
  scene.nodes.set(ONE, () => moved(FIRST, THREE));
  await assertRejects(() => ask(scene, FIRST), Error, "There is no connection");
  await timers.tick();
  gate.resolve();
  await timers.settle();
  assertEquals([scene.open.has(THREE), pausesOf(timers), scene.finds.length], [
    ...[true, [250, 60_000], 1],
  ]);
});

testCluster("asks once elsewhere while a slot moves, and says ASKING first", async (scene) => {
  scene.nodes.set(ONE, () => new ErrorReply(`ASK ${slotOf(FIRST)} ${TWO}`));
  for (let i = 0; i < 2; i++) assertEquals(await ask(scene, FIRST), TWO);
  const once = [[ONE, "EVALSHA"], [TWO, "ASKING"], [TWO, "EVALSHA"]] as const;
  assertEquals(scene.asked, [...once, ...once]);
});

testCluster("sends no question again whose reply was lost", async (scene, timers) => {
  await timers.tick();
  // Whatever the reason says.
  scene.nodes.set(ONE, () => new SilenceError(moved(FIRST, TWO).message));
  await assertRejects(() => ask(scene, FIRST), SilenceError);
  assertEquals(scene.asked, [[ONE, "EVALSHA"]]);
  // The other node decides on, and the one that failed is told of by its name.
  assertEquals(await ask(scene, SECOND), TWO);
  await timers.settle();
  assertEquals(scene.news.slice(1), [[ONE, "silent"]]);
  // It may be another one's turn.
  assertEquals(scene.finds.slice(1), [[TWO]]);
  scene.down.add(ONE);
  assertEquals(scene.connection.isHealthy(), false);
  for (let i = 0; i < 3; i++) await timers.tick();
  assertEquals(scene.finds.slice(2), [[TWO], [TWO], [TWO]]);
  scene.down.clear();
  while (!scene.open.has(ONE)) await timers.tick();
  assertEquals(scene.news.at(-1), [ONE, "there"]);
  assertEquals(scene.connection.isHealthy(), true);
});

testCluster("follows no question for ever around", async (scene) => {
  scene.nodes.set(ONE, () => moved(FIRST, TWO));
  scene.nodes.set(TWO, () => moved(FIRST, ONE));
  await assertRejects(() => ask(scene, FIRST), ErrorReply);
  assertEquals(scene.asked.length, 5);
});

testCluster("sends a question on for nobody who waits no more", async (scene) => {
  let redirections = 0;
  scene.nodes.set(ONE, () => moved(FIRST, TWO));
  scene.nodes.set(TWO, () => moved(FIRST, ONE));
  await assertRejects(
    () => scene.connection.ask(["GET", FIRST], (reply) => reply, () => ++redirections === 2),
    ErrorReply,
  );
  assertEquals(scene.asked, [[ONE, "GET"], [TWO, "GET"]]);
  // Where the slot is, is known from then on.
  scene.nodes.clear();
  assertEquals(await ask(scene, FIRST), ONE);
});

testCluster("goes to no more nodes than anybody runs", async (scene, timers) => {
  let port = 0;
  scene.nodes.set(ONE, () => moved(FIRST, `h:${++port}`));
  while (port < MAX_NODES - 2) {
    await assertRejects(() => ask(scene, FIRST), Error, "There is no connection");
  }
  for (let i = 0; i < 2; i++) await assertRejects(() => ask(scene, FIRST), ErrorReply, "MOVED");
  await timers.settle();
  assertEquals(scene.open.size, MAX_NODES);
  // To those that are known, it goes.
  scene.nodes.set(ONE, () => moved(FIRST, TWO));
  assertEquals(await ask(scene, FIRST), TWO);
});

testCluster("takes nothing else for the way to another node", async (scene) => {
  const noAddresses = ["\x1b[2J:1", "é:1", "a@h:1", "h:65536"].map((address) =>
    `MOVED 1 ${address}`
  );
  const texts = ["TRYAGAIN later", `MOVED 1 ${TWO} or so`, "MOVED 1 two", "ASK x two:1"];
  for (const text of [...texts, ...noAddresses]) {
    scene.nodes.set(ONE, () => new ErrorReply(text));
    await assertRejects(() => ask(scene, FIRST), ErrorReply, text);
  }
  // These say nothing against the node.
  assertEquals([scene.open.has(ONE), scene.news.length], [true, 1]);
  scene.nodes.set(ONE, () => new ErrorReply(`ERR of ${moved(FIRST, TWO).message}`));
  await assertRejects(() => ask(scene, FIRST), ErrorReply);
  assertEquals([scene.open.has(ONE), scene.asked.length], [false, 9]);
});

testCluster(
  "finds a node that leaves out its name at the host of the one that told",
  async (scene, timers) => {
    scene.nodes.set(ONE, () => moved(FIRST, ":7009"));
    await assertRejects(() => ask(scene, FIRST), Error, "There is no connection");
    await timers.settle();
    assertEquals(await ask(scene, FIRST), "one:7009");
  },
);

testCluster("is unwell without a majority of the primaries", async (scene, timers) => {
  await timers.tick();
  scene.owners = [ONE, THREE, TWO, TWO];
  scene.down.add(THREE);
  for (let i = 0; i < 2; i++) await timers.tick();
  assertEquals(scene.connection.isHealthy(), true);
  scene.nodes.set(TWO, () => new SilenceError("Late"));
  scene.down.add(TWO);
  await assertRejects(() => ask(scene, SECOND), Error);
  await timers.tick();
  assertEquals(scene.connection.isHealthy(), false);
  await assertRejects(() => ask(scene, SECOND), Error, "There is no connection");
});

Deno.test("connectCluster() tells once that nobody knows the slots, and asks less and less often", async () => {
  await ManualTimers.during(async (timers) => {
    const scene = play(new Error("No node"));
    await timers.settle();
    assertEquals([scene.news, scene.connection.isHealthy()], [[[undefined, "unreachable"]], false]);
    // The key of no letter has the first slot.
    for (const key of [FIRST, ""]) {
      await assertRejects(() => ask(scene, key), Error, "No node has the slot");
    }
    for (let i = 0; i < 10; i++) await timers.tick();
    const growing = [250, 500, 250, 1000, 250, 2000, 250, 4000, 250, 4000];
    assertEquals([timers.asked.slice(0, 10), scene.news.length], [growing, 1]);
    scene.owners = [ONE, TWO];
    for (let i = 0; i < 2; i++) await timers.tick();
    assertEquals([scene.news.slice(1), await ask(scene, FIRST)], [[[undefined, "there"]], ONE]);
    scene.owners = new Error("No node");
    timers.asked.length = 0;
    while (scene.news.length === 2) await timers.tick();
    await timers.tick();
    // Anew, and the nodes that are known decide on.
    assertEquals([timers.asked.slice(-2), await ask(scene, FIRST)], [[250, 500], ONE]);
    scene.connection.close();
  });
});

testCluster(
  "takes its time with a Cluster that names new nodes again and again",
  async (scene, timers) => {
    const COUNT = 512;
    for (const round of [1, 2, 3]) {
      scene.owners = Array.from({ length: COUNT }, (_, i) => `round-${round}:${i}`);
      timers.asked.length = 0;
      while (!scene.open.has(`round-${round}:0`)) await timers.tick();
      assertEquals(pausesOf(timers).at(-1), 4 * COUNT);
    }
    // No longer than usual with those that it knows.
    timers.asked.length = 0;
    for (let i = 0; i < 3; i++) await timers.tick();
    assertEquals(pausesOf(timers), [60_000, 250, 60_000]);
  },
);

for (const owners of [[ONE, TWO], [undefined], new Error("No node")] as const) {
  const what = owners instanceof Error ? "nobody knows the slots" : `${owners[0]} has slots`;

  Deno.test(`connectCluster() does nothing more once it is closed while ${what}`, async () => {
    await ManualTimers.during(async (timers) => {
      const scene = play(owners);
      await timers.settle();
      const news = scene.news.length;
      scene.connection.close();
      await timers.tick();
      assertEquals([timers.pending, scene.finds.length, scene.news.length], [0, 1, news]);
      assertEquals(scene.open, new Set());
    });
  });

  Deno.test(`connectCluster() does nothing more once it is closed before it heard that ${what}`, async () => {
    await ManualTimers.during(async (timers) => {
      const said = Promise.withResolvers<Owners>();
      const scene = play(said.promise);
      await timers.settle();
      scene.connection.close();
      said.resolve(owners);
      await timers.settle();
      assertEquals([timers.asked, scene.news, scene.open], [[], [], new Set()]);
    });
  });
}

testCluster("is closed in the midst of the longest pause", async (scene, timers) => {
  await timers.tick();
  assertEquals(timers.pending, 1);
  scene.connection.close();
  await timers.settle();
  assertEquals(timers.pending, 0);
});
