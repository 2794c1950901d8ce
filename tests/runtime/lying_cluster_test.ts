/** What TEST_PROGRAM names with a Redis Cluster that is not what it says. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SLOTS } from "../../lib/store/cluster_slots.ts";
import type { RunningProgram } from "../support/program.ts";
import { check, pinOf, startServer, stop } from "../redis/two_servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  type FuzzedStore,
  type Reply,
  startFuzzedStore,
  written,
} from "../support/fuzzed_store.ts";

const [USER, PASSWORD] = ["canary-user", "canary-of-the-store"] as const;

/** What the nodes say of a slot or of a question, until there is nothing more. */
const HOSTS: readonly string[] = [
  ...[PASSWORD, "CANARY-OF.the.store", `x.${PASSWORD}.invalid`, USER, `${USER}.invalid`],
  ...["node-3.invalid", "canary of the store", "\x1b[2Jcanary", "c".repeat(254)],
];

/** How many of them are addresses. */
const NAMED = 6;

/** How long the nodes may take to answer, in milliseconds. */
const PATIENCE_MS = 500;

/** As many nodes as a question is sent to, if nothing else ends it. */
const MOST_NODES = 5;

/** A range of slots, and the one node that has it. */
function range(from: number, to: number, host: string, port: number): Reply {
  return [from, to, [host, port, "id"]];
}

/** Runs a test with a server whose store is two nodes, and gives what it logged. */
async function withCluster(
  { answer, more = [] }: {
    /** What a node answers to a question, given the port of the other. */
    readonly answer: (otherPort: number) => Promise<string> | string;
    /** What follows the ranges of the two. */
    readonly more?: readonly Reply[];
  },
  run: (server: RunningProgram, address: string) => Promise<void>,
): Promise<string> {
  const portOf = ({ address }: FuzzedStore): number => Number(address.split(":")[1]);
  const start = (other: () => FuzzedStore): FuzzedStore =>
    startFuzzedStore(
      async () => ({ pieces: [await answer(portOf(other()))] }),
      ([command]) => command === "CLUSTER" ? written(slots()) : "+OK\r\n",
    );
  const slots = (): Reply => [
    range(0, SLOTS - 3, "127.0.0.1", portOf(one)),
    range(SLOTS - 2, SLOTS - 2, "127.0.0.1", portOf(two)),
    ...more,
  ];
  const one = start(() => two);
  const two = start(() => one);
  const keyFile = Deno.makeTempFileSync();
  Deno.writeTextFileSync(keyFile, "k".repeat(32));
  const url = `redis+cluster://${USER}:${PASSWORD}@${one.address}?timeout=${PATIENCE_MS}`;
  const server = await startServer(url, keyFile);
  try {
    await run(server, one.address);
  } finally {
    await stop(server);
    for (const { close } of [one, two]) close();
    Deno.removeSync(keyFile);
  }
  const { code, stderr } = await server.outcome;
  assertEquals(code, 0, stderr);
  return stderr;
}

Deno.test("the log shows no password and no user name that a Cluster gives for an address", async () => {
  let asked = 0;
  let cluster = "";
  const log = await withCluster({
    answer: () => {
      const kind = asked % 2 === 0 ? "MOVED" : "ASK";
      return `-${kind} 1 ${HOSTS[asked++ % HOSTS.length]}:6379\r\n`;
    },
    more: [range(SLOTS - 1, SLOTS - 1, `slots.${PASSWORD}.invalid`, 1)],
  }, async (server, address) => {
    cluster = `redis+cluster://${address}`;
    await eventually(async () => {
      assertEquals(await check(server, pinOf("a"), `secret ${asked}`), "False");
      return server.stderr().split(" a node of the store ").length - 1 > NAMED;
    });
  });
  assert(!/canary|c{9}/i.test(log) && !log.includes("\x1b"), log);
  assert(log.includes(`${cluster}, node-3.invalid:6379, `), log);
});

Deno.test("a Cluster whose nodes are slow and send a question around does not hold it long", async () => {
  let asked = 0;
  await withCluster({
    answer: async (otherPort) => {
      asked++;
      await new Promise((resolve) => setTimeout(resolve, 0.8 * PATIENCE_MS));
      return `-MOVED 1 127.0.0.1:${otherPort}\r\n`;
    },
  }, async (server) => {
    const silences = (): number => server.stderr().split("does not answer in time").length;
    await eventually(async () => {
      const before = silences();
      asked = 0;
      assertEquals(await check(server, pinOf("a"), "a"), "False");
      // On a busy machine a node may be so slow that its connection ends, and with it the question.
      return asked > 1 && asked < MOST_NODES && silences() === before;
    }, "a question is given up although its nodes answer");
  });
});
