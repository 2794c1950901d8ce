/**
 * Where it stands which mutant is on. The instrumented code looks at a global variable; the tests of
 * the program start processes of their own, so those read a file before anything else is loaded.
 *
 * @module
 */

/** The variable of the instrumented code (Stryker's `INSTRUMENTER_CONSTANTS`). */
export interface State {
  /** The mutant that is on; undefined for none. */
  activeMutant?: string | undefined;
  /** How often it was passed, and how often it may be before it counts as an endless loop. */
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}

/** What the instrumented code reads in this process. */
export const STATE: State = (globalThis as { __stryker__?: State }).__stryker__ ??= {};

/** More than there are. */
export const MAX_MUTANTS = 100_000;

/** How often each mutant was passed, by its number (see `countFast` in `mutants.ts`). */
export const HITS: Uint32Array = (globalThis as { stryHits?: Uint32Array }).stryHits ??=
  new Uint32Array(MAX_MUTANTS);

/** What was passed since the last time somebody asked. */
export function takeHits(): Record<string, number> {
  const hits: Record<string, number> = {};
  HITS.forEach((count, id) => {
    if (count > 0) hits[id] = count;
  });
  HITS.fill(0);
  return hits;
}

/** The file that names the mutant for programs; empty for none. */
export const SWITCH = new URL("../../.mutant", import.meta.url);

/** The folder in which programs leave what they covered; there only during a dry run. */
export const COVERED = new URL("../../.covered/", import.meta.url);
