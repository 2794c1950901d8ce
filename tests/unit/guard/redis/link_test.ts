import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { StoreClient } from "../../../../lib/guard/redis/connect.ts";
import { StoreLink } from "../../../../lib/guard/redis/link.ts";
import { ServerError, storeClause } from "../../../../lib/guard/redis/reasons.ts";
import { PROBE_PREFIX } from "../../../../lib/guard/redis/script.ts";
import { ManualTimers } from "../../../support/timers.ts";

const NEVER = new Promise<never>(() => {});
const TIMEOUT_MS = 100;

/** How a client behaves, by the key of a question; a probe has one as well. */
type Behaviour = (key: string) => Promise<unknown>;

const WELL: Behaviour = (key) => Promise.resolve(key.startsWith(PROBE_PREFIX) ? [0, 0] : key);
const REFUSES: Behaviour = () => Promise.reject(new Error("OOM"));
const SILENT: Behaviour = () => NEVER;
/** Of a Cluster, the node that keeps the key "b" and the probe 1 fails. */
const HALF_WELL: Behaviour = (key) => /^b$|1$/.test(key) ? REFUSES(key) : WELL(key);

interface Setup {
  readonly link: StoreLink;
  /** The events of clients and the log lines, in order. */
  readonly events: string[];
  /** The behaviour of a client; those that are not set are well. */
  readonly behaviours: Map<number, Behaviour>;
  /** Loses a connection of a client. */
  readonly lose: (client: number) => void;
  readonly timers: ManualTimers;
}

function testLink(
  name: string,
  run: (setup: Setup) => Promise<void>,
  { isCluster = false, clockMs = 10_000 }: {
    readonly isCluster?: boolean;
    /** How far the clock goes each time that it is read. */
    readonly clockMs?: number;
  } = {},
): void {
  Deno.test(`a link ${name}`, () =>
    ManualTimers.during(async (timers) => {
      const events: string[] = [];
      const behaviours = new Map<number, Behaviour>();
      const losses: ((error: unknown) => void)[] = [];
      let clients = 0;
      let nowMs = 0;
      const open = (onLoss: (error: unknown) => void): Promise<StoreClient> => {
        const id = ++clients;
        losses[id] = onLoss;
        events.push(`open ${id}`);
        const connections = {
          connect: () => Promise.resolve(),
          send: (key: string, words: readonly string[]) =>
            // A script has its own key.
            (behaviours.get(id) ?? WELL)(words[3] ?? key),
          probeKeys: () => {
            const [one, two] = [0, 1].map((number) => `${PROBE_PREFIX}${number}`);
            return isCluster ? [[one!], [two!]] : [[one!, two!]];
          },
          serverOf: (key: string) =>
            isCluster ? `its node ${key.replace(PROBE_PREFIX, "probe-")}` : "",
          destroy: () => void events.push(`destroy ${id}`),
        };
        return Promise.resolve(new StoreClient(connections, TIMEOUT_MS));
      };
      const link = new StoreLink({
        open,
        // Each client works for so long that the first pause after it is none.
        monotonicMs: () => nowMs += clockMs,
        onChange: (error) => void events.push(error === undefined ? "answers" : storeClause(error)),
      });
      await timers.settle();
      const lose = (client: number): void =>
        losses[client]!(new Error("Socket closed unexpectedly"));
      await run({ link, events, behaviours, lose, timers });
      link.close();
    }));
}

function sendCommand(link: StoreLink, key = "a"): Promise<unknown> {
  return link.run(key, (send) => send([]));
}

testLink("uses one client, and reports once that the store answers", async ({ link, events }) => {
  assertEquals([await sendCommand(link), await sendCommand(link), link.isHealthy], [
    "a",
    "a",
    true,
  ]);
  assertEquals(events, ["open 1", "answers"]);
});

testLink("replaces a client without an answer, once that has answered all", async (setup) => {
  const { link, events, behaviours, timers } = setup;
  const late = Promise.withResolvers<unknown>();
  behaviours.set(1, (key) => key === "late" ? late.promise : REFUSES(key));
  const waiting = sendCommand(link, "late");
  await assertRejects(() => sendCommand(link), Error, "OOM");
  await timers.settle();
  assertEquals(events, ["open 1", "answers", "is full (OOM)", "open 2", "answers"]);
  late.resolve("late");
  assertEquals([await waiting, await sendCommand(link), link.isHealthy], ["late", "a", true]);
  assertEquals(events.slice(5), ["destroy 1"]);
});

testLink("ignores what happens to a client that it has replaced", async (setup) => {
  const { link, events, behaviours, lose, timers } = setup;
  const late = Promise.withResolvers<unknown>();
  behaviours.set(1, (key) => key === "late" ? late.promise : REFUSES(key));
  const failed = assertRejects(() => sendCommand(link, "late"), Error, "WRONGPASS");
  await assertRejects(() => sendCommand(link), Error, "OOM");
  await timers.settle();
  events.length = 0;
  lose(1);
  late.reject(new Error("WRONGPASS"));
  await failed;
  await timers.settle();
  assertEquals([await sendCommand(link), events], ["a", ["destroy 1"]]);
});

