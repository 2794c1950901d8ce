// Every document of the W3C's suite, and what becomes of it. This service reads a part of XML (no
// document type, XML 1.0 and UTF-8 alone, names that namespaces allow), so each document that a
// processor must accept and this one refuses must have one of the features that are left out: a
// second reading of its bytes says so, not the parser.

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { XmlError } from "../../../lib/xml/cursor.ts";
import { compare, emptyTally } from "../../support/xml/comparison.ts";
import { type Feature, featuresOf } from "../../support/xml/profile.ts";
import { read, structureBySaxes } from "../../support/xml/structure.ts";
import {
  decode,
  readW3cSuite,
  type W3cCase,
  withoutDocumentType,
} from "../../support/xml/w3c_suite.ts";

/** What became of a document: accepted, refused for what it is, or for a feature that is left out. */
type Verdict = (typeof VERDICTS)[number];

/** Why a document that is well-formed may be refused. */
type Refusal = Feature | "namespaces";

const VERDICTS = ["accepted", "malformed", "doctype", "version", "encoding", "namespaces"] as const;
/** Groups of documents, and how many of each have the verdicts, in their order. */
const GROUPS: readonly (readonly [
  title: string,
  isOfGroup: (document: W3cCase) => boolean,
  counts: readonly number[],
])[] = [
  ["valid", ({ applies, type }) => applies && type === "valid", [0, 0, 720, 1, 8, 0]],
  ["not valid", ({ applies, type }) => applies && type === "invalid", [71, 0, 154, 0, 2, 2]],
  ["malformed", ({ applies, type }) => applies && type === "not-wf", [2, 283, 681, 4, 47, 0]],
  ["left to us", ({ applies, type }) => applies && type === "error", [1, 2, 19, 0, 5, 0]],
  ["of XML 1.1, or of editions 1 to 4", ({ applies }) => !applies, [3, 38, 330, 187, 25, 0]],
];

const CASES = readW3cSuite();

function reasonsOf(document: W3cCase): readonly Refusal[] {
  const text = decode(document);
  if (text === undefined) return ["encoding"];
  return document.withoutNamespaces ? [...featuresOf(text), "namespaces"] : featuresOf(text);
}

// A refusal counts for a reason only where the document has it.
function verdictOn(document: W3cCase): Verdict {
  const text = decode(document);
  if (text === undefined) return "encoding";
  const result = read(text);
  if (!(result instanceof XmlError)) return "accepted";
  const reason = REFUSALS.get(result.message);
  return reason !== undefined && reasonsOf(document).includes(reason) ? reason : "malformed";
}

const REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  ["A document type declaration is not accepted", "doctype"],
  ['The XML declaration must begin with version="1.0"', "version"],
  ["A name with a colon is not a prefix and a local name", "namespaces"],
]);

// Both are UTF-8, as their bytes show, and say UTF-16: what a declaration says of the encoding is
// ignored (WS-I Basic Profile R1019).
const OF_WRONG_ENCODING = ["rmt-e2e-61", "hst-lhs-007"];

Deno.test("the W3C suite: no document that is not well-formed is accepted", () => {
  const wrong = CASES.filter((document) =>
    document.applies && document.type === "not-wf" && verdictOn(document) === "accepted"
  );
  assertEquals(wrong.map(({ id }) => id), OF_WRONG_ENCODING);
});

Deno.test("the W3C suite: a well-formed document is accepted, or refused for an unsupported feature", () => {
  const wrong = CASES.filter((document) =>
    document.applies && (document.type === "valid" || document.type === "invalid") &&
    (verdictOn(document) === "malformed" ||
      (verdictOn(document) === "accepted") !== (reasonsOf(document).length === 0))
  );
  assertEquals(wrong.map(({ id }) => id), []);
});

// Nearly all valid documents of the suite have a document type. Without it most of them, and of the
// malformed ones those whose mistake is elsewhere, show what is made of the rest.
Deno.test("the W3C suite: saxes reads the same, in all documents without their document types", () => {
  const tally = emptyTally();
  for (const document of CASES) {
    const text = decode(document);
    if (text === undefined) continue;
    const rest = withoutDocumentType(text);
    compare(rest, () => structureBySaxes(rest), tally);
  }
  assertEquals({ ...tally, incomparable: Object.fromEntries(tally.incomparable) }, {
    accepted: 1590,
    refused: 676,
    incomparable: {
      "saxes trims namespace names; Namespaces 1.0 §2.3 does not": 1,
      "this service reads XML 1.0 alone": 223,
      "this service refuses a document type declaration": 8,
    },
  });
});

Deno.test("the W3C suite: each group of documents has its verdicts, and docs/testing.md their number", () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/testing.md", import.meta.url));
  for (const [title, isOfGroup, expected] of GROUPS) {
    const verdicts = CASES.filter(isOfGroup).map(verdictOn);
    const counts = VERDICTS.map((verdict) => verdicts.filter((v) => v === verdict).length);
    assertEquals(counts, expected, title);
  }
  assert(page.includes(`${CASES.length.toLocaleString("en")} documents`));
});
