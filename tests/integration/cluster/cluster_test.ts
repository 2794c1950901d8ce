import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fingerprintBy } from "../../../lib/guard/fingerprint.ts";
import { slotOf } from "../../../lib/guard/redis/connect.ts";
import { sampleSecrets, withStore } from "../../../lib/guard/redis/operator.ts";
import { storeClause } from "../../../lib/guard/redis/reasons.ts";
import { redisKey } from "../../../lib/guard/redis/script.ts";
import { parseStoreUrl, type StoreUrl } from "../../../lib/guard/redis/store_url.ts";
import { eventually } from "../../support/eventually.ts";
import { GUARD_KEY } from "../../support/guard_key.ts";
import { type RunningProgram, runProgram, stop } from "../../support/program.ts";
import {
  check,
  counted,
  decided,
  patient,
  readiness,
  readyz,
  startServer,
  storeAnswers,
  withTwoServers,
} from "../../support/two_servers.ts";
import { load, refusals } from "../../support/load.ts";
import { MAX_STORE_LINES, print, repeatedStoreLines, storeLines } from "./log.ts";
import {
  caughtUp,
  type Cluster,
  ELECTION_MS,
  knows,
  meet,
  type Node,
  Nodes,
  startCluster,
  startMember,
  startOwner,
} from "./nodes.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";

// Of the secrets of a test, how many each primary keeps.
const SECRETS_OF_EACH = 8;

/** The permissions of a user of the store, as documented. */
function shownPermissions(): readonly string[] {
  const page = Deno.readTextFileSync(new URL("../../../docs/store.md", import.meta.url));
  const [, shown] = /user authenticator on >PASSWORD (.*)/.exec(page) ?? [];
  assert(shown !== undefined, "docs/store.md does not print it");
  return shown.split(" ");
}

/** Lets the servers log in to a node. */
async function knowTheServers({ command }: Node): Promise<void> {
  const words = ["ACL", "SETUSER", "guard", "on", ">canary-password", ...shownPermissions()];
  assertEquals(await command(...words), "OK");
}

/**
 * Waits until a replica leads. The vote is Redis' own: where it comes to nothing on a busy machine, the
 * replica is promoted without one, and the nodes' views of each other are printed.
 */
async function promotion({ command }: Node): Promise<void> {
  const leads = async (): Promise<boolean> => (await command("ROLE")).startsWith("master");
  await eventually(leads, "the replica leads", ELECTION_MS).catch(async () => {
    print(`the nodes elected nobody:\n${await command("CLUSTER", "NODES")}`);
    assertEquals(await command("CLUSTER", "FAILOVER", "TAKEOVER"), "OK");
    await eventually(leads, "the replica leads without a vote");
  });
}

/** Runs a test with a Cluster and two servers that share it, and gives what they logged. */
async function withCluster(
  args: readonly string[],
  run: (setup: {
    readonly nodes: Nodes;
    readonly cluster: Cluster;
    readonly servers: readonly [RunningProgram, RunningProgram];
    /** Where it is. */
    readonly url: string;
    /** Some secrets, as many of each primary. */
    readonly secrets: readonly string[];
    /** The slot that keeps a secret. */
    readonly slot: (secret: string) => number;
    /** The primary that keeps a secret at the start. */
    readonly owner: (secret: string) => Node;
  }) => Promise<void>,
  query = "",
): Promise<string> {
  await using nodes = new Nodes();
  const cluster = await startCluster(nodes);
  const [one, two] = cluster.primaries;
  await Promise.all([...cluster.primaries, ...cluster.replicas].map(knowTheServers));
  const url = `redis+cluster://guard:canary-password@${one!.address},${two!.address}`;
  const log = await withTwoServers(url + query, args, async (first, second) => {
    const name = fingerprintBy(new TextEncoder().encode(GUARD_KEY), "SHA1");
    const slot = (secret: string): number =>
      slotOf(redisKey(name(new TextEncoder().encode(secret))));
    const owner = (secret: string): Node => startOwner(cluster, slot(secret));
    const ofEach = (name: string, count: number): readonly string[] =>
      cluster.primaries.flatMap((primary) => secretsOf(primary, owner, name, count));
    // One that is ready reaches most of the nodes.
    for (const server of [first, second]) {
      for (const secret of ofEach(`canary ${server.pid}`, 1)) {
        await eventually(async () => await check(server, pinOf(secret), secret) === "True");
      }
    }
    const secrets = ofEach("canary secret", SECRETS_OF_EACH);
    await run({ nodes, cluster, servers: [first, second], url, secrets, slot, owner });
  });
  assert(!/canary/.test(log), log);
  return log;
}

function secretsOf(
  primary: Node,
  owner: (secret: string) => Node,
  name: string,
  count: number,
): readonly string[] {
  const secrets: string[] = [];
  for (let i = 0; secrets.length < count; i++) {
    if (owner(`${name} ${i}`) === primary) secrets.push(`${name} ${i}`);
  }
  return secrets;
}