testLink("ends a question by its deadline, and the client with it", async (setup) => {
  const { link, events, behaviours, timers } = setup;
  behaviours.set(1, SILENT);
  const rejected = assertRejects(() => sendCommand(link), Error, "No reply in time");
  for (let i = 0; i < 11; i++) await timers.tick();
  await rejected;
  await timers.settle();
  assertEquals(events.slice(2), [
    ...["does not answer in time", "open 2", "destroy 1", "answers"],
  ]);
});

testLink(
  "makes one client at a time, with pauses that double, and reports each reason once",
  async (setup) => {
    const { link, events, behaviours, lose, timers } = setup;
    for (let i = 1; i < 9; i++) behaviours.set(i, REFUSES);
    lose(1);
    lose(1);
    await timers.settle();
    assertEquals(link.isHealthy, false);
    await assertRejects(() => sendCommand(link), Error, "no connection");
    timers.delaysMs.length = 0;
    for (let i = 0; i < 40 && !link.isHealthy; i++) {
      await timers.tick();
      await timers.settle();
    }
    assertEquals(timers.delaysMs.filter((ms) => ms > 20), [500, 1000, 2000, 4000, 4000, 4000]);
    assertEquals(events, [
      ...["open 1", "answers", "closes the connection", "open 2", "destroy 2"],
      ...[
        "is full (OOM)",
        "open 3",
        "destroy 3",
        "open 4",
        "destroy 4",
        "open 5",
        "destroy 5",
      ],
      ...[
        "open 6",
        "destroy 6",
        "open 7",
        "destroy 7",
        "open 8",
        "destroy 8",
        "open 9",
        "destroy 1",
      ],
      "answers",
    ]);
  },
);

for (const isCluster of [false, true]) {
  const what = isCluster ? "Cluster" : "server";
  testLink(`to a ${what} uses the old client until a new one has answered`, async (setup) => {
    const { link, events, behaviours, lose, timers } = setup;
    behaviours.set(2, SILENT);
    lose(1);
    await timers.settle();
    assertEquals([link.isHealthy, await sendCommand(link), events.at(-1)], [true, "a", "open 2"]);
    for (let i = 0; i < 11; i++) await timers.tick();
    assertEquals(events.at(-1), `${isCluster ? "its node probe-0 " : ""}does not answer in time`);
    // The old one is asked whether it can still serve, and goes once the third has answered.
    assertEquals([link.isHealthy, await sendCommand(link)], [true, "a"]);
    await timers.tick();
    await timers.settle();
    assertEquals(events.slice(-3), ["open 3", "destroy 1", "answers"]);
  }, { isCluster });
}

testLink("reports at once that a store is lost again soon after it came back", async (setup) => {
  const { link, events, behaviours, lose, timers } = setup;
  behaviours.set(1, REFUSES);
  lose(1);
  await timers.settle();
  // The pause before the next attempt has not ended.
  assertEquals([link.isHealthy, events.at(-1)], [false, "closes the connection"]);
}, { clockMs: 100 });

testLink(
  "pauses longer before each of three clients of a store that is lost within five seconds",
  async (setup) => {
    const { events, lose, timers } = setup;
    const pauses: number[] = [];
    for (let client = 1; client <= 3; client++) {
      timers.delaysMs.length = 0;
      lose(client);
      await timers.settle();
      pauses.push(...timers.delaysMs.filter((ms) => ms >= 250));
      for (let i = 0; i < 20 && events.at(-1) !== "answers"; i++) {
        await timers.tick();
        await timers.settle();
      }
    }
    assertEquals(pauses, [250, 500, 1000]);
  },
  { clockMs: 3_000 },
);

