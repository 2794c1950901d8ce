// The parser ends, throws nothing but XmlError, repeats nothing of the input, and reads what another
// parser reads, in hostile documents.

import { assert } from "@std/assert/assert";
import * as fc from "fast-check";
import { XmlError } from "../../../lib/xml/cursor.ts";
import { IS_REPLAY, runOptions } from "../../support/property.ts";
import { compare, emptyTally, incomparableCount } from "../../support/xml/comparison.ts";
import { ASSEMBLED, CHANGED_ENVELOPE, DOCUMENT, WELL_FORMED } from "../../support/xml/documents.ts";
import { ENVELOPES } from "../../support/xml/envelopes.ts";
import { read, structureBySaxes } from "../../support/xml/structure.ts";

Deno.test("the original documents of the mutations are accepted", () => {
  const isGood = (document: string): boolean => !(read(document) instanceof XmlError);
  assert(ENVELOPES.every(isGood));
  fc.assert(fc.property(WELL_FORMED, isGood), runOptions(1_000));
});

Deno.test("parseXml() throws only XmlError, at a place in the text, and repeats no input", () => {
  const unit = fc.constantFrom(..."<>/='\"&;#x!-?[]: \t\n\r\0abqz1\xE9\uFFFE", "\uD83D", "\uDD11");
  const document = fc.oneof(fc.string({ unit, maxLength: 60 }), CHANGED_ENVELOPE, ASSEMBLED);
  let [documents, refused] = [0, 0];
  fc.assert(
    fc.property(document, (document) => {
      documents++;
      const result = read(document);
      if (!(result instanceof XmlError)) return;
      refused++;
      const { line, column, message } = result;
      const width = document.split(/\r\n?|\n/)[line - 1]?.length ?? -1;
      assert(column >= 1 && column <= width + 1, `${line}:${column}`);
      assert(/^[A-Z][\x20-\x7E]*[^.]$/.test(message) && !message.includes("qz"), message);
    }),
    runOptions(15_000),
  );
  if (IS_REPLAY) return;
  assert(refused > documents / 2 && refused < documents * 0.97, `${refused} of ${documents}`);
});

Deno.test("parseXml() reads what saxes reads, and refuses what it refuses", () => {
  const tally = emptyTally();
  // saxes drops a byte order mark (here the caller does), and takes a lone surrogate together with
  // whatever follows it for one character.
  const document = DOCUMENT.filter((text) => text.isWellFormed() && !text.startsWith("\uFEFF"));
  fc.assert(
    fc.property(document, (text) => compare(text, () => structureBySaxes(text), tally)),
    runOptions(20_000),
  );
  if (IS_REPLAY) return;
  // Or else the generators have come to test one side alone.
  const { accepted, refused } = tally;
  const sum = accepted + refused;
  assert(Math.min(accepted, refused) > sum / 5, JSON.stringify(tally));
  assert(incomparableCount(tally) < sum / 8, JSON.stringify([...tally.incomparable]));
});