Deno.test("two servers share a Cluster: each secret is counted at one node, through either server", async () => {
  await withCluster(
    ["--max-failures", "2"],
    async ({ cluster, servers, secrets, owner, slot, url }) => {
      const env = { AUTHENTICATOR_GUARD: patient(url) };
      const checked = await runProgram(["check", "--port", "0"], env);
      assertEquals(
        [checked.code, /cannot|answers/.test(checked.stderr)],
        [0, false],
        checked.stderr,
      );
      for (const secret of secrets) {
        for (const server of servers) {
          assertEquals(await check(server, wrongPinOf(secret), secret), "False");
        }
        assertEquals(await check(servers[0], pinOf(secret), secret), "False");
      }
      const throttled = 'authenticator_guard_refusals_total{reason="throttled"}';
      assertEquals(await counted(servers[0], throttled), secrets.length);
      for (const primary of cluster.primaries) {
        const keys = (await primary.command("KEYS", "authenticator:guard:*")).split("\n");
        const itsOwn = secrets.filter((secret) => owner(secret) === primary);
        const kept = keys.filter((key) => /:[\w-]{43}$/.test(key));
        assertEquals(kept.length, itsOwn.length);
        const slots = await Promise.all(
          kept.map(async (key) => Number(await primary.command("CLUSTER", "KEYSLOT", key))),
        );
        assertEquals(new Set(slots), new Set(itsOwn.map(slot)));
      }
    },
  );
});

Deno.test("a node of a Cluster fails: the others decide, its replica takes over, and no code is accepted twice", async () => {
  // With a wide window, the codes are still right when the vote is over.
  const args = ["--single-use", "--window", "100"];
  const log = await withCluster(args, async ({ cluster, servers, secrets, owner }) => {
    const [failing] = cluster.primaries;
    const itsOwn = secrets.filter((secret) => owner(secret) === failing);
    const others = secrets.filter((secret) => owner(secret) !== failing);
    const used = itsOwn.map((secret) => [secret, pinOf(secret)] as const);
    // Accepted, and known to the replica: one of two, and the other is gone in a moment.
    for (const [secret, pin] of used) assertEquals(await check(servers[0], pin, secret), "True");
    await caughtUp(failing!, cluster.replicas[0]!);
    await failing!.kill();
    for (const secret of others) {
      assertEquals(await check(servers[1], pinOf(secret), secret), "True");
      assert(await storeAnswers(servers[1]));
    }
    await promotion(cluster.replicas[0]!);
    // Until the replica decides, a used code is refused for want of a decision; from then on for use.
    const replayed = 'authenticator_guard_refusals_total{reason="replayed"}';
    for (const [secret, pin] of used) {
      for (const server of servers) {
        await eventually(async () => {
          const before = await counted(server, replayed);
          assertEquals(await check(server, pin, secret), "False");
          return await counted(server, replayed) > before;
        });
      }
    }
    await failing!.start();
    await eventually(async () => (await failing!.command("ROLE")).startsWith("slave"));
    await eventually(() => storeAnswers(servers[0]));
  });
  const warnings = log.match(/ warn the store of the guard, .* its node, .*$/gm) ?? [];
  assert(warnings.length >= 2, log);
  // Each reason once, not with every attempt; and once more where a node names it a primary again.
  assert(repeatedStoreLines(log) <= 2 && storeLines(log) <= MAX_STORE_LINES, log);
});

Deno.test("a node of a Cluster fails under load: only its secrets are refused, and only for a while", async () => {
  await withCluster([], async ({ cluster, servers, secrets, owner }) => {
    const [, failing] = cluster.primaries;
    const isItsOwn = (secret: string): boolean => owner(secret) === failing;
    const running = load(servers, secrets);
    await running.round();
    await failing!.kill();
    await promotion(cluster.replicas[1]!);
    const itsOwn = secrets.filter(isItsOwn);
    await eventually(async () => {
      const answers = await Promise.all(
        itsOwn.map((secret) => check(servers[0], pinOf(secret), secret)),
      );
      return answers.every((answer) => answer === "True");
    });
    const answers = await running.end();
    const of = (wanted: boolean): readonly [number, number] =>
      refusals(
        [...answers].filter(([secret]) => isItsOwn(secret) === wanted).map(([, all]) => all),
      );
    const [wrongly, all] = of(true);
    print(`wrong refusals of the failing node's secrets: ${wrongly} of ${all}`);
    print(`wrong refusals of all others: ${of(false).join(" of ")}`);
    assert(wrongly > 0 && wrongly < all);
    // Those whose question was under way to another node are not touched.
    assertEquals(of(false)[0], 0);
  });
});

