// What our XML parser reads beside libxml2, which half of the world's XML goes through.

import { assert } from "@std/assert/assert";
import { incomparableCount } from "../xml/comparison.ts";
import { ENVELOPES } from "../xml/envelopes.ts";
import { compareAll, compareGenerated, W3C_DOCUMENTS } from "./agreement.ts";

Deno.test("libxml2 reads the same in envelopes", async () => {
  const { libxml2 } = await compareAll(ENVELOPES);
  assert(libxml2.accepted === ENVELOPES.length, JSON.stringify(libxml2));
});

Deno.test("libxml2 reads the same in the W3C's suite, without the document types", async () => {
  const { libxml2 } = await compareAll(W3C_DOCUMENTS);
  assert(libxml2.accepted > 1_500 && libxml2.refused > 600, JSON.stringify(libxml2));
});

Deno.test("libxml2 and saxes read the same in generated documents", async () => {
  const { libxml2, saxes } = await compareGenerated(20_000, 1);
  for (const tally of [libxml2, saxes]) {
    assert(tally.accepted > 5_000 && tally.refused > 5_000, JSON.stringify(tally));
  }
  assert(incomparableCount(libxml2) < 200, JSON.stringify([...libxml2.incomparable]));
});
