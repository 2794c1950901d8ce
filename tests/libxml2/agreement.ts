// deno-lint-ignore-file no-console -- what it prints is its result
/**
 * Compares our XML parser with libxml2 and with saxes on generated documents. As a program:
 * `deno task fuzz:xml --documents 200000 --seed 1`.
 *
 * @module
 */

import { caseRandom, readNumbers } from "../fuzz/numbers.ts";
import { pick, type Random } from "../support/random.ts";
import { compare, emptyTally, type Tally } from "../xml/comparison.ts";
import { assembled, mutated, wellFormed } from "../xml/documents.ts";
import { structureBySaxes } from "../xml/structure.ts";
import { decode, readW3cSuite, withoutDocumentType } from "../xml/w3c_suite.ts";
import { expectedFrom, readByLibxml2 } from "./libxml2.ts";

const BATCH = 20_000;

/** How documents went in the comparison with each parser. */
export interface Agreement {
  /** With libxml2. */
  readonly libxml2: Tally;
  /** With saxes. */
  readonly saxes: Tally;
}

/** The documents of the W3C's suite that are UTF-8, without their document types. */
export const W3C_DOCUMENTS: readonly string[] = readW3cSuite()
  .map(decode)
  .filter((text) => text !== undefined)
  .map(withoutDocumentType);

/** A document from the generators: good, or changed in a few places, or pieces alone. */
function generated(random: Random): string {
  return pick(random, [
    () => wellFormed(random),
    () => mutated(random, wellFormed(random)),
    () => mutated(random),
    () => mutated(random, pick(random, W3C_DOCUMENTS)),
    () => assembled(random),
  ])();
}

/**
 * Makes documents and compares what is read in them.
 *
 * @throws {Error} At the first difference; the message holds the document.
 */
export async function compareGenerated(count: number, seed: number): Promise<Agreement> {
  const agreement = { libxml2: emptyTally(), saxes: emptyTally() };
  for (let from = 0; from < count; from += BATCH) {
    const length = Math.min(BATCH, count - from);
    const documents = Array.from({ length }, (_, i) => generated(caseRandom(seed, from + i)));
    await compareAll(documents, agreement);
  }
  return agreement;
}

/**
 * Compares what is read in documents.
 *
 * @throws {Error} At the first difference; the message holds the document.
 */
export async function compareAll(
  documents: readonly string[],
  agreement: Agreement = { libxml2: emptyTally(), saxes: emptyTally() },
): Promise<Agreement> {
  // Both drop a byte order mark (here the caller does), and neither can be given half a pair.
  const comparable = documents.filter((text) => text.isWellFormed() && !text.startsWith("\uFEFF"));
  const read = await readByLibxml2(comparable);
  for (const [i, document] of comparable.entries()) {
    compare(document, () => expectedFrom(document, read[i]), agreement.libxml2);
    compare(document, () => structureBySaxes(document), agreement.saxes);
  }
  return agreement;
}

if (import.meta.main) {
  const { documents, seed } = readNumbers(Deno.args, { documents: 200_000, seed: 1 });
  const agreement = await compareGenerated(documents, seed);
  for (const [name, { accepted, refused, incomparable }] of Object.entries(agreement)) {
    console.log(`${name}: both read ${accepted} alike and refuse ${refused}`);
    for (const [reason, count] of incomparable) console.log(`  not compared: ${count}: ${reason}`);
  }
}