Deno.test("a link that is closed while it connects ends the client once that has connected", async () => {
  const connected = Promise.withResolvers<void>();
  let ends = 0;
  const link = new StoreLink({
    open: () => {
      const connections = {
        connect: () => connected.promise,
        send: () => NEVER,
        probeKeys: () => [[PROBE_PREFIX]],
        serverOf: () => "",
        destroy: () => void ends++,
      };
      return Promise.resolve(new StoreClient(connections, TIMEOUT_MS));
    },
    monotonicMs: () => 0,
    onChange: () => {},
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  link.close();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(ends, 1);
  connected.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(ends, 2);
});

Deno.test("a link reports the first reason for which a connection was lost while it was made", async () => {
  const errors: unknown[] = [];
  const link = new StoreLink({
    open: (onLoss) => {
      const connections = {
        connect: () => {
          onLoss(new Error("WRONGPASS"));
          onLoss(new Error("Socket closed unexpectedly"));
          return Promise.reject(new Error("Closed"));
        },
        send: () => NEVER,
        probeKeys: () => [[PROBE_PREFIX]],
        serverOf: () => "",
        destroy: () => {},
      };
      return Promise.resolve(new StoreClient(connections, TIMEOUT_MS));
    },
    monotonicMs: () => 0,
    onChange: (error) => void errors.push(error),
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  link.close();
  assertEquals(errors.map((error) => (error as Error).message), ["WRONGPASS"]);
});

testLink("reports each of three outages with the same reason, and each end", async (setup) => {
  const { events, lose, timers } = setup;
  for (let client = 1; client <= 3; client++) {
    events.length = 0;
    lose(client);
    await timers.settle();
    const told = events.filter((event) => !/^(?:open|destroy) /.test(event));
    assertEquals(told, ["closes the connection", "answers"], `outage ${client}`);
  }
});

testLink("to a server does not use one that refuses some of its keys", async (setup) => {
  const { link, events, behaviours, lose, timers } = setup;
  for (let i = 1; i < 3; i++) behaviours.set(i, HALF_WELL);
  lose(1);
  await timers.settle();
  assertEquals([link.isHealthy, events.includes("destroy 2")], [false, true]);
});

testLink("to a Cluster keeps asking while a node fails, and the others answer", async (setup) => {
  const { link, events, behaviours, timers } = setup;
  for (let i = 1; i < 4; i++) behaviours.set(i, HALF_WELL);
  await assertRejects(() => sendCommand(link, "b"), ServerError, "its node b");
  assertEquals([link.isHealthy, await sendCommand(link, "a")], [true, "a"]);
  await timers.settle();
  // The second serves, though a node of it fails too, and is replaced until all nodes answer.
  assertEquals(events.slice(2), [
    ...["its node b is full (OOM)", "open 2", "destroy 1"],
    "its node probe-1 is full (OOM)",
  ]);
  assertEquals([link.isHealthy, await sendCommand(link, "a")], [true, "a"]);
  for (let i = 0; i < 9; i++) {
    await timers.tick();
    await timers.settle();
  }
  assertEquals(events.at(-1), "answers");
  assertEquals(await sendCommand(link, "b"), "b");
}, { isCluster: true });

testLink("to a Cluster that is gone is not healthy, until a node answers again", async (setup) => {
  const { link, behaviours, timers, lose } = setup;
  for (let i = 1; i < 4; i++) behaviours.set(i, REFUSES);
  lose(1);
  await timers.settle();
  assertEquals(link.isHealthy, false);
  for (let i = 0; i < 9; i++) {
    await timers.tick();
    await timers.settle();
  }
  assertEquals(link.isHealthy, true);
}, { isCluster: true });

testLink(
  "to a Cluster names the nodes that fail, of the client in use, until they answer",
  async (setup) => {
    const { link, behaviours, lose, timers } = setup;
    const failing = async (ticks: number): Promise<readonly string[]> => {
      for (let i = 0; i < ticks; i++) await timers.tick();
      await timers.settle();
      return link.failing;
    };
    behaviours.set(1, HALF_WELL).set(2, REFUSES).set(3, HALF_WELL);
    lose(1);
    const clause = "its node probe-1 is full (OOM)";
    // The second client is refused, the third takes over, the fourth finds all nodes well.
    assertEquals([await failing(0), await failing(1)], [[clause], [clause]]);
    assertEquals(await failing(9), []);
  },
  { isCluster: true },
);

testLink("ends pending commands and all timers when it is closed", async (setup) => {
  const { link, events, behaviours, timers } = setup;
  behaviours.set(1, SILENT);
  const rejected = assertRejects(() => sendCommand(link), Error, "No reply in time");
  link.close();
  await rejected;
  assertEquals([timers.pending, events.includes("destroy 1"), link.isHealthy], [0, true, false]);
});

testLink("destroys every replaced client when it is closed", async (setup) => {
  const { link, events, behaviours, lose, timers } = setup;
  const rejected: Promise<unknown>[] = [];
  for (const client of [1, 2]) {
    behaviours.set(client, (key) => key === "late" ? NEVER : WELL(key));
    rejected.push(assertRejects(() => sendCommand(link, "late"), Error, "No reply in time"));
    lose(client);
    await timers.settle();
  }
  link.close();
  await Promise.all(rejected);
  assertEquals(events.filter((event) => event.startsWith("destroy")).sort(), [
    "destroy 1",
    "destroy 2",
    "destroy 3",
  ]);
});

Deno.test("a link allows each reply to a probe the whole timeout", () =>
  ManualTimers.during(async (timers) => {
    const answers: PromiseWithResolvers<unknown>[] = [];
    const client = new StoreClient({
      connect: () => Promise.resolve(),
      send: () => {
        answers.push(Promise.withResolvers());
        return answers.at(-1)!.promise;
      },
      probeKeys: () => [[PROBE_PREFIX]],
      serverOf: () => "",
      destroy: () => {},
    }, TIMEOUT_MS);
    const link = new StoreLink({
      open: () => Promise.resolve(client),
      monotonicMs: () => 0,
      onChange: () => {},
    });
    await timers.settle();
    // Connecting takes twice as long: a handshake of TLS and a login.
    assertEquals(timers.delaysMs, [2, 1].map((times) => times * TIMEOUT_MS / 10));
    for (let asked = 0; asked < 2; asked++) {
      for (let tick = 0; tick < 7; tick++) await timers.tick();
      answers[asked]!.resolve([0, 0]);
      await timers.settle();
    }
    assertEquals(link.isHealthy, true);
    link.close();
  }));
