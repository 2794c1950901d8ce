import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { inspect, type Remembered } from "../../lib/store/redis_inspect.ts";
import { KEY_PREFIX } from "../../lib/store/redis_script.ts";
import { ProtocolError } from "../../lib/store/store_failure.ts";

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

// What is kept of a secret, at 1,000,500 ms by the clock of the store, and what that means.
const ROWS: readonly (readonly [string, Remembered])[] = [
  ["3:0:-1", { failures: 3, refusedMs: 0, usedStep: -1 }],
  ["112:1000500:60000000", { failures: 112, refusedMs: 0, usedStep: 60_000_000 }],
  ["100:1000501:-1", { failures: 100, refusedMs: 1, usedStep: -1 }],
  ["100:4600500:-1", { failures: 100, refusedMs: 3_600_000, usedStep: -1 }],
  ["100:9000000:-1", { failures: 100, refusedMs: 3_600_000, usedStep: -1 }],
];

for (const [kept, remembered] of ROWS) {
  Deno.test(`inspect() reads ${kept}`, async () => {
    assertEquals(await inspected(kept), remembered);
  });
}

Deno.test("inspect() finds nothing where nothing is kept, and does not ask for the time", async () => {
  assertEquals(await inspected(null, "no time"), undefined);
});

Deno.test("inspect() rejects what is not ours, and a time that is none", async () => {
  for (const kept of ["", "1:2", "1:2:x", "x1:2:3", "1:2:3x", "-1:2:3", 7, ["1:2:3:4"]]) {
    await assertRejects(() => inspected(kept), ProtocolError, "not ours");
  }
  for (const time of [null, [], ["1"], ["x", "0"], "1000", [1e300, 0]]) {
    await assertRejects(() => inspected("1:2:3", time), ProtocolError, "no time");
  }
});
