import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import {
  keyInSlots,
  slotOf,
  type SlotOwners,
  slotOwners,
  SLOTS,
} from "../../lib/store/cluster_slots.ts";
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
  let tries = 0;
  assertEquals(keyInSlots("probe-", () => (tries++, false)), undefined);
  assertEquals(tries, 10 * SLOTS);
});

function ownersIn(reply: unknown, asked = "asked:7000"): Promise<SlotOwners> {
  const ask = <T>(_words: readonly string[], read: (reply: unknown) => T): Promise<T> =>
    Promise.resolve().then(() => read(reply));
  return slotOwners({ ask }, asked);
}

Deno.test("slotOwners() tells the primary of each slot", async () => {
  const owners = await ownersIn([
    [0, 1, ["10.0.0.1", 7001, "id"], ["10.0.0.2", 7002, "id"]],
    [2, 2, ["", 7003, "id"]],
    [3, 3, [null, 7004, "id", ["hostname", "x"]]],
    [5, 5, ["?", 7006, "id"]],
    [16382, 16382, ["[2001:db8::2]", 7007]],
    [16383, 16383, ["2001:db8::1", 7005]],
  ]);
  assertEquals([...owners.slice(0, 6), ...owners.slice(-2), owners.length], [
    "10.0.0.1:7001",
    "10.0.0.1:7001",
    "asked:7003",
    "asked:7004",
    undefined,
    "asked:7006",
    "[2001:db8::2]:7007",
    "[2001:db8::1]:7005",
    SLOTS,
  ]);
  const [first] = await ownersIn([[0, 0, ["", 7001]]], "[::1]:7000");
  assertEquals(first, "[::1]:7001");
});

Deno.test("slotOwners() takes nothing else for slots", async () => {
  const wrong = [
    null,
    "OK",
    [null],
    [7],
    [[0]],
    [[0, 1]],
    [[0, 1, null]],
    [[0.5, 1, ["h", 1]]],
    [[0, SLOTS, ["h", 1]]],
    [[-1, 1, ["h", 1]]],
    [[0, "1", ["h", 1]]],
    [[0, 1, "h:1"]],
    [[0, 1, ["h", "1"]]],
    [["0", 1, ["h", 1]]],
  ];
  for (const reply of wrong) {
    await assertRejects(() => ownersIn(reply), ProtocolError, "These are no slots");
  }
});
