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

// The columns and rows of the table in docs/testing.md.
const VERDICTS = ["accepted", "malformed", "doctype", "version", "encoding", "namespaces"] as const;
const GROUPS: ReadonlyMap<string, (document: W3cCase) => boolean> = new Map([
  ["Valid", ({ applies, type }) => applies && type === "valid"],
  ["Well-formed, but not valid", ({ applies, type }) => applies && type === "invalid"],
  ["Not well-formed", ({ applies, type }) => applies && type === "not-wf"],
  ["Left to the processor", ({ applies, type }) => applies && type === "error"],
  ["Of XML 1.1, or of editions 1 to 4 alone", ({ applies }) => !applies],
]);

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

Deno.test("the W3C suite: docs/testing.md has the table of its documents", () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/testing.md", import.meta.url));
  const shown = page.split("\n").map((line) => line.replace(/ +\|/g, " |"));
  const rows = [...GROUPS].map(([title, isOfGroup]) => {
    const verdicts = CASES.filter(isOfGroup).map(verdictOn);
    const counts = VERDICTS.map((verdict) => verdicts.filter((v) => v === verdict).length);
    return `| ${title} | ${counts.join(" | ")} |`;
  });
  assertEquals(rows.filter((row) => !shown.includes(row)), []);
  assert(page.includes(`${CASES.length.toLocaleString("en")} documents`));
});
