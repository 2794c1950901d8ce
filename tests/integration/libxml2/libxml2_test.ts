// The XML parser beside libxml2, which half of the world's XML goes through.

import { assert } from "@std/assert/assert";
import * as fc from "fast-check";
import { IS_REPLAY, runOptions } from "../../support/property.ts";
import { compare, emptyTally, incomparableCount } from "../../support/xml/comparison.ts";
import { DOCUMENT, W3C_DOCUMENTS } from "../../support/xml/documents.ts";
import { ENVELOPES } from "../../support/xml/envelopes.ts";
import { expectedFrom, Libxml2 } from "./libxml2.ts";

// libxml2 drops a byte order mark (here the caller does), and cannot be given half a pair.
function isComparable(text: string): boolean {
  return text.isWellFormed() && !text.startsWith("\uFEFF");
}

Deno.test("libxml2 reads the same in envelopes, and in the W3C's suite without document types", async () => {
  await using libxml2 = new Libxml2();
  const tally = emptyTally();
  for (const document of [...ENVELOPES, ...W3C_DOCUMENTS].filter(isComparable)) {
    const lines = await libxml2.read(document);
    compare(document, () => expectedFrom(document, lines), tally);
  }
  assert(tally.accepted > 1_500 && tally.refused > 600, JSON.stringify(tally));
});

Deno.test("libxml2 reads the same in generated documents", async () => {
  await using libxml2 = new Libxml2();
  const tally = emptyTally();
  await fc.assert(
    fc.asyncProperty(DOCUMENT.filter(isComparable), async (document) => {
      const lines = await libxml2.read(document);
      compare(document, () => expectedFrom(document, lines), tally);
    }),
    runOptions(20_000),
  );
  if (IS_REPLAY) return;
  const { accepted, refused } = tally;
  const sum = accepted + refused;
  assert(Math.min(accepted, refused) > sum / 5, JSON.stringify(tally));
  assert(incomparableCount(tally) < sum / 50, JSON.stringify([...tally.incomparable]));
});
