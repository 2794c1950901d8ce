import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { StoreClient } from "../../../../lib/guard/redis/connect.ts";
import {
  inspectSecret,
  sampleSecrets,
  unlockSecret,
  withStore,
} from "../../../../lib/guard/redis/operator.ts";
import { storeClause, UNREADABLE } from "../../../../lib/guard/redis/reasons.ts";
import { KEY_PREFIX, PROBE_PREFIX } from "../../../../lib/guard/redis/script.ts";
import { parseStoreUrl, type StoreUrl } from "../../../../lib/guard/redis/store_url.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Reply, startFakeRedis } from "../../../support/fake_redis.ts";
import { ManualTimers } from "../../../support/timers.ts";

/** Asks a store that answers each command by a function, and gives the commands as well. */
async function commandsOf<T>(
  answer: (words: readonly string[]) => Reply,
  act: (store: StoreClient) => Promise<T>,
): Promise<{ readonly result: T; readonly commands: readonly (readonly string[])[] }> {
  const commands: (readonly string[])[] = [];
  const store = startFakeRedis((words) => {
    commands.push(words);
    return answer(words);
  });
  try {
    const url = parseStoreUrl(`${store.url}?timeout=60000`) as StoreUrl;
    return { result: await withStore(url, {}, act), commands };
  } finally {
    await eventually(() => store.connections() === 0, "the command ends its connection");
    store.close();
  }
}

const unlockName = (store: StoreClient): Promise<boolean> => unlockSecret(store, "name");
const inspectName = (store: StoreClient): Promise<unknown> => inspectSecret(store, "name");

Deno.test("unlockSecret() reports whether there was a state, and refuses any other reply", async () => {
  for (const [reply, wasKept] of [[1, true], [0, false]] as const) {
    const { result, commands } = await commandsOf(() => reply, unlockName);
    const [[name, script, ...rest] = []] = commands;
    assertEquals([result, name, script!.includes("SET"), rest], [
      ...[wasKept, "EVAL", true, ["1", `${KEY_PREFIX}name`, ""]],
    ]);
  }
  for (const reply of [2, "1", null, [1]]) {
    await assertRejects(() => commandsOf(() => reply, unlockName), Error, UNREADABLE);
  }
});

Deno.test("inspectSecret() reads the state of a secret and the time of the store, and changes nothing", async () => {
  const answer = (kept: Reply, time: Reply = ["1000", "500999"]) => ([name]: readonly string[]) =>
    name === "GET" ? kept : time;
  const { result, commands } = await commandsOf(answer("3:7:-1"), inspectName);
  const state = { debtMs: 3, lastMs: 7, usedStep: -1, sources: [] };
  assertEquals(result, { state, nowMs: 1_000_500 });
  assertEquals(commands, [["GET", `${KEY_PREFIX}name`], ["TIME"]]);
  const nothing = await commandsOf(answer(null), inspectName);
  assertEquals([nothing.result, nothing.commands.length], [undefined, 1]);
  for (const wrong of [answer("nonsense"), answer(7), answer("3:7:-1", "1000")]) {
    await assertRejects(() => commandsOf(wrong, inspectName), Error, UNREADABLE);
  }
});

// As long as a fingerprint.
const [A, B, ODD, GONE] = ["a", "b", "odd", "gone"].map((name) => name.padEnd(43, "-_0Z"));

async function all(store: StoreClient): Promise<readonly unknown[]> {
  const { secrets } = await sampleSecrets(store, 0);
  return secrets.map(([fingerprint, { state, nowMs }]) => [fingerprint, state.debtMs, nowMs]);
}

Deno.test("sampleSecrets() scans the keys of secrets, and no others", async () => {
  const kept = new Map([[A!, "1:2:3"], [B!, "4:5:-1 x:1:2:3"], [ODD!, "canary"]]);
  const { result, commands } = await commandsOf(([command, word]) => {
    if (command === "TIME") return ["1000", "0"];
    if (command === "GET") return kept.get(word!.slice(KEY_PREFIX.length)) ?? null;
    // A server gives some keys twice.
    const keys = word === "0" ? [A, ODD, A, GONE] : [B, A];
    return [word === "0" ? "17" : "0", [
      ...keys.map((key) => `${KEY_PREFIX}${key}`),
      // Others are not ours, and may be meant for the terminal that they are shown on.
      ...[
        `${PROBE_PREFIX}1`,
        `${KEY_PREFIX}\x1b[31m${A!.slice(5)}`,
        `${KEY_PREFIX}${A}0`,
        KEY_PREFIX,
      ],
    ]];
  }, all);
  assertEquals(result, [[A, 1, 1_000_000], [B, 4, 1_000_000]]);
  const scan = (cursor: string): readonly string[] => [
    ...["SCAN", cursor, "COUNT", "500"],
  ];
  const get = (key: string | undefined): readonly string[] => ["GET", `${KEY_PREFIX}${key}`];
  assertEquals(commands, [
    ...[["TIME"], scan("0"), get(A), get(ODD), get(GONE), scan("17"), get(B)],
  ]);
});

