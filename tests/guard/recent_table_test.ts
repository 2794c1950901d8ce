import { assertEquals } from "@std/assert/equals";
import type { GuardState } from "../../lib/guard/guard.ts";
import { RecentTable } from "../../lib/guard/recent_table.ts";
import { seededRandom } from "../support/random.ts";

/** The same by a Map, which keeps the order in which its entries were added. */
class NaiveTable {
  readonly entries = new Map<string, readonly [GuardState, number]>();

  constructor(private readonly places: number) {}

  use(name: string, nowMs: number): GuardState | undefined {
    const entry = this.entries.get(name);
    this.entries.delete(name);
    if (entry === undefined || entry[1] <= nowMs) return undefined;
    this.entries.set(name, entry);
    return entry[0];
  }

  set(name: string, state: GuardState, expiresAtMs: number): boolean {
    this.entries.delete(name);
    const isFull = this.entries.size >= this.places;
    if (isFull) this.entries.delete([...this.entries.keys()][0]!);
    this.entries.set(name, [state, expiresAtMs]);
    return isFull;
  }
}

Deno.test("RecentTable forgets what a Map in the order of use would", () => {
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
          const expiresAtMs = event + random(20 * places);
          assertEquals(table.set(name, state, expiresAtMs), naive.set(name, state, expiresAtMs));
          break;
        }
        case 1:
          table.delete(name);
          naive.entries.delete(name);
          break;
        default:
          assertEquals(table.use(name, event), naive.use(name, event));
      }
      assertEquals(table.size, naive.entries.size);
    }
  }
});

Deno.test("RecentTable sweeps what expired, and nothing else", () => {
  const table = new RecentTable(100);
  const state = { owedMs: 1, lastMs: 0, usedStep: -1, sources: [] };
  for (let i = 0; i < 100; i++) table.set(`s${i}`, state, i % 3 === 0 ? 10 : 20);
  for (let i = 0; i < 50; i++) table.sweep(10);
  assertEquals(table.size, 66);
  for (let i = 0; i < 50; i++) table.sweep(20);
  assertEquals(table.size, 0);
  for (let i = 0; i < 101; i++) table.set(`t${i}`, state, 30);
  assertEquals([table.size, table.use("t0", 20), table.use("t1", 20)], [100, undefined, state]);
});

Deno.test("RecentTable sweeps two places a call, that no call pays for all", () => {
  const table = new RecentTable(10);
  const state = { owedMs: 1, lastMs: 0, usedStep: -1, sources: [] };
  for (let i = 0; i < 10; i++) table.set(`s${i}`, state, 10);
  const sizes = Array.from({ length: 5 }, () => {
    table.sweep(10);
    return table.size;
  });
  assertEquals(sizes, [8, 6, 4, 2, 0]);
});
