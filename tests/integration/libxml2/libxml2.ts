/** The reader of documents by libxml2, through Python. */

import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { limitLife } from "../../support/child.ts";
import { featuresOf } from "../../support/xml/profile.ts";
import { Incomparable } from "../../support/xml/structure.ts";

const PROGRAM = fileURLToPath(new URL("structures.py", import.meta.url));

/** libxml2 in a process of Python, which reads one document after another. */
export class Libxml2 implements AsyncDisposable {
  // By its path: only the Python of the system sees the modules that the system's packages bring.
  readonly #child = new Deno.Command("/usr/bin/python3", {
    args: [PROGRAM],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  readonly #writer = this.#child.stdin.getWriter();
  readonly #lines = createInterface({ input: Readable.fromWeb(this.#child.stdout) })[
    Symbol.asyncIterator
  ]();

  constructor() {
    limitLife(this.#child);
  }

  /**
   * Reads a document.
   *
   * @returns Its content as lines, or undefined when libxml2 refuses it.
   * @throws {Error} When the module of Python is missing; the message names the package.
   */
  async read(document: string): Promise<readonly string[] | undefined> {
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(document)}\n`));
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("Python has ended: apt-get install python3-lxml");
    return JSON.parse(value) ?? undefined;
  }

  /** Ends the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.#lines.return!();
    await this.#child.status;
  }
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
