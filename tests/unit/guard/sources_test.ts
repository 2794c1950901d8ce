import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import {
  isKnown,
  MAX_KNOWN_SOURCES,
  MAX_SOURCES,
  sourceNamed,
  type SourceState,
  withSource,
} from "../../../lib/guard/sources.ts";
import { runOptions } from "../../support/property.ts";

const NOW = 1_800_000_000_000;

function source(id: string, debtMs: number, knownUntilMs = 0): SourceState {
  return { id, debtMs, lastMs: NOW, knownUntilMs };
}

function ids(sources: readonly SourceState[]): readonly string[] {
  return sources.map(({ id }) => id);
}

Deno.test("sourceNamed() returns a source, or one without attempts where there is none", () => {
  const sources = [source("a", 1), source("b", 2)];
  assertEquals(sourceNamed(sources, "b"), sources[1]!);
  assertEquals(sourceNamed(sources, "c"), { id: "c", debtMs: 0, lastMs: 0, knownUntilMs: 0 });
});

Deno.test("isKnown() is false from the remembered time on", () => {
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

Deno.test("withSource() omits sources with nothing to remember", () => {
  const sources = [source("whole", 0), source("known", 0, NOW + 1), source("forgotten", 0, NOW)];
  assertEquals(ids(withSource(sources, source("new", 1), NOW)), ["known", "new"]);
  assertEquals(withSource([], source("new", 0), NOW), []);
});

const SOURCES = fc.uniqueArray(
  fc.record({
    id: fc.nat(99).map(String),
    debtMs: fc.constantFrom(0, 5, 10, 20, 30),
    lastMs: fc.nat(20).map((ms) => NOW - ms),
    knownUntilMs: fc.constantFrom(0, 0, NOW, NOW + 1, NOW + 2, NOW + 3),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 2 * MAX_SOURCES, size: "max" },
);

// A list has at most so many known sources before one more becomes known.
function withoutSurplus(sources: readonly SourceState[]): readonly SourceState[] {
  const known = sources.filter((source) => isKnown(source, NOW)).slice(MAX_KNOWN_SOURCES);
  return sources.map((source) => known.includes(source) ? { ...source, knownUntilMs: 0 } : source);
}

Deno.test("withSource() evicts the oldest known source, then the unknown ones that are restored the soonest", () => {
  fc.assert(
    fc.property(SOURCES, ([last, ...others]) => {
      const before = [...withoutSurplus(others), last!];
      const known = before.filter((source) => isKnown(source, NOW));
      const [oldest] = known.toSorted((a, b) => a.knownUntilMs - b.knownUntilMs);
      const still = before.map((source) =>
        source === oldest && known.length > MAX_KNOWN_SOURCES
          ? { ...source, knownUntilMs: 0 }
          : source
      );
      const wholeMs = ({ debtMs, lastMs }: SourceState): number => debtMs + lastMs;
      const owing = still.filter((source) => isKnown(source, NOW) || wholeMs(source) > NOW);
      const surplus = owing.filter((source) => !isKnown(source, NOW))
        .toSorted((a, b) => wholeMs(a) - wholeMs(b))
        .slice(0, Math.max(0, owing.length - MAX_SOURCES));
      const expected = owing.filter((source) => !surplus.includes(source));
      assertEquals(withSource(others.length > 0 ? before.slice(0, -1) : [], last!, NOW), expected);
    }),
    runOptions(500),
  );
});