Deno.test("sampleSecrets() skips a key of another type, and fails for any other error", async () => {
  const saying = (error: string) => ([command, word]: readonly string[]): Reply => {
    if (command === "TIME") return ["1000", "0"];
    if (command === "SCAN") return ["0", [`${KEY_PREFIX}${A}`, `${KEY_PREFIX}${B}`]];
    return word === `${KEY_PREFIX}${A}` ? new Error(error) : "1:2:3";
  };
  const { result } = await commandsOf(saying("WRONGTYPE Operation against a key"), all);
  assertEquals(result, [[B, 1, 1_000_000]]);
  await assertRejects(() => commandsOf(saying("NOPERM no permissions"), all), Error, "NOPERM");
});

Deno.test("sampleSecrets() reads some thousand keys of a large store, and estimates the rest", async () => {
  let steps = 0;
  const store = (info: Reply) => ([command]: readonly string[]): Reply => {
    if (command === "TIME") return ["1000", "0"];
    if (command === "INFO") return info;
    if (command === "GET") return "1:2:3";
    // Half of the keys are ours.
    const keys = Array.from({ length: 500 }, (_, i) => {
      const name = String(steps * 500 + i).padStart(43, "0");
      return i % 2 === 0 ? `${KEY_PREFIX}${name}` : name;
    });
    return [String(++steps), keys];
  };
  for (
    const [info, total] of [
      ["# Keyspace\r\ndb0:keys=1000000,expires=1\r\n", 500_000],
      [new Error("NOPERM"), undefined],
      ["db1:keys=5", undefined],
    ] as const
  ) {
    steps = 0;
    const { result } = await commandsOf(store(info), (client) => sampleSecrets(client, 0));
    assertEquals([result.secrets.length, result.total, steps], [1000, total, 4]);
  }
});

Deno.test("sampleSecrets() reads no more of a Cluster than of one server, and names nodes that fail", async () => {
  const commands: string[] = [];
  const node = new StoreClient({
    connect: () => Promise.resolve(),
    send: (key, [command = ""]) => {
      if (key === "gone") return Promise.reject(new Error("OOM"));
      commands.push(`${command} ${key}`);
      if (command === "TIME") return Promise.resolve(["1000", "0"]);
      const keys = Array.from({ length: 500 }, (_, i) => `${key} ${commands.length} ${i}`);
      return Promise.resolve(command === "INFO" ? "" : ["1", keys]);
    },
    probeKeys: () => [["one"], ["other"], ["gone"]],
    serverOf: (key) => `its node ${key}`,
    destroy: () => {},
  }, 60_000);
  const { errors } = await sampleSecrets(node, 0);
  const scans = commands.filter((command) => command.startsWith("SCAN "));
  assertEquals(scans.toSorted(), ["SCAN one", "SCAN one", "SCAN other", "SCAN other"]);
  assertEquals(errors.map(storeClause), ["its node gone is full (OOM)"]);
  node.destroy();
});

Deno.test("withStore() waits two seconds for each reply, or longer if its URL says so", () =>
  ManualTimers.during(async (timers) => {
    for (const [given, timeoutMs] of [[100, 2000], [3000, 3000]] as const) {
      const store = startFakeRedis();
      const url = parseStoreUrl(`${store.url}?timeout=${given}`) as StoreUrl;
      timers.delaysMs.length = 0;
      await withStore(url, {}, (client) => client.run("", (send) => send(["PING"])));
      store.close();
      // Ticks of the timeouts, of which that of connecting is twice as long.
      assertEquals(timers.delaysMs, [2, 1].map((times) => times * timeoutMs / 10));
    }
  }));

Deno.test("probe() tries a key in each quarter of the slots on one server", async () => {
  const { result } = await commandsOf(() => "OK", (store) => store.probe());
  assertEquals(result, []);
});
