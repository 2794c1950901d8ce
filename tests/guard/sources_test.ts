import { assertEquals } from "@std/assert/equals";
import {
  isKnown,
  MAX_KNOWN_SOURCES,
  MAX_SOURCES,
  sourceNamed,
  type SourceState,
  withSource,
} from "../../lib/guard/sources.ts";

const NOW = 1_800_000_000_000;

function source(id: string, debtMs: number, knownUntilMs = 0): SourceState {
  return { id, debtMs, lastMs: NOW, knownUntilMs };
}

function ids(sources: readonly SourceState[]): readonly string[] {
  return sources.map(({ id }) => id);
}

Deno.test("sourceNamed() finds a source, and gives one that spent nothing where there is none", () => {
  const sources = [source("a", 1), source("b", 2)];
  assertEquals(sourceNamed(sources, "b"), sources[1]!);
  assertEquals(sourceNamed(sources, "c"), { id: "c", debtMs: 0, lastMs: 0, knownUntilMs: 0 });
});

Deno.test("isKnown() is over at the time that is remembered", () => {
  assertEquals([NOW - 1, NOW, NOW + 1].map((ms) => isKnown(source("a", 0, ms), NOW)), [
    false,
    false,
    true,
  ]);
});

Deno.test("withSource() has the changed source once, as the last", () => {
  const sources = [source("a", 1), source("b", 2)];
  assertEquals(withSource(sources, source("a", 3), NOW), [source("b", 2), source("a", 3)]);
});

Deno.test("withSource() leaves out of what there is nothing to remember", () => {
  const sources = [source("whole", 0), source("known", 0, NOW + 1), source("forgotten", 0, NOW)];
  assertEquals(ids(withSource(sources, source("new", 1), NOW)), ["known", "new"]);
  assertEquals(withSource([], source("new", 0), NOW), []);
});

Deno.test("withSource() forgets for want of room the source whose budget is whole the soonest", () => {
  const full = Array.from({ length: MAX_SOURCES }, (_, i) => source(`s${i}`, i === 3 ? 10 : 20));
  const after = withSource(full, source("new", 30), NOW);
  assertEquals(ids(after), ids([...full.toSpliced(3, 1), source("new", 30)]));
  // Of several, the first.
  assertEquals(ids(withSource(after, source("another", 30), NOW))[0], "s1");
  // That may be the one that came last.
  assertEquals(withSource(full, source("new", 5), NOW), full);
});

Deno.test("withSource() forgets no known source for a stranger, however many come", () => {
  let sources: readonly SourceState[] = [source("known", 0, NOW + 1)];
  for (let i = 0; i < 100; i++) sources = withSource(sources, source(`s${i}`, 100 + i), NOW);
  assertEquals([sources.length, ids(sources)[0]], [MAX_SOURCES, "known"]);
});

Deno.test("withSource() knows so many sources and no more: the one known the longest ago goes", () => {
  const known = Array.from(
    { length: MAX_KNOWN_SOURCES },
    (_, i) => source(`s${i}`, 0, NOW + 100 - i),
  );
  const after = withSource(known, source("new", 0, NOW + 200), NOW);
  assertEquals(ids(after), [...ids(known.slice(0, -1)), "new"]);
  // What it spent is remembered all the same.
  const spent = known.with(2, source("s2", 7, NOW + 1));
  const kept = withSource(spent, source("new", 0, NOW + 200), NOW);
  assertEquals(sourceNamed(kept, "s2"), source("s2", 7, 0));
  assertEquals(kept.length, MAX_KNOWN_SOURCES + 1);
});

Deno.test("withSource() knows as many as it may, and counts strangers for none of them", () => {
  const known = Array.from(
    { length: MAX_KNOWN_SOURCES },
    (_, i) => source(`s${i}`, 0, NOW + 1 + i),
  );
  const last = source("last", 0, NOW + 200);
  const isKnownNow = (sources: readonly SourceState[]): readonly string[] =>
    ids(sources.filter((source) => isKnown(source, NOW)));
  assertEquals(isKnownNow(withSource(known.slice(1), last, NOW)), [...ids(known.slice(1)), "last"]);
  const strangers = [source("stranger", 7), ...known];
  assertEquals(isKnownNow(withSource(strangers, last, NOW)), [...ids(known.slice(1)), "last"]);
});

Deno.test("withSource() keeps no more than the most where known sources are added to as many others", () => {
  const others = Array.from({ length: MAX_SOURCES }, (_, i) => source(`other ${i}`, 10 + i));
  const known = Array.from({ length: MAX_KNOWN_SOURCES }, (_, i) => source(`${i}`, 10, NOW + 1));
  const kept = ids(withSource([...others, ...known], known[0]!, NOW));
  assertEquals(kept.length, MAX_SOURCES);
  // Those whose budget is whole the soonest are gone.
  assertEquals(kept.filter((id) => id.startsWith("other")).sort(), [
    ...["other 10", "other 11", "other 12", "other 13", "other 14", "other 15"],
    ...["other 8", "other 9"],
  ]);
});
