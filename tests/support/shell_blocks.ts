/**
 * The blocks of commands that people are told to paste: those of the pages, and those in the comments of
 * `deploy/`.
 *
 * @module
 */

import { fencesOf, PAGES, read, ROOT } from "./pages.ts";

/** A block of commands. */
export interface Block {
  /** The file that shows it. */
  readonly source: string;
  /** Its commands. */
  readonly text: string;
}

/** The blocks of the pages in a language, without the indentation of a list. */
export function blocksOfPages(language: string): readonly Block[] {
  return PAGES.flatMap((source) =>
    fencesOf(source).filter(({ info }) => info === language).map(({ text, indent }) => ({
      source,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }))
  );
}

/** The blocks in the comments of `deploy/`: the lines that are indented by three blanks. */
export function blocksOfComments(): readonly Block[] {
  return filesIn("deploy/").flatMap((source) =>
    [...read(source).matchAll(/^(?:# {3}.*\n)+/gm)].map(([lines]) => ({
      source,
      text: lines.replaceAll(/^# {3}/gm, ""),
    }))
  );
}

function filesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(`${folder}${name}/`) : [folder + name]
  ).filter((path) => !/\.md$|^deploy\/windows\//.test(path)).sort();
}

/** A name for a block in the titles of tests. */
export function titleOf({ source, text }: Block): string {
  const [first = ""] = text.split("\n").filter((line) => !/^[({] *$|^ *set -e$/.test(line));
  return `${source}: ${first.trim().slice(0, 70)}`;
}
