/** Compares what our parser reads with what another one does, and counts how the documents went. */

import { assertEquals } from "@std/assert/equals";
import { XmlError } from "../../../lib/xml/cursor.ts";
import { Incomparable, read, structure } from "./structure.ts";

/** How many documents both parsers accepted, both refused, and which could not be compared. */
export interface Tally {
  accepted: number;
  refused: number;
  /** How often each reason was given. */
  readonly incomparable: Map<string, number>;
}

/** A tally of nothing. */
export function emptyTally(): Tally {
  return { accepted: 0, refused: 0, incomparable: new Map() };
}

/** How many documents could not be compared. */
export function incomparableCount({ incomparable }: Tally): number {
  return [...incomparable.values()].reduce((sum, count) => sum + count, 0);
}

/**
 * Compares a document: both parsers must refuse it, or read the same.
 *
 * @param theirs What the other one read, undefined when it refused; it may say that this is an
 * `Incomparable`.
 */
export function compare(
  document: string,
  theirs: () => readonly string[] | undefined,
  tally: Tally,
): void {
  const result = read(document);
  const ours = result instanceof XmlError ? undefined : structure(result);
  try {
    assertEquals(ours, theirs(), `${JSON.stringify(document)}: ${result}`);
    tally[ours === undefined ? "refused" : "accepted"]++;
  } catch (error) {
    if (!(error instanceof Incomparable)) throw error;
    tally.incomparable.set(error.message, (tally.incomparable.get(error.message) ?? 0) + 1);
  }
}
