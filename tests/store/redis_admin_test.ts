import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import type { RedisClient } from "../../lib/connection/redis_client.ts";
import { ErrorReply, ProtocolError } from "../../lib/connection/store_failure.ts";
import { keptSecrets, storeTimeMs, unlockKey } from "../../lib/store/redis_admin.ts";
import { KEY_PREFIX } from "../../lib/store/redis_script.ts";
import { PROBE_PREFIX } from "../../lib/store/redis_store.ts";

interface Scene {
  readonly client: Pick<RedisClient, "ask">;
  /** What was asked. */
  readonly asked: (readonly string[])[];
}

/** A client that answers each command by a function. */
function scene(answer: (words: readonly string[]) => unknown): Scene {
  const asked: (readonly string[])[] = [];
  const ask = <T>(words: readonly string[], read: (reply: unknown) => T): Promise<T> => {
    asked.push(words);
    return Promise.resolve().then(() => read(answer(words)));
  };
  return { client: { ask }, asked };
}

Deno.test("unlockKey() tells whether anything was remembered, and believes nothing else", async () => {
  for (const [reply, wasKept] of [[1, true], [0, false]] as const) {
    const { client, asked } = scene(() => reply);
    assertEquals(await unlockKey(client, "key"), wasKept);
    const [[name, script, ...rest] = []] = asked;
    assertEquals([name, script!.includes("SET"), rest], ["EVAL", true, ["1", "key"]]);
  }
  for (const reply of [2, "1", null, [1], true]) {
    const { client } = scene(() => reply);
    await assertRejects(() => unlockKey(client, "key"), ProtocolError, "what was done");
  }
});

// As long as a fingerprint.
const [A, B, ODD, GONE] = ["a", "b", "odd", "gone"].map((name) => name.padEnd(43, "-_0Z"));

async function all(client: Pick<RedisClient, "ask">): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { fingerprint, state } of keptSecrets(client)) {
    found.push([fingerprint, state.owedMs]);
  }
  return found;
}

Deno.test("keptSecrets() reads what a server remembers step by step, and nothing else", async () => {
  const kept = new Map([[A!, "1:2:3"], [B!, "4:5:-1 x:1:2:3"], [ODD!, "canary"]]);
  const { client, asked } = scene(([command, word]) => {
    if (command === "GET") return kept.get(word!.slice(KEY_PREFIX.length)) ?? null;
    // A server gives some keys twice.
    const keys = word === "0" ? [A, ODD, A, GONE] : [B, A];
    return [word === "0" ? "17" : "0", [
      ...keys.map((key) => `${KEY_PREFIX}${key}`),
      // Others are none of ours, and may be meant for the terminal that they are shown on.
      ...[
        `${PROBE_PREFIX}1`,
        `${KEY_PREFIX}\x1b[31m${A!.slice(5)}`,
        `${KEY_PREFIX}${A}0`,
        KEY_PREFIX,
      ],
    ]];
  });
  assertEquals(await all(client), [[A, 1], [B, 4]]);
  const scan = (cursor: string): readonly string[] => [
    ...["SCAN", cursor, "MATCH", `${KEY_PREFIX}*`, "COUNT", "500"],
  ];
  const get = (key: string | undefined): readonly string[] => ["GET", `${KEY_PREFIX}${key}`];
  assertEquals(asked, [scan("0"), get(A), get(ODD), get(GONE), scan("17"), get(B)]);
});

Deno.test("keptSecrets() passes over a key of another type, and over no other error", async () => {
  const saying = (error: string): Pick<RedisClient, "ask"> =>
    scene(([command, word]) => {
      if (command === "SCAN") return ["0", [`${KEY_PREFIX}${A}`, `${KEY_PREFIX}${B}`]];
      if (word === `${KEY_PREFIX}${A}`) throw new ErrorReply(error);
      return "1:2:3";
    }).client;
  assertEquals(await all(saying("WRONGTYPE Operation against a key")), [[B, 1]]);
  await assertRejects(() => all(saying("NOPERM no permissions")), ErrorReply, "NOPERM");
});

Deno.test("keptSecrets() takes nothing but a cursor and keys for a step", async () => {
  const cursor = "9".repeat(20);
  const { client, asked } = scene(([, word]) => [word === "0" ? cursor : "0", []]);
  assertEquals([await all(client), asked[1]![1]], [[], cursor]);
  const wrong = [null, "OK", [], ["0"], ["0", "key"], ["x", []], ["1x", []], ["", []]];
  for (const reply of [...wrong, ["1".repeat(21), []]]) {
    const { client } = scene(() => reply);
    await assertRejects(() => all(client), ProtocolError, "These are no keys");
  }
});

Deno.test("storeTimeMs() gives the seconds of a server's clock in milliseconds", async () => {
  const { client, asked } = scene(() => ["1700000000", "999999"]);
  assertEquals([await storeTimeMs(client), asked], [1_700_000_000_000, [["TIME"]]]);
  for (const reply of [null, "1700000000", [], ["x"], ["1.5", "0"]]) {
    const { client } = scene(() => reply);
    await assertRejects(() => storeTimeMs(client), ProtocolError, "This is no time");
  }
});
