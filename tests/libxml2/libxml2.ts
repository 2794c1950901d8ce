/** What libxml2 reads, through Python. */

import { fileURLToPath } from "node:url";
import { run } from "../interop/command.ts";
import { featuresOf } from "../xml/profile.ts";
import { Incomparable } from "../xml/structure.ts";

const PROGRAM = fileURLToPath(new URL("structures.py", import.meta.url));

/**
 * Reads documents by libxml2.
 *
 * @returns For each what it says, or undefined when libxml2 refuses it.
 * @throws {Error} When Python or its module is missing; the message names the package.
 */
export async function readByLibxml2(
  documents: readonly string[],
): Promise<readonly (readonly string[] | undefined)[]> {
  const input = documents.map((document) => `${JSON.stringify(document)}\n`).join("");
  const { text } = await run("/usr/bin/python3", [PROGRAM], input);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line) ?? undefined);
}

/**
 * What this service should make of a document that libxml2 read: the same, and nothing where it has a
 * feature that is left out.
 *
 * @throws {Incomparable} When libxml2 takes what the standard does not.
 */
export function expectedFrom(
  document: string,
  lines: readonly string[] | undefined,
): readonly string[] | undefined {
  const [, encoding] = /^<\?xml[^>]*encoding\s*=\s*["']([^"']*)/.exec(document) ?? [];
  if (encoding !== undefined && !/^utf-8$/i.test(encoding)) {
    throw new Incomparable("libxml2 decodes what it is given by the encoding that is declared");
  }
  if (lines === undefined || featuresOf(document).length > 0) return undefined;
  if (document.includes("\0")) throw new Incomparable("libxml2 takes U+0000 for the end");
  if (/^<\?xml[^>]*["']standalone/.test(document)) {
    throw new Incomparable("libxml2 wants no white space before standalone; XML 1.0 [32] does");
  }
  if (/<[^<]*\sxmlns:xml\s*=[^<]*\sxmlns:xml\s*=/.test(document)) {
    throw new Incomparable("libxml2 takes xmlns:xml twice; XML 1.0 §3.1 takes no attribute twice");
  }
  return lines;
}
