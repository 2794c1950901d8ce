/**
 * What is remembered of those who ask about one secret.
 *
 * @module
 */

import { debtMs, NOTHING_SPENT, type Spending } from "./budget.ts";

/** What is remembered of a source: what it spent, and whether it is known. */
export interface SourceState extends Spending {
  /** Its name, from which nobody can tell who it is. */
  readonly id: string;
  /** Until when it is known, since a pin of its was right; 0 when none was. */
  readonly knownUntilMs: number;
}

/** How long a source is known after its last right pin. */
export const KNOWN_MS: number = 30 * 24 * 3_600_000;

/** Sources that are remembered for a secret, at most. */
export const MAX_SOURCES = 16;

/** Those of them that are known, at most. */
export const MAX_KNOWN_SOURCES = 8;

/** Whether a source is known. */
export function isKnown({ knownUntilMs }: SourceState, nowMs: number): boolean {
  return knownUntilMs > nowMs;
}

/** What is remembered of a source; nothing spent for one that is not there. */
export function sourceNamed(sources: readonly SourceState[], id: string): SourceState {
  return sources.find((source) => source.id === id) ??
    { id, knownUntilMs: 0, ...NOTHING_SPENT };
}

/**
 * The sources with one of them changed, which is the last from then on. Those of which there is
 * nothing to remember are left out. For want of room, the source that was known the longest ago is
 * known no more, and the one whose budget is whole the soonest is forgotten, no known one ever.
 */
export function withSource(
  sources: readonly SourceState[],
  changed: SourceState,
  nowMs: number,
): readonly SourceState[] {
  let kept = [...sources.filter(({ id }) => id !== changed.id), changed];
  const known = kept.filter((source) => isKnown(source, nowMs));
  if (known.length > MAX_KNOWN_SOURCES) {
    const oldest = leastBy(known, ({ knownUntilMs }) => knownUntilMs);
    kept = kept.map((source) => source === oldest ? { ...source, knownUntilMs: 0 } : source);
  }
  kept = kept.filter((source) => isKnown(source, nowMs) || debtMs(source, nowMs) > 0);
  // More than one too many where known sources, which are kept apart in memory, spend as well.
  const surplus = kept.filter((source) => !isKnown(source, nowMs))
    .sort((a, b) => a.lastMs + a.debtMs - b.lastMs - b.debtMs)
    .slice(0, Math.max(0, kept.length - MAX_SOURCES));
  return kept.filter((source) => !surplus.includes(source));
}

// The first of those for which the number is the least.
function leastBy<T>(items: readonly T[], number: (item: T) => number): T {
  return items.reduce((least, item) => number(item) < number(least) ? item : least);
}
