/**
 * The pages of the documentation, as tests read them.
 *
 * @module
 */

/** The folder of the project. */
export const ROOT: URL = new URL("../../", import.meta.url);

/** Every page that people read who use or change the program. */
export const PAGES: readonly string[] = [
  ...markdownIn(""),
  ...markdownIn("docs/"),
  ...markdownIn("deploy/"),
  "tests/README.md",
  "tests/exchanges/README.md",
];

/** A fenced block of a page. */
export interface Fence {
  /** What stands behind the fence: the language, and a file where the page shows one. */
  readonly info: string;
  /** What is in it. */
  readonly text: string;
  /** The blanks before its fence, in a list. */
  readonly indent: string;
}

function markdownIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))]
    .filter(({ name }) => name.endsWith(".md"))
    .map(({ name }) => folder + name)
    .sort();
}

/** The text of a file of the project. */
export function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

const FENCES = /^( *)(```|~~~)(.*)\n([^]*?)^\1\2$/gm;

/** The fenced blocks of a page, in order. */
export function fencesOf(page: string): readonly Fence[] {
  return [...read(page).matchAll(FENCES)].map(([, indent, , info, text]) => ({
    info: info!.trim(),
    text: text!,
    indent: indent!,
  }));
}

/** A page without its fenced blocks. */
export function prose(page: string): string {
  return read(page).replace(FENCES, "");
}

/** What stands between backticks in the prose of a page, on one line. */
export function codeIn(page: string): readonly string[] {
  return [...prose(page).replace(/\s+/g, " ").matchAll(/(?<!`)`([^`]+)`(?!`)/g)]
    .map(([, code]) => code!);
}