Deno.test("a primary without a replica is gone: the other slots decide, for a new server too", async () => {
  const log = await withCluster([], async ({ cluster, servers, secrets, owner, url }) => {
    const [, , gone] = cluster.primaries;
    const [itsOwn, others] = [true, false].map((isItsOwn) =>
      secrets.filter((secret) => (owner(secret) === gone) === isItsOwn)
    );
    const store = parseStoreUrl(`${url}?timeout=5000`) as StoreUrl;
    /** What `status` counts: the secrets that are there, the total, and the nodes that are not. */
    const sampled = async (): Promise<readonly unknown[]> => {
      const sample = await withStore(store, {}, (store) => sampleSecrets(store, 0));
      const clauses = sample.errors.map((error) => storeClause(error).split(", ").slice(0, 2));
      return [sample.secrets.length, sample.total, clauses];
    };
    for (const secret of secrets) await decided(servers[0], wrongPinOf(secret), secret);
    assertEquals(await sampled(), [secrets.length, secrets.length, []]);
    await cluster.replicas[2]!.kill();
    gone!.signal("SIGSTOP");
    const running = load([servers[0]], others!);
    for (const secret of itsOwn!) {
      assertEquals(await check(servers[0], pinOf(secret), secret), "False");
    }
    // Several clients later.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    await running.round();
    assertEquals(refusals((await running.end()).values())[0], 0);
    const late = await startServer(`${url}?timeout=1000`);
    await eventually(async () => await readiness(late) === 200);
    await late.logged(`its node, ${gone!.address}, `);
    for (const server of [...servers, late]) {
      const text = "ok; a part of the store does not answer";
      await eventually(async () => (await readyz(server)).text === text);
      assertEquals(await counted(server, "authenticator_guard_store_nodes_down"), 1);
    }
    const { length } = others!;
    assertEquals(await sampled(), [length, length, [["its node", gone!.address]]]);
    await stop(late);
  }, "?timeout=1000");
  assert(log.includes(": pins that need it are refused"), log);
});

Deno.test("a slot that moves to a new node is decided on while it moves and after", async () => {
  await withCluster(
    ["--max-failures", "3"],
    async ({ nodes, cluster, servers, secrets, slot, owner }) => {
      const [secret] = secrets;
      const from = owner(secret!);
      const added = await startMember(nodes);
      await knowTheServers(added);
      await meet(from, added);
      const [fromId, toId] = await Promise.all(
        [from, added].map((node) => node.command("CLUSTER", "MYID")),
      );
      const number = String(slot(secret!));
      for (const server of servers) await decided(server, wrongPinOf(secret!), secret!);
      for (const primary of cluster.primaries) await knows(primary, added);
      const setSlot = async (node: Node, slot: string, ...words: string[]): Promise<void> =>
        assertEquals(await node.command("CLUSTER", "SETSLOT", slot, ...words), "OK");
      const sendTo = (node: Node, ...words: string[]): Promise<void> =>
        setSlot(node, number, ...words);
      await eventually(async () => (await added.command("CLUSTER", "NODES")).includes(fromId!));
      await eventually(async () => (await added.command("CLUSTER", "INFO")).includes("state:ok"));
      // The client follows ASK to nodes with a slot only, so an empty one moves first.
      const kept = new Set(secrets.map(slot));
      const empty = Array.from({ length: 16_384 }, (_, i) => i)
        .find((i) => !kept.has(i) && startOwner(cluster, i) === from)!;
      for (const node of [added, ...cluster.primaries]) {
        await setSlot(node, String(empty), "NODE", toId!);
      }
      await sendTo(added, "IMPORTING", fromId!);
      await sendTo(from, "MIGRATING", toId!);
      const keys = (await from.command("CLUSTER", "GETKEYSINSLOT", number, "100")).split("\n");
      const to = ["127.0.0.1", String(added.port), "", "0", "60000", "KEYS"];
      assertEquals(await from.command("MIGRATE", ...to, ...keys), "OK");
      // The node that had it sends on, question by question (ASK), to one that no server knew.
      await eventually(async () => {
        const ask = (): Promise<string> => check(servers[0], pinOf(secret!), secret);
        return await ask() === "True" && await ask() === "True";
      });
      for (const node of [added, ...cluster.primaries]) await sendTo(node, "NODE", toId!);
      const running = load(servers, [secret!]);
      await running.round();
      const [wrongly] = refusals((await running.end()).values());
      print(`wrong refusals after the slot moved: ${wrongly}`);
      await eventually(async () => await check(servers[1], pinOf(secret!), secret) === "True");
    },
  );
});

Deno.test("a node of a Cluster that is given as a server is named in one line, and never used", async () => {
  await using nodes = new Nodes();
  const { primaries } = await startCluster(nodes);
  const server = await startServer(`redis://${primaries[0]!.address}`);
  await server.logged("(MOVED): pins that need it are refused\n");
  for (let i = 0; i < 10; i++) {
    assertEquals(await readiness(server), 503);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await stop(server);
  const { stderr } = await server.outcome;
  const lines = stderr.split("\n").filter((line) => line.includes("the store of the guard"));
  assert(
    lines.some((line) =>
      line.endsWith("use redis+cluster:// (MOVED): pins that need it are refused")
    ),
  );
  assert(
    !lines.some((line) => line.endsWith("answers")) && repeatedStoreLines(stderr) === 0,
    stderr,
  );
});
