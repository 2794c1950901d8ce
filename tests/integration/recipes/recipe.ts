/** The recipes of docs/extending.md and CONTRIBUTING.md: changes to the sources, word for word. */

import { read } from "../../support/pages.ts";

/** A change to one file of the sources. */
interface Change {
  /** The path from the root of the project. */
  readonly path: string;
  /** What stands there before; undefined for a new file. */
  readonly before: string | undefined;
  /** What stands there after it. */
  readonly after: string;
}

/** A recipe. */
export interface Recipe {
  /** The heading. */
  readonly title: string;
  /** Its page. */
  readonly page: string;
  /** The changes, in their order. */
  readonly changes: readonly Change[];
}

/** Every recipe. */
export const RECIPES: readonly Recipe[] = ["docs/extending.md", "CONTRIBUTING.md"]
  .flatMap(recipesOf);

/** The recipes of a page: the headings that have blocks with the path of a file. */
function recipesOf(page: string): readonly Recipe[] {
  const recipes = new Map<string, Change[]>();
  let title = "";
  for (
    const [, heading, kind, path, text] of read(page).matchAll(
      /^#+ (.*)\n|^```(\w*) ?(\S*)\n([^]*?)^```$/gm,
    )
  ) {
    if (heading !== undefined) title = heading;
    else if (path !== "") {
      recipes.set(title, [...recipes.get(title) ?? [], changeOf(kind!, path!, text!)]);
    }
  }
  return [...recipes].map(([title, changes]) => ({ title, page, changes }));
}

function changeOf(kind: string, path: string, text: string): Change {
  if (kind !== "diff") return { path, before: undefined, after: text };
  const without = (mark: string): string =>
    text.split("\n").filter((line) => line !== "" && !line.startsWith(mark))
      .map((line) => line.slice(1)).join("\n");
  return { path, before: without("+"), after: without("-") };
}

/**
 * Makes the changes of a recipe in a copy of the sources.
 *
 * @throws {Error} When a file is not as the page shows it.
 */
export async function apply({ page, title, changes }: Recipe, folder: string): Promise<void> {
  for (const { path, before, after } of changes) {
    const file = `${folder}/${path}`;
    if (before === undefined) {
      await Deno.writeTextFile(file, after, { createNew: true });
      continue;
    }
    const text = await Deno.readTextFile(file);
    const found = [...text.matchAll(patternOf(before))];
    if (found.length !== 1) {
      throw new Error(
        `${page}, ${title}: ${path} has ${found.length} times what it shows:\n${before}`,
      );
    }
    const [{ 0: shown, index }] = found as [RegExpExecArray];
    await Deno.writeTextFile(
      file,
      text.slice(0, index) + after + text.slice(index + shown.length),
    );
  }
}

// The columns of a table may be wider in the file, as `deno fmt` makes them.
function patternOf(text: string): RegExp {
  const lines = text.split("\n").map((line) => {
    const literal = line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return line.startsWith("|") ? literal.replace(/ +/g, " +") : literal;
  });
  return new RegExp(`^${lines.join("\n")}$`, "gm");
}
