import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { Tallies } from "../../lib/telemetry/tallies.ts";

function counted(places: number, names: Iterable<string>): ReadonlyMap<string, number> {
  const tallies = new Tallies(places);
  for (const name of names) tallies.count(name);
  return new Map(tallies.atLeast());
}

Deno.test("Tallies are exact while there is room", () => {
  assertEquals(counted(3, []), new Map());
  assertEquals([...counted(3, "abcbcc")], [["c", 3], ["b", 2], ["a", 1]]);
  assertEquals([...counted(1, "aaa")], [["a", 3]]);
});

Deno.test("Tallies let the smallest go, and say nothing of a new name that others earned", () => {
  assertEquals(counted(2, "aaab"), new Map([["a", 3], ["b", 1]]));
  assertEquals(counted(2, "aaabc"), new Map([["a", 3], ["c", 1]]));
  assertEquals(counted(2, "aaabcc"), new Map([["a", 3], ["c", 2]]));
  assertEquals(counted(2, "aaabccb"), new Map([["a", 3], ["b", 1]]));
});

// Names that come the more often the smaller their number, in an order that is the same each time.
function* skewed(length: number, kinds: number): Iterable<string> {
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = Math.imul(state, 1_664_525) + 1_013_904_223 >>> 0;
    yield String(Math.floor(kinds * (state / 2 ** 32) ** 4));
  }
}

Deno.test("Tallies are never too high, and too low by one in so many names as there are places at most", () => {
  for (const places of [1, 2, 7, 50, 400]) {
    const names = [...skewed(20_000, 3_000)];
    const exact = counted(Infinity, names);
    const table = counted(places, names);
    assertEquals(table.size, places);
    const slack = names.length / places;
    for (const [name, times] of exact) {
      const told = table.get(name);
      if (told === undefined) assert(times <= slack, `${name} came ${times} times and is lost`);
      else assert(told > 0 && told <= times && told >= times - slack, `${name}: ${told}, ${times}`);
    }
  }
});

Deno.test("Tallies keep a name that comes now and then among many that come once", () => {
  const tallies = new Tallies(1_000);
  for (let i = 0; i < 100_000; i++) tallies.count(i % 500 === 0 ? "attacked" : `made up ${i}`);
  const [name, times] = [...tallies.atLeast()].sort(([, one], [, other]) => other - one)[0]!;
  assertEquals(name, "attacked");
  assert(times >= 100 && times <= 200, String(times));
});
