/** The changes that docs/extending.md shows. */

import { ROOT } from "../../support/pages.ts";

/** A change to one file of the sources. */
export interface Change {
  /** The path from the root of the project. */
  readonly path: string;
  /** What stands there before; nothing for a new file. */
  readonly before: string;
  /** What stands there after it. */
  readonly after: string;
}

/** The changes under a heading of the page. */
export function changesUnder(heading: string): readonly Change[] {
  const page = Deno.readTextFileSync(new URL("docs/extending.md", ROOT));
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^```(ts|diff) (\S+)\n([^]*?)^```$/gm)].map(
    ([, kind, path, text]) => {
      if (kind === "ts") return { path: path!, before: "", after: text! };
      const side = (other: string): string =>
        text!.split("\n").filter((line) => line !== "" && !line.startsWith(other))
          .map((line) => line.slice(1)).join("\n");
      return { path: path!, before: side("+"), after: side("-") };
    },
  );
}

/** Makes a change in a copy of the sources. */
export async function apply({ path, before, after }: Change, folder: string): Promise<void> {
  const file = `${folder}/${path}`;
  if (before === "") return await Deno.writeTextFile(file, after, { createNew: true });
  const text = await Deno.readTextFile(file);
  if (text.split(before).length !== 2) {
    throw new Error(`docs/extending.md does not fit ${path}: ${before.split("\n")[0]}`);
  }
  await Deno.writeTextFile(file, text.replace(before, () => after));
}
