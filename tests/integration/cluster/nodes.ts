/**
 * Real nodes of Redis or Valkey, as many as a test wants: a primary with a replica and Sentinels, and
 * a Cluster. TEST_STORE names the program: redis-server by default.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { redisOn, type RedisServer } from "../../support/redis_server.ts";

/**
 * How long a node must be silent until the others take it for dead, in milliseconds. A busy machine
 * may well leave one without its processor for seconds.
 */
const DOWN_MS = 10_000;

/**
 * How long it may take until a replica leads, in milliseconds: on a busy machine Sentinels trust no
 * clock for half a minute, and nodes vote again and again.
 */
export const ELECTION_MS = 240_000;

/** A node. */
export interface Node extends RedisServer {
  /** Host and port. */
  readonly address: string;
}

/** Starts nodes in a folder of their own, and ends them. */
export class Nodes implements AsyncDisposable {
  readonly #folder = Deno.makeTempDirSync();
  readonly #nodes: Node[] = [];

  /** Starts a node with a configuration of its own. */
  async start(
    lines: readonly string[],
    { sentinel = false, password = "" }: {
      readonly sentinel?: boolean;
      readonly password?: string;
    } = {},
  ): Promise<Node> {
    const port = freePort();
    const folder = `${this.#folder}/${port}`;
    Deno.mkdirSync(folder);
    const config = ["bind 127.0.0.1", `port ${port}`, `dir ${folder}`, 'save ""', ...lines];
    Deno.writeTextFileSync(`${folder}/conf`, `${config.join("\n")}\n`);
    const args = [`${folder}/conf`, ...(sentinel ? ["--sentinel"] : [])];
    const env = password === "" ? {} : { REDISCLI_AUTH: password };
    const node = { ...redisOn(port, { args }, { env }), address: `127.0.0.1:${port}` };
    this.#nodes.push(node);
    await node.start();
    return node;
  }

  /** Ends all of them. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill().catch(() => {})));
    Deno.removeSync(this.#folder, { recursive: true });
  }
}

/** A primary, its replica, and those who look after them. */
export interface Watched {
  /** The one that decides. */
  readonly primary: Node;
  /** The one that takes its place. */
  readonly replica: Node;
  /** Those who know which is which. */
  readonly sentinels: readonly Node[];
}

/** The name by which Sentinels know the primary. */
export const PRIMARY_NAME = "guard-store";

/**
 * Starts a primary with a replica, and three Sentinels.
 *
 * @param password What the nodes ask for, if anything.
 */
export async function startWatched(nodes: Nodes, password = ""): Promise<Watched> {
  const secured = password === "" ? [] : [`requirepass ${password}`, `masterauth ${password}`];
  const primary = await nodes.start(secured, { password });
  const replica = await nodes.start(
    [`replicaof 127.0.0.1 ${primary.port}`, "repl-diskless-sync-delay 0", ...secured],
    { password },
  );
  const monitor = [
    `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary.port} 2`,
    `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_MS}`,
    `sentinel failover-timeout ${PRIMARY_NAME} 4000`,
    ...(password === "" ? [] : [`sentinel auth-pass ${PRIMARY_NAME} ${password}`]),
  ];
  const sentinels = await Promise.all(
    [1, 2, 3].map(() => nodes.start(monitor, { sentinel: true })),
  );
  for (const sentinel of sentinels) {
    await eventually(async () => {
      const text = await sentinel.command("SENTINEL", "MASTER", PRIMARY_NAME);
      const facts = new Map(pairs(text.split("\n")));
      return facts.get("num-slaves") === "1" && facts.get("num-other-sentinels") === "2";
    });
  }
  await eventually(async () => await primary.command("WAIT", "1", "100") === "1");
  return { primary, replica, sentinels };
}

/** Waits until a replica has all that its primary has by now. */
export async function caughtUp(primary: Node, replica: Node): Promise<void> {
  // Role and offset; of a replica also whose it is, by host and port, and how it stands with that.
  const [, offset] = (await primary.command("ROLE")).split("\n");
  await eventually(async () => {
    const [, , , , reached] = (await replica.command("ROLE")).split("\n");
    return Number(reached) >= Number(offset);
  }, "the replica has what its primary had");
}

function pairs(lines: readonly string[]): readonly (readonly [string, string])[] {
  return lines.flatMap((line, i) => i % 2 === 0 ? [[line, lines[i + 1] ?? ""] as const] : []);
}

/** A Cluster of three primaries with a replica each. */
export interface Cluster {
  /** Those that have slots at the start. */
  readonly primaries: readonly Node[];
  /** The replica of each, in the same order. */
  readonly replicas: readonly Node[];
}

/** The first slot of each primary, and the end. */
const SLOT_BOUNDS: readonly number[] = [0, 5461, 10923, 16384];

/** The primary that has a slot at the start. */
export function startOwner({ primaries }: Cluster, slot: number): Node {
  return primaries[SLOT_BOUNDS.findLastIndex((first) => first <= slot)]!;
}

/** Starts a Cluster. */
export async function startCluster(nodes: Nodes): Promise<Cluster> {
  const all = await Promise.all(Array.from({ length: 6 }, () => startMember(nodes)));
  const primaries = all.slice(0, 3);
  const replicas = all.slice(3);
  for (const [i, primary] of primaries.entries()) {
    const range = [String(SLOT_BOUNDS[i]!), String(SLOT_BOUNDS[i + 1]! - 1)];
    assertEquals(await primary.command("CLUSTER", "ADDSLOTSRANGE", ...range), "OK");
    assertEquals(await primary.command("CLUSTER", "SET-CONFIG-EPOCH", String(i + 1)), "OK");
  }
  for (const member of all.slice(1)) await meet(all[0]!, member);
  for (const [i, replica] of replicas.entries()) {
    const id = await primaries[i]!.command("CLUSTER", "MYID");
    await eventually(async () => await replica.command("CLUSTER", "REPLICATE", id) === "OK");
  }
  for (const member of all) {
    await eventually(async () => (await member.command("CLUSTER", "INFO")).includes("state:ok"));
  }
  for (const primary of primaries) {
    await eventually(async () => await primary.command("WAIT", "1", "100") === "1");
  }
  return { primaries, replicas };
}

const BUS_PORTS = new Map<Node, number>();

/** Starts a node that can be one of a Cluster. */
export async function startMember(nodes: Nodes): Promise<Node> {
  const busPort = freePort();
  const node = await nodes.start([
    "cluster-enabled yes",
    `cluster-port ${busPort}`,
    `cluster-node-timeout ${DOWN_MS}`,
    // However long the vote took: what it has is all that it should have.
    "cluster-replica-validity-factor 0",
    "cluster-require-full-coverage no",
    "repl-diskless-sync-delay 0",
  ]);
  BUS_PORTS.set(node, busPort);
  return node;
}

/** Makes one node know another, and so all others, in time. */
export async function meet(one: Node, other: Node): Promise<void> {
  const words = ["127.0.0.1", String(other.port), String(BUS_PORTS.get(other))];
  assertEquals(await one.command("CLUSTER", "MEET", ...words), "OK");
  await knows(one, other);
}

/** Waits until one node knows another. */
export async function knows(one: Node, other: Node): Promise<void> {
  const id = await other.command("CLUSTER", "MYID");
  await eventually(async () => (await one.command("CLUSTER", "NODES")).includes(id));
}
