import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { keyInSlots, slotOf, slotOwners, SLOTS } from "../../lib/store/cluster_slots.ts";
import { ProtocolError } from "../../lib/connection/store_failure.ts";

// The first is the check of CRC-16/XMODEM, which the specification of Redis Cluster names; all are
// what CLUSTER KEYSLOT of Redis 7.0.15 says.
const KEY_SLOTS: readonly (readonly [string, number])[] = [
  ["123456789", 12739],
  ["", 0],
  ["foo", 12182],
  ["somekey", 11058],
];

for (const [key, slot] of KEY_SLOTS) {
  Deno.test(`slotOf() gives ${slot} for "${key}"`, () => assertEquals(slotOf(key), slot));
}

Deno.test("keyInSlots() finds a key of a slot that is wanted, or none", () => {
  for (const wanted of [0, 5461, SLOTS - 1]) {
    const key = keyInSlots("probe-", (slot) => slot === wanted)!;
    assertEquals([slotOf(key), key.startsWith("probe-")], [wanted, true]);
  }
  assertEquals(keyInSlots("probe-", () => false), undefined);
});

function ownersIn(reply: unknown): Promise<readonly (string | undefined)[]> {
  const ask = <T>(_words: readonly string[], read: (reply: unknown) => T): Promise<T> =>
    Promise.resolve().then(() => read(reply));
  return slotOwners({ ask }, "asked:7000");
}

Deno.test("slotOwners() tells the primary of each slot", async () => {
  const owners = await ownersIn([
    [0, 1, ["10.0.0.1", 7001, "id"], ["10.0.0.2", 7002, "id"]],
    [2, 2, ["", 7003, "id"]],
    [3, 3, [null, 7004, "id", ["hostname", "x"]]],
    [16383, 16383, ["2001:db8::1", 7005]],
  ]);
  assertEquals([...owners.slice(0, 5), owners.at(-1), owners.length], [
    "10.0.0.1:7001",
    "10.0.0.1:7001",
    "asked:7003",
    "asked:7004",
    undefined,
    "[2001:db8::1]:7005",
    SLOTS,
  ]);
});

Deno.test("slotOwners() takes nothing else for slots", async () => {
  const wrong = [
    null,
    "OK",
    [[0]],
    [[0, SLOTS, ["h", 1]]],
    [[-1, 1, ["h", 1]]],
    [[0, "1", ["h", 1]]],
    [[0, 1, "h:1"]],
    [[0, 1, ["h", "1"]]],
    [["0", 1, ["h", 1]]],
  ];
  for (const reply of wrong) await assertRejects(() => ownersIn(reply), ProtocolError);
});
