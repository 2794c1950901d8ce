/**
 * Mutants that no test can kill, since they change nothing that anybody can see.
 *
 * @module
 */

/** Mutants of one kind in one place. */
export interface Equivalent {
  /** The file. */
  readonly file: string;
  /** What the mutant replaces, as it stands in the file. */
  readonly original: string;
  /** What it puts there; left out for whatever Stryker puts there. */
  readonly replacement?: string;
  /** Why nobody can see it. */
  readonly reason: string;
}

/** The list. */
export const EQUIVALENTS: readonly Equivalent[] = [];
