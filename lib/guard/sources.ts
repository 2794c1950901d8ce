/**
 * Sources of one secret: the clients on whose behalf its pins are checked.
 *
 * @module
 */

import { debtMs, FULL_BUDGET, type Spending } from "./budget.ts";

/** State of a source: its spending, and whether it is known. */
export interface SourceState extends Spending {
  /** Name of the source, from which the source cannot be recovered. */
  readonly id: string;
  /** Expiry of the known status in milliseconds, renewed by a right pin; 0 without a right pin. */
  readonly knownUntilMs: number;
}

/** Time for which a source stays known after its last right pin, in milliseconds. */
export const KNOWN_MS: number = 30 * 24 * 3_600_000;

/** Maximum number of sources of a secret. */
export const MAX_SOURCES = 16;

/** Maximum number of known sources of a secret. */
export const MAX_KNOWN_SOURCES = 8;

/** Whether a source is known. */
export function isKnown({ knownUntilMs }: SourceState, nowMs: number): boolean {
  return knownUntilMs > nowMs;
}

/**
 * Returns the state of a source by its name; a state without spending when it is not remembered.
 */
export function sourceNamed(sources: readonly SourceState[], id: string): SourceState {
  return sources.find((source) => source.id === id) ??
    { id, knownUntilMs: 0, ...FULL_BUDGET };
}

/**
 * Replaces one of the sources, which becomes the last, and drops unknown sources without debt.
 * Beyond the limits, the oldest known source becomes unknown, and the unknown source with the
 * soonest full budget is dropped. A known source is never dropped.
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
  const surplus = kept.filter((source) => !isKnown(source, nowMs))
    .sort((a, b) => a.lastMs + a.debtMs - b.lastMs - b.debtMs)
    .slice(0, Math.max(0, kept.length - MAX_SOURCES));
  return kept.filter((source) => !surplus.includes(source));
}

function leastBy<T>(items: readonly T[], number: (item: T) => number): T {
  return items.reduce((least, item) => number(item) < number(least) ? item : least);
}
