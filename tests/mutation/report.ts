/**
 * What a run of mutants found: a table, and a list of those that no test noticed.
 *
 * @module
 */

import type { Mutant } from "./mutants.ts";

/** What became of a mutant, as it is kept. */
export interface Result {
  /** Whether a test failed, or did not end. */
  readonly result: "survived" | "killed" | "timed out";
  /** The test that did; empty when none did. */
  readonly by: string;
  /** A hash over the tests there were. */
  readonly tests: string;
}

/** A mutant that was tried. */
export type Tried = Mutant & { readonly outcome: Result };

/** The folder of a file in `lib/`, or the file itself where it is in none. */
export function folderOf(file: string): string {
  return file.split("/")[1]!;
}

function isSurvivor({ outcome }: Tried): boolean {
  return outcome.result === "survived";
}

/** A Markdown table with a row for each folder. */
export function tableOf(
  tried: readonly Tried[],
  all: readonly Mutant[],
): string {
  const rows = [...Map.groupBy(tried, ({ file }) => folderOf(file))].sort();
  return [
    "| Folder | Mutants | Tried | Killed | Timed out | Survived | Score |",
    "| --- | --: | --: | --: | --: | --: | --: |",
    ...rows.map(([folder, own]) => {
      const total = all.filter(({ file }) => folderOf(file) === folder).length;
      const late = own.filter(({ outcome }) => outcome.result === "timed out").length;
      const survivors = own.filter(isSurvivor);
      const noticed = own.length - survivors.length;
      const score = (100 * noticed / own.length).toFixed(1);
      const numbers = [total, own.length, noticed - late, late, survivors.length];
      return `| ${folder} | ${numbers.join(" | ")} | ${score} % |`;
    }),
  ].join("\n");
}

/** The mutants that survived, as a text for people. */
export function survivorsOf(tried: readonly Tried[]): string {
  return tried
    .filter(isSurvivor)
    .sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line)
    .map(({ file, line, original, replacement }) =>
      `${file}:${line}\n- ${original}\n+ ${replacement}\n`
    )
    .join("\n");
}
