/** What TEST_PROGRAM names with a Redis Cluster that is not what it says. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SLOTS } from "../../lib/store/cluster_slots.ts";
import { check, pinOf, startServer, stop } from "../redis/two_servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  type FuzzedStore,
  type Reply,
  startFuzzedStore,
  written,
} from "../support/fuzzed_store.ts";

const [USER, PASSWORD] = ["canary-user", "canary-of-the-store"] as const;

/** What the node says of a slot or of a question, until there is nothing more. */
const HOSTS: readonly string[] = [
  ...[PASSWORD, "CANARY-OF.the.store", `x.${PASSWORD}.invalid`, USER, `${USER}.invalid`],
  ...["node-3.invalid", "canary of the store", "\x1b[2Jcanary", "c".repeat(254)],
];

/** How many of them are addresses. */
const NAMED = 6;

/** A range of slots, and the one node that has it. */
function range(from: number, to: number, host: string, port: number): Reply {
  return [from, to, [host, port, "id"]];
}

Deno.test("the log shows no password and no user name that a Cluster gives for an address", async () => {
  let asked = 0;
  const start = (): FuzzedStore =>
    startFuzzedStore(() => {
      const kind = asked % 2 === 0 ? "MOVED" : "ASK";
      return { pieces: [`-${kind} 1 ${HOSTS[asked++ % HOSTS.length]}:6379\r\n`] };
    }, ([command]) => command === "CLUSTER" ? written(slots()) : "+OK\r\n");
  const slots = (): Reply => [
    range(0, SLOTS - 3, "127.0.0.1", Number(one.address.split(":")[1])),
    range(SLOTS - 2, SLOTS - 2, "127.0.0.1", Number(other.address.split(":")[1])),
    range(SLOTS - 1, SLOTS - 1, `slots.${PASSWORD}.invalid`, 1),
  ];
  // More than half of the primaries must answer.
  const [one, other] = [start(), start()];
  const keyFile = Deno.makeTempFileSync();
  Deno.writeTextFileSync(keyFile, "k".repeat(32));
  const url = `redis+cluster://${USER}:${PASSWORD}@${one.address}?timeout=500`;
  const server = await startServer(url, keyFile);
  const told = (): readonly string[] => server.stderr().match(/ a node of the store .*/g) ?? [];
  await eventually(async () => {
    assertEquals(await check(server, pinOf("a"), `secret ${asked}`), "False");
    return told().length > NAMED;
  });
  await stop(server);
  for (const { close } of [one, other]) close();
  const { code, stderr } = await server.outcome;
  assertEquals(code, 0, stderr);
  assert(!/canary|c{9}/i.test(stderr), told().join("\n"));
  assert(!stderr.includes("\x1b"), told().join("\n"));
  assert(stderr.includes(`redis+cluster://${one.address}, node-3.invalid:6379, `), stderr);
  Deno.removeSync(keyFile);
});
