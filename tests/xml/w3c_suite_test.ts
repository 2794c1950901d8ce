// Every document of the W3C's suite, and what becomes of it. This service reads a part of XML (no
// document type, XML 1.0 and UTF-8 alone, names that namespaces allow), so each document that a
// processor must accept and this one refuses must have one of the features that are left out: a
// second reading of its bytes says so, not the parser.

import { assertEquals } from "@std/assert/equals";
import { XmlError } from "../../lib/xml/cursor.ts";
import { compare, emptyTally } from "./comparison.ts";
import { type Feature, featuresOf } from "./profile.ts";
import { read, structureBySaxes } from "./structure.ts";
import { decode, readW3cSuite, type W3cCase, withoutDocumentType } from "./w3c_suite.ts";

/** What became of a document: accepted, refused for what it is, or for a feature that is left out. */
type Verdict = "accepted" | "malformed" | Refusal;

/** Why a document that is well-formed may be refused. */
type Refusal = Feature | "namespaces";

const VERDICTS: readonly Verdict[] = [
  "accepted",
  "malformed",
  "doctype",
  "version",
  "encoding",
  "namespaces",
];

// Documents by what the suite says of them, and how many get which verdict, in the order above.
// Those for other editions of XML 1.0 and for XML 1.1 only have to end in one.
// deno-fmt-ignore
const TABLE: readonly (readonly [string, readonly number[]])[] = [
  ["not-wf",         [ 0, 266, 681,   4, 66, 0]],
  ["other editions", [ 2,  38, 323, 187, 33, 0]],
  ["error",          [ 1,   2,  19,   0,  5, 0]],
  ["invalid",        [71,   0, 154,   0,  2, 2]],
  ["valid",          [ 0,   0, 720,   1,  8, 0]],
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
  ["The XML declaration must declare no other encoding than utf-8", "encoding"],
  ["A name with a colon is not a prefix and a local name", "namespaces"],
]);

Deno.test("the W3C suite: no document that is not well-formed is accepted", () => {
  const wrong = CASES.filter((document) =>
    document.applies && document.type === "not-wf" && verdictOn(document) === "accepted"
  );
  assertEquals(wrong.map(({ id }) => id), []);
});

Deno.test("the W3C suite: a well-formed document is accepted, or refused for what it has", () => {
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
    accepted: 1585,
    refused: 668,
    incomparable: {
      "saxes trims namespace names; Namespaces 1.0 §2.3 does not": 1,
      "this service reads XML 1.0 in UTF-8 alone": 236,
      "this service refuses a document type declaration": 8,
    },
  });
});

Deno.test("the W3C suite: the table of its documents", () => {
  const rows = new Map<string, number[]>();
  for (const document of CASES) {
    const group = document.applies ? document.type : "other editions";
    const row = rows.get(group) ?? VERDICTS.map(() => 0);
    row[VERDICTS.indexOf(verdictOn(document))]!++;
    rows.set(group, row);
  }
  assertEquals([...rows], TABLE);
});
