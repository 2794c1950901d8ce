import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { slotOf, SLOTS } from "../../lib/store/cluster_slots.ts";
import type { RedisClient } from "../../lib/connection/redis_client.ts";
import { connectCluster } from "../../lib/store/redis_cluster.ts";
import type { RedisConnection } from "../../lib/connection/redis_connection.ts";
import { ErrorReply, SilenceError } from "../../lib/connection/store_failure.ts";
import { eventually } from "../support/eventually.ts";

/** What a node says to a question; an error is an error reply, or the end of the connection. */
type Answer = (words: readonly string[]) => unknown;

interface Scene {
  readonly connection: RedisConnection;
  /** What each node was asked, but for probes. */
  readonly asked: (readonly [node: string, word: string])[];
  /** What was told, with the node. */
  readonly news: (readonly [string | undefined, string])[];
  /** How a node answers from now on. */
  readonly nodes: Map<string, Answer>;
  /** Who has the slots from now on: the first half of them, and the second. */
  owners: readonly [string, string] | Error;
}

function play(owners: Scene["owners"]): Scene {
  const asked: Scene["asked"] = [];
  const news: Scene["news"] = [];
  const nodes: Scene["nodes"] = new Map();
  const open = (address: string, onEnd: (reason: unknown) => void): Promise<RedisClient> => {
    let isOpen = true;
    const client: RedisClient = {
      ask: (words, read) => {
        if (!isOpen) return Promise.reject(new Error("Ended"));
        const isProbe = words[3]?.startsWith("probe-") || words[0] === "TIME";
        if (!isProbe) asked.push([address, words[0]!]);
        const reply = isProbe ? "fine" : (nodes.get(address) ?? (() => address))(words);
        if (reply instanceof SilenceError) client.end(reply);
        return reply instanceof Error
          ? Promise.reject(reply)
          : Promise.resolve().then(() => read(reply));
      },
      end: (reason) => {
        if (!isOpen) return;
        isOpen = false;
        onEnd(reason);
      },
    };
    return Promise.resolve(client);
  };
  const scene: Omit<Scene, "connection"> = { asked, news, nodes, owners };
  const connection = connectCluster({
    findOwners: () => {
      const { owners } = scene;
      if (owners instanceof Error) return Promise.reject(owners);
      const half = (owner: string): string[] => new Array(SLOTS / 2).fill(owner);
      return Promise.resolve(owners.flatMap(half));
    },
    open,
    probe: (client, key) => client.ask(["EVAL", "", "1", key], () => {}),
    probePrefix: "probe-",
    onChange: (failure, node) => void news.push([node, failure?.kind ?? "there"]),
    pace: { retryMs: 5, longestPauseMs: 5 },
    refreshMs: 60_000,
  });
  return Object.assign(scene, { connection });
}

function ask({ connection }: Scene, key: string): Promise<unknown> {
  return connection.ask(["EVALSHA", "sha", "1", key], (reply) => reply);
}

// One of the first half of the slots, one of the second.
const [FIRST, SECOND] = ["b", "a"] as const;

Deno.test("connectCluster() asks the node that has the slot of the key", async () => {
  assert(slotOf(FIRST) < SLOTS / 2 && slotOf(SECOND) >= SLOTS / 2);
  const scene = play(["one:1", "two:2"]);
  await eventually(scene.connection.isHealthy);
  await eventually(async () => await ask(scene, SECOND).catch(() => "") === "two:2");
  await eventually(async () => await ask(scene, FIRST).catch(() => "") === "one:1");
  assertEquals(scene.news, [[undefined, "there"]]);
  scene.connection.close();
  await assertRejects(() => ask(scene, FIRST), Error);
});

Deno.test("connectCluster() goes where a slot has moved to, and asks who has what", async () => {
  const scene = play(["one:1", "two:2"]);
  await eventually(async () => await ask(scene, SECOND).catch(() => "") === "two:2");
  await eventually(async () => await ask(scene, FIRST).catch(() => "") === "one:1");
  const moved = new ErrorReply(`MOVED ${slotOf(FIRST)} two:2`);
  scene.nodes.set("one:1", () => moved);
  // What it hears when it asks, which may be before the second question or after.
  scene.owners = ["two:2", "two:2"];
  scene.asked.length = 0;
  assertEquals(await ask(scene, FIRST), "two:2");
  assertEquals(await ask(scene, FIRST), "two:2");
  assertEquals(scene.asked.map(([node]) => node), ["one:1", "two:2", "two:2"]);
  assertEquals(scene.news, [[undefined, "there"]]);
  scene.connection.close();
});

Deno.test("connectCluster() asks once elsewhere while a slot moves, and says ASKING first", async () => {
  const scene = play(["one:1", "two:2"]);
  await eventually(async () => await ask(scene, SECOND).catch(() => "") === "two:2");
  scene.nodes.set("one:1", () => new ErrorReply(`ASK ${slotOf(FIRST)} two:2`));
  await eventually(async () => await ask(scene, FIRST).catch(() => "") === "two:2");
  scene.asked.length = 0;
  for (let i = 0; i < 2; i++) assertEquals(await ask(scene, FIRST), "two:2");
  const once = [["one:1", "EVALSHA"], ["two:2", "ASKING"], ["two:2", "EVALSHA"]] as const;
  assertEquals(scene.asked, [...once, ...once]);
  scene.connection.close();
});

Deno.test("connectCluster() sends no question again whose reply was lost, nor for ever around", async () => {
  const scene = play(["one:1", "two:2"]);
  await eventually(async () => await ask(scene, FIRST).catch(() => "") === "one:1");
  await eventually(async () => await ask(scene, SECOND).catch(() => "") === "two:2");
  scene.asked.length = 0;
  scene.nodes.set("one:1", () => new SilenceError("Late"));
  await assertRejects(() => ask(scene, FIRST), SilenceError);
  assertEquals(scene.asked, [["one:1", "EVALSHA"]]);
  // The other node decides on, and the one that failed is told of by its name.
  assertEquals(await ask(scene, SECOND), "two:2");
  assertEquals(scene.news[1], ["one:1", "silent"]);
  scene.nodes.set("one:1", () => new ErrorReply(`MOVED ${slotOf(FIRST)} two:2`));
  scene.nodes.set("two:2", () => new ErrorReply(`MOVED ${slotOf(FIRST)} one:1`));
  await eventually(() => scene.news.length === 3);
  scene.asked.length = 0;
  await assertRejects(() => ask(scene, FIRST), ErrorReply);
  assertEquals(scene.asked.length, 5);
  scene.connection.close();
});

Deno.test("connectCluster() lets go of a node without slots, and is unwell without a majority", async () => {
  const scene = play(["one:1", "two:2"]);
  await eventually(async () => await ask(scene, SECOND).catch(() => "") === "two:2");
  scene.owners = ["one:1", "three:3"];
  scene.nodes.set("two:2", () => new ErrorReply(`MOVED ${slotOf(SECOND)} three:3`));
  await eventually(async () => await ask(scene, SECOND).catch(() => "") === "three:3");
  await eventually(scene.connection.isHealthy);
  scene.connection.close();
  const lost = play(new Error("No node"));
  await eventually(() => lost.news.length > 0);
  assertEquals([lost.news, lost.connection.isHealthy()], [[[undefined, "unreachable"]], false]);
  await assertRejects(() => ask(lost, FIRST), Error, "No node has the slot");
  lost.connection.close();
});
