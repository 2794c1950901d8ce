/**
 * What a run of mutants found: a table, and a list of those that no test noticed.
 *
 * @module
 */

import type { Equivalent } from "./equivalents.ts";
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

function isSame(mutant: Mutant, { file, line, original, replacement }: Equivalent): boolean {
  return mutant.file === file && mutant.original === original &&
    (line === undefined || mutant.lineText === line) &&
    (replacement === undefined || mutant.replacement === replacement);
}

/** Whether a mutant is one that nobody can notice. */
export function isEquivalent(mutant: Mutant, equivalents: readonly Equivalent[]): boolean {
  return equivalents.some((equivalent) => isSame(mutant, equivalent));
}

function isSurvivor({ outcome }: Tried): boolean {
  return outcome.result === "survived";
}

/** A Markdown table with a row for each folder. */
export function tableOf(
  tried: readonly Tried[],
  all: readonly Mutant[],
  equivalents: readonly Equivalent[],
): string {
  const rows = [...Map.groupBy(tried, ({ file }) => folderOf(file))].sort();
  return [
    "| Folder | Mutants | Tried | Killed | Timed out | Survived | Equivalent | Score |",
    "| --- | --: | --: | --: | --: | --: | --: | --: |",
    ...rows.map(([folder, own]) => {
      const total = all.filter(({ file }) => folderOf(file) === folder).length;
      const late = own.filter(({ outcome }) => outcome.result === "timed out").length;
      const survivors = own.filter(isSurvivor);
      const same = survivors.filter((mutant) => isEquivalent(mutant, equivalents)).length;
      const noticed = own.length - survivors.length;
      const score = (100 * noticed / (own.length - same)).toFixed(1);
      const numbers = [total, own.length, noticed - late, late, survivors.length - same, same];
      return `| ${folder} | ${numbers.join(" | ")} | ${score} % |`;
    }),
  ].join("\n");
}

/** The mutants that survived and should not have, as a text for people. */
export function survivorsOf(tried: readonly Tried[], equivalents: readonly Equivalent[]): string {
  return tried
    .filter((mutant) => isSurvivor(mutant) && !isEquivalent(mutant, equivalents))
    .sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line)
    .map(({ file, line, original, replacement }) =>
      `${file}:${line}\n- ${original}\n+ ${replacement}\n`
    )
    .join("\n");
}

/** What is wrong with the list of equivalents, a line each. */
export function problemsOf(
  tried: readonly Tried[],
  all: readonly Mutant[],
  equivalents: readonly Equivalent[],
): string {
  return equivalents.flatMap((equivalent) => {
    const { file, original } = equivalent;
    if (!all.some((mutant) => mutant.file === file)) return [];
    const killed = tried.some((mutant) => isSame(mutant, equivalent) && !isSurvivor(mutant));
    if (killed) return [`A test notices this equivalent: ${file}: ${original}`];
    const exists = all.some((mutant) => isSame(mutant, equivalent));
    return exists ? [] : [`No mutant is this equivalent: ${file}: ${original}`];
  }).join("\n");
}
