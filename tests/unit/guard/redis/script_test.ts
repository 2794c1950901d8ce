import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { luaLink, LuaStore } from "../../../support/lua_store.ts";
import { playHistories } from "../../../support/guard_history.ts";
import { guardRules } from "../../../../lib/guard/guard.ts";
import { countOtherKeys, KEY_IDS } from "../../../../lib/guard/redis/monitor.ts";
import {
  DECIDE_SCRIPT,
  parseState,
  redisKey,
  runScript,
  scriptArguments,
  type ScriptCall,
  type ScriptReply,
  type Send,
  unlock,
} from "../../../../lib/guard/redis/script.ts";

// A real server runs the script in tests/integration/redis/script_test.ts.

Deno.test("the stores in memory and in Redis decide as the rules do in every history, and Redis keeps what they need", () =>
  playHistories(luaLink, 12));

Deno.test("the scripts count by the milliseconds of the store's clock", async () => {
  const key = redisKey("a");
  const rules = guardRules({ maxFailures: 2, singleUse: false, window: 1, period: 30 });
  const store = new LuaStore(() => ["1800000000", "123999"]);
  const send: Send = (words) => Promise.try(() => store.evaluate(words));
  const pin = { matchedStep: undefined, source: "name" };
  await runScript(send, key, { rules, pin, nowMs: undefined });
  const spent = "1800000000123";
  assertEquals(store.get(key), `3600000:${spent}:-1 name:7200000:${spent}:0`);
  // What ends in this millisecond has ended, what ends in the next has not.
  for (const [knownMs, isKept] of [["1800000000123", false], ["1800000000124", true]] as const) {
    const known = `name:0:0:${knownMs}`;
    store.set(key, `1:0:-1 ${known}`);
    assertEquals(await unlock(send, key), true);
    assertEquals(store.get(key), isKept ? `0:0:-1 ${known}` : undefined);
  }
});

Deno.test("countOtherKeys() counts up to eight keys of servers that used the store less than 25 s ago", async () => {
  const time = { ms: 1_800_000_000_123 };
  const store = new LuaStore(() => [`${Math.floor(time.ms / 1000)}`, `${time.ms % 1000}999`]);
  const send: Send = (words) => Promise.try(() => store.evaluate(words));
  const count = (id: string, isServer = true): Promise<number> =>
    countOtherKeys(send, id, isServer);
  // Only a server registers its key.
  assertEquals([await count("a"), await count("b"), await count("c", false)], [0, 1, 2]);
  time.ms += 24_999;
  assertEquals([await count("a"), store.expiryMs(KEY_IDS)], [1, 25_000]);
  time.ms += 1;
  assertEquals([await count("a"), await count("b")], [0, 1]);
  for (let i = 0; i < 20; i++) assertEquals(await count(`key-${i}`), Math.min(2 + i, 8));
});

Deno.test("a secret without wrong pins and a used code is the first that a full store evicts", async () => {
  const ask = async (
    singleUse: boolean,
    ...pins: readonly ScriptCall["pin"][]
  ): Promise<boolean> => {
    const store = new LuaStore();
    const rules = guardRules({ maxFailures: 2, singleUse, window: 1, period: 30 });
    const send: Send = (words) => Promise.try(() => store.evaluate(words));
    for (const pin of pins) await runScript(send, "key", { rules, pin, nowMs: 1 });
    return store.isLetGo("key");
  };
  const [right, wrong] = [7, undefined].map((matchedStep) => ({ matchedStep, source: "name" }));
  assertEquals(await ask(false, right!), true);
  assertEquals(await ask(true, right!), false);
  assertEquals(await ask(false, right!, { matchedStep: undefined }), false);
  assertEquals(await ask(false, right!, wrong!), false);
  assertEquals(await ask(false, { ...right!, source: "other" }, wrong!), false);
});

Deno.test("a key of the wrong type makes one secret unreadable, any other error is a failure of the store", async () => {
  const store = new LuaStore();
  const send: Send = (words) => Promise.try(() => store.evaluate(words));
  const rules = guardRules({ maxFailures: 2, singleUse: true, window: 1, period: 30 });
  const ask = (): Promise<ScriptReply> =>
    runScript(send, "key", { rules, pin: { matchedStep: 7 }, nowMs: 1 });
  store.fail("key", "WRONGTYPE Operation against a key");
  assertEquals([(await ask()).verdict, await unlock(send, "key")], ["unavailable", false]);
  store.fail("key", "LOADING Redis is loading");
  await assertRejects(ask, Error, "LOADING");
  await assertRejects(() => unlock(send, "key"), Error, "LOADING");
});

Deno.test("scriptArguments() returns the budgets, the rules and the pin", () => {
  const rules = { maxFailures: 10, singleUse: true, forgetUseMs: 7 };
  const pin = { matchedStep: 42, source: "name" };
  assertEquals(scriptArguments({ rules, pin, nowMs: 1000 }), [
    ...["10:3600000:7", "8:3600000:7", "5:7200000:8"],
    ...["1", "7", "name", "42", "1000"],
    ...["30000", "2592000000", "8", "16"],
  ]);
  const none = { maxFailures: 0, singleUse: false, forgetUseMs: 7 };
  const wrong = { matchedStep: undefined };
  const args = scriptArguments({ rules: none, pin: wrong, nowMs: undefined });
  assertEquals([args[0]!.split(":")[0], ...args.slice(3, 8)], ["0", "0", "7", "", "", ""]);
});

Deno.test("the script reads every argument", () => {
  const indices = [...DECIDE_SCRIPT.matchAll(/(?:ARGV\[|budget\()(\d+)/g)].map(([, i]) =>
    Number(i)
  );
  const rules = { maxFailures: 10, singleUse: true, forgetUseMs: 7 };
  const pin = { matchedStep: 42, source: "name" };
  const args = scriptArguments({ rules, pin, nowMs: 1000 });
  assertEquals(new Set(indices), new Set(args.map((_, i) => i + 1)));
});

Deno.test("parseState() reads exactly the states that the script writes", () => {
  const state = { debtMs: 1, lastMs: 2, usedStep: -1 };
  const source = { id: "a-_9", debtMs: 30, lastMs: 40, knownUntilMs: 50 };
  assertEquals(parseState("1:2:-1"), { ...state, sources: [] });
  assertEquals(parseState("10:20:30")?.usedStep, 30);
  assertEquals(parseState("1:2:-1 a-_9:30:40:50"), { ...state, sources: [source] });
  const wrong = [
    ...["", "1:2", "1:2:3:4", "x1:2:3", "1:2:3x", "-1:2:3", "1:2:--3", "1:2:3 ", "1:2:3 a"],
    ...["1:2:3 a:1:2", "1:2:3 a:1:2:3:4", "1:2:3 a!:1:2:3", "1:2:3 a:1:2:3x", "1:2:3 a:-1:2:3"],
    ...[" 1:2:3", "1:2:3  a:1:2:3", "1:2:3 :1:2:3", "1:2:3 !a:1:2:3"],
  ];
  assertEquals(wrong.filter((text) => parseState(text) !== undefined), []);
});
