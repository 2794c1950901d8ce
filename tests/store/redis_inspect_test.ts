import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import type { GuardState } from "../../lib/guard/guard.ts";
import { inspect, type Remembered } from "../../lib/store/redis_inspect.ts";
import { KEY_PREFIX } from "../../lib/store/redis_script.ts";
import { ProtocolError } from "../../lib/connection/store_failure.ts";

function inspected(
  kept: unknown,
  time: unknown = ["1000", "500999"],
): Promise<Remembered | undefined> {
  const ask = <T>(words: readonly string[], read: (reply: unknown) => T): Promise<T> => {
    const replies = new Map([[`GET ${KEY_PREFIX}name`, kept], ["TIME", time]]);
    return new Promise((resolve) => resolve(read(replies.get(words.join(" ")))));
  };
  return inspect({ ask }, "name");
}

const SECRET_ONLY = { owedMs: 3, lastMs: 7, usedStep: -1, sources: [] };

// What is kept of a secret, and what that means.
const ROWS: readonly (readonly [string, GuardState])[] = [
  ["3:7:-1", SECRET_ONLY],
  ["3:7:60000000", { ...SECRET_ONLY, usedStep: 60_000_000 }],
  ["3:7:-1 a-_Z09:1:2:3 b:4:5:0", {
    ...SECRET_ONLY,
    sources: [
      { id: "a-_Z09", owedMs: 1, lastMs: 2, knownUntilMs: 3 },
      { id: "b", owedMs: 4, lastMs: 5, knownUntilMs: 0 },
    ],
  }],
];

for (const [kept, state] of ROWS) {
  Deno.test(`inspect() reads ${kept}`, async () => {
    assertEquals(await inspected(kept), { state, nowMs: 1_000_500 });
  });
}

Deno.test("inspect() finds nothing where nothing is kept, and does not ask for the time", async () => {
  assertEquals(await inspected(null, "no time"), undefined);
});

const FOREIGN: readonly string[] = [
  ...["", "1:2", "1:2:x", "x1:2:3", "1:2:3x", "-1:2:3", "1:2:3 ", "1:2:3 a", "1:2:3 a:1:2"],
  ...["1:2:3 a:1:2:3:4", "1:2:3 :1:2:3", "1:2:3 a:1:2:3 ", "1:2:3  a:1:2:3", "1:2:3 a:1:-2:3"],
];

Deno.test("inspect() rejects what is not ours, and a time that is none", async () => {
  for (const kept of [...FOREIGN, 7, ["1:2:3"]]) {
    await assertRejects(() => inspected(kept), ProtocolError, "not ours");
  }
  for (const time of [null, [], ["1"], ["x", "0"], "1000", [1e300, 0]]) {
    await assertRejects(() => inspected("1:2:3", time), ProtocolError, "no time");
  }
});
