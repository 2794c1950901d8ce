// Documents that nobody would write, from generators with fixed seeds: the parser ends, throws
// nothing but XmlError, repeats nothing of the input, and reads what another parser reads.

import { assert } from "@std/assert/assert";
import { XmlError } from "../../lib/xml/cursor.ts";
import { pick, randomText, seededRandom } from "../support/random.ts";
import { compare, emptyTally, incomparableCount } from "./comparison.ts";
import { assembled, mutated, wellFormed } from "./documents.ts";
import { ENVELOPES } from "./envelopes.ts";
import { read, structureBySaxes } from "./structure.ts";

Deno.test("the documents that the others are made from are good", () => {
  const random = seededRandom(0);
  const generated = Array.from({ length: 1_000 }, () => wellFormed(random));
  for (const document of [...ENVELOPES, ...generated]) {
    assert(!(read(document) instanceof XmlError), document);
  }
});

Deno.test("parseXml() throws only XmlError, at a place in the text, and repeats no input", () => {
  const random = seededRandom(1);
  const alphabet = "<>/='\"&;#x!-?[]: \t\n\r\0abqz1\xE9\uD83D\uDD11\uFFFE";
  let refused = 0;
  for (let i = 0; i < 30_000; i++) {
    const document = pick(random, [
      () => randomText(random, alphabet, random(60)),
      () => mutated(random),
      () => assembled(random),
    ])();
    const result = read(document);
    if (!(result instanceof XmlError)) continue;
    refused++;
    const { line, column, message } = result;
    const width = document.split(/\r\n?|\n/)[line - 1]?.length ?? -1;
    assert(column >= 1 && column <= width + 1, `${JSON.stringify(document)}: ${line}:${column}`);
    assert(/^[A-Z][\x20-\x7E]*[^.]$/.test(message) && !message.includes("qz"), message);
  }
  assert(refused > 15_000 && refused < 29_000, `the generators are one-sided: ${refused} refused`);
});

Deno.test("parseXml() reads what saxes reads, and refuses what it refuses", () => {
  const random = seededRandom(2);
  const tally = emptyTally();
  for (let i = 0; i < 60_000; i++) {
    const document = pick(random, [
      () => mutated(random),
      () => assembled(random),
      () => wellFormed(random),
      () => mutated(random, wellFormed(random)),
    ])();
    // saxes drops a byte order mark (here the caller does), and takes a lone surrogate together
    // with whatever follows it for one character.
    if (document.startsWith("\uFEFF") || !document.isWellFormed()) continue;
    compare(document, () => structureBySaxes(document), tally);
  }
  // Or else the generators have come to test one side alone.
  assert(tally.accepted > 10_000 && tally.refused > 10_000, JSON.stringify(tally));
  assert(incomparableCount(tally) < 6_000, JSON.stringify([...tally.incomparable]));
});
