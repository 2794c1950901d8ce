import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import {
  MAX_NODES,
  SlotKeys,
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

Deno.test("SlotKeys finds a key of each slot that is wanted, the same each time", () => {
  const keys = new SlotKeys("probe-");
  for (let wanted = 0; wanted < SLOTS; wanted += 461) {
    const find = (): string => keys.find((slot) => slot === wanted)!;
    const key = find();
    assertEquals([slotOf(key), key.startsWith("probe-"), find()], [wanted, true, key]);
  }
  // Of several, one that is known already.
  const known = keys.find((slot) => slot === 461);
  assertEquals(keys.find((slot) => slot >= 461 && slot < 470), known);
  assertEquals(keys.find((slot) => slot < 5 * SLOTS), keys.find((slot) => slot === 0));
});

Deno.test("SlotKeys finds no key where no slot is wanted", () => {
  assertEquals(new SlotKeys("probe-").find(() => false), undefined);
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
    [[1, 0, ["h", 1]]],
    // A slot that two have.
    [[0, SLOTS - 1, ["h", 1]], [0, 0, ["h", 1]]],
    // What stands at the place of an address may be shown.
    ...["h\n", "h\x1b[2J", "h h", "h:1", "a@h", "h/", "\u202Eh", "hé"].map((
      host,
    ) => [[0, 1, [host, 1]]]),
    [[0, 1, ["h", -1]]],
    [[0, 1, ["h", 65_536]]],
    [[0, 1, ["[::::]", 1]]],
    [[0, 1, ["h".repeat(254), 1]]],
  ];
  for (const reply of wrong) {
    await assertRejects(() => ownersIn(reply), ProtocolError, "These are no slots");
  }
});

Deno.test("slotOwners() takes no more primaries than anybody runs", async () => {
  const primaries = (count: number): unknown =>
    Array.from({ length: count }, (_, i) => [i, i, ["h", i + 1]]);
  assertEquals(new Set(await ownersIn(primaries(MAX_NODES))).size, MAX_NODES + 1);
  await assertRejects(() => ownersIn(primaries(MAX_NODES + 1)), ProtocolError, "no slots");
});
