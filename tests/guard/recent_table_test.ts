import { assertEquals } from "@std/assert/equals";
import { type Entry, RANKS, RecentTable } from "../../lib/guard/recent_table.ts";
import { seededRandom } from "../support/random.ts";

/** The same by a Map, which keeps the order in which its entries were added. */
class NaiveTable {
  readonly entries = new Map<string, Entry>();

  constructor(private readonly places: number) {}

  get(name: string, nowMs: number): Entry["state"] | undefined {
    const entry = this.entries.get(name);
    return entry && entry.expiresAtMs > nowMs ? entry.state : undefined;
  }

  set(name: string, entry: Entry, nowMs: number): number | undefined {
    this.entries.delete(name);
    let evicted: number | undefined;
    if (this.entries.size >= this.places) {
      const all = [...this.entries].sort(([, a], [, b]) => a.rank - b.rank);
      // Of each rank only the first is asked whether it expired.
      const firsts = all.filter(([, { rank }], i) => rank !== all[i - 1]?.[1].rank);
      const expired = firsts.find(([, { expiresAtMs }]) => expiresAtMs <= nowMs);
      if (expired === undefined) {
        evicted = all[0]![1].rank;
        if (entry.rank === 0 && evicted > 0) return 0;
      }
      this.entries.delete((expired ?? all[0]!)[0]);
    }
    this.entries.set(name, entry);
    return evicted;
  }
}

const STATE = { owedMs: 1, lastMs: 0, usedStep: -1, sources: [] };

Deno.test("RecentTable forgets what a Map in the order of change would", () => {
  const random = seededRandom(3);
  for (const places of [1, 2, 3, 10, 50]) {
    const [table, naive] = [new RecentTable(places), new NaiveTable(places)];
    for (let event = 0; event < 5000; event++) {
      const name = `s${random(2 * places + 1)}`;
      switch (random(3)) {
        case 0: {
          const state = {
            owedMs: event,
            lastMs: event * 2 ** 33,
            usedStep: event - 1,
            sources: [{ id: name, owedMs: event, lastMs: 1, knownUntilMs: 2 }],
          };
          const rank = [0, 1, 2, RANKS - 1][random(4)]!;
          const entry = { state, expiresAtMs: event + random(20 * places), rank };
          assertEquals(table.set(name, entry, event), naive.set(name, entry, event));
          break;
        }
        case 1:
          table.delete(name);
          naive.entries.delete(name);
          break;
        default:
          assertEquals(table.get(name, () => event), naive.get(name, event));
      }
      assertEquals(table.size, naive.entries.size);
    }
  }
});

Deno.test("RecentTable forgets what expired before anything else", () => {
  const table = new RecentTable(3);
  table.set("used", { state: STATE, expiresAtMs: 100, rank: 0 }, 0);
  table.set("throttled", { state: STATE, expiresAtMs: 10, rank: RANKS - 1 }, 0);
  table.set("failed", { state: STATE, expiresAtMs: 100, rank: 1 }, 0);
  assertEquals(table.set("new", { state: STATE, expiresAtMs: 100, rank: 0 }, 10), undefined);
  assertEquals(["used", "throttled", "failed", "new"].map((name) => table.get(name, () => 9)), [
    STATE,
    undefined,
    STATE,
    STATE,
  ]);
});

Deno.test("RecentTable forgets the lowest rank first, and of that what changed the longest ago", () => {
  const table = new RecentTable(4);
  const entry = (rank: number): Entry => ({ state: STATE, expiresAtMs: 100, rank });
  for (const [name, rank] of [["a", 2], ["b", 1], ["c", 1], ["d", 3]] as const) {
    table.set(name, entry(rank), 0);
  }
  assertEquals(table.set("b", entry(1), 0), undefined);
  assertEquals([table.set("e", entry(5), 0), table.get("c", () => 0)], [1, undefined]);
  assertEquals([table.set("f", entry(5), 0), table.get("b", () => 0)], [1, undefined]);
  assertEquals([table.set("g", entry(1), 0), table.get("a", () => 0)], [2, undefined]);
  // What has rank 0 stays outside, and what has another comes in.
  assertEquals([table.set("h", entry(0), 0), table.get("h", () => 0)], [0, undefined]);
  assertEquals([table.set("i", entry(1), 0), table.get("i", () => 0)], [1, STATE]);
  assertEquals(["d", "e", "f"].map((name) => table.get(name, () => 0)), [STATE, STATE, STATE]);
});

Deno.test("RecentTable sweeps what expired, and nothing else", () => {
  const table = new RecentTable(100);
  const set = (name: string, expiresAtMs: number): number | undefined =>
    table.set(name, { state: STATE, expiresAtMs, rank: 1 }, 0);
  for (let i = 0; i < 100; i++) set(`s${i}`, i % 3 === 0 ? 10 : 20);
  for (let i = 0; i < 13; i++) table.sweep(10);
  assertEquals(table.size, 66);
  for (let i = 0; i < 13; i++) table.sweep(20);
  assertEquals(table.size, 0);
  for (let i = 0; i < 101; i++) set(`t${i}`, 30);
  assertEquals([table.size, table.get("t0", () => 20), table.get("t1", () => 20)], [
    100,
    undefined,
    STATE,
  ]);
});

Deno.test("RecentTable sweeps eight places a call, that no call pays for all", () => {
  const table = new RecentTable(20);
  for (let i = 0; i < 20; i++) {
    table.set(`s${i}`, { state: STATE, expiresAtMs: 10, rank: i % RANKS }, 0);
  }
  const sizes = Array.from({ length: 3 }, () => {
    table.sweep(10);
    return table.size;
  });
  assertEquals(sizes, [12, 4, 0]);
});
