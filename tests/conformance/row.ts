/**
 * A row of the conformance ledger: one demand on the service, and the test that shows it.
 *
 * @module
 */

/** How strict a demand is: in the words of its source, or a rule that the service made itself. */
export type Level = "MUST" | "SHOULD" | "MAY" | "our rule";

/** What became of a demand. */
export type Status = "met" | "deviates" | "not applicable";

/** One demand. */
export interface Row {
  /** Its name, which stays what it is when rows come and go. */
  readonly id: string;
  /** The clause of the source, as precisely as it is known. */
  readonly clause: string;
  /** How strict it is. */
  readonly level: Level;
  /** The demand in our own words, in Markdown. */
  readonly demand: string;
  /** What became of it. */
  readonly status: Status;
  /** Why it is not met; empty when it is. */
  readonly reason: string;
  /**
   * The tests that show it, or what is done instead: `FILE: NAME`, the file from `tests/` on, the
   * name that of a test or the heading of an exchange. An ellipsis in a name stands for any text.
   */
  readonly shownBy: readonly string[];
}

/** A document with demands. */
export interface Source {
  /** Its title. */
  readonly title: string;
  /** What of it binds the service, and which edition is meant, in Markdown. */
  readonly note: string;
  /**
   * Whether the clause of a row was read beside the text of the source when the ledger was last gone
   * through; of some sources the text was not at hand, and their clauses are from memory.
   */
  readonly isChecked: (id: string) => boolean;
  /** The demands. */
  readonly rows: readonly Row[];
}

/** A demand that is met. */
export function met(
  id: string,
  clause: string,
  level: Level,
  demand: string,
  shownBy: readonly string[],
): Row {
  return { id, clause, level, demand, status: "met", reason: "", shownBy };
}

/** A demand that is not met on purpose; the tests show what is done instead. */
export function deviates(
  id: string,
  clause: string,
  level: Level,
  demand: string,
  reason: string,
  shownBy: readonly string[],
): Row {
  return { id, clause, level, demand, status: "deviates", reason, shownBy };
}

/** A demand on something that the service does not have or is not. */
export function notApplicable(
  id: string,
  clause: string,
  level: Level,
  demand: string,
  reason: string,
  shownBy: readonly string[] = [],
): Row {
  return { id, clause, level, demand, status: "not applicable", reason, shownBy };
}

/** Names tests of one file. */
export function testsOf(file: string): (name: string) => string {
  return (name) => `${file}: ${name}`;
}
