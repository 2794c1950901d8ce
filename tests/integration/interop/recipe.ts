/** The changes that docs/extending.md shows, and a copy of the sources with them in it. */

import { fileURLToPath } from "node:url";
import { runToEnd } from "../../support/child.ts";

const ROOT = new URL("../../../", import.meta.url);

/** The test of who may import whom, from the root of the project. */
export const LAYOUT_TEST = "tests/unit/layout_test.ts";

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

/** Makes a copy of what the program consists of, and of the test of its layout, with the changes. */
export async function changedCopy(changes: readonly Change[]): Promise<URL> {
  const folder = new URL(`file://${await Deno.makeTempDir({ prefix: "extending-" })}/`);
  const names = ["main.ts", "deno.json", "import_map.json", "LICENSE", "lib", "types"];
  const sources = names.map((name) => fileURLToPath(new URL(name, ROOT)));
  await runToEnd(["cp", "-R", ...sources, folder.pathname]);
  await Deno.mkdir(new URL("tests/unit/", folder), { recursive: true });
  await Deno.copyFile(new URL(LAYOUT_TEST, ROOT), new URL(LAYOUT_TEST, folder));
  for (const change of changes) await apply(change, folder);
  return folder;
}

async function apply({ path, before, after }: Change, folder: URL): Promise<void> {
  const file = new URL(path, folder);
  if (before === "") return await Deno.writeTextFile(file, after, { createNew: true });
  const text = await Deno.readTextFile(file);
  if (text.split(before).length !== 2) {
    throw new Error(`docs/extending.md does not fit ${path}: ${before.split("\n")[0]}`);
  }
  await Deno.writeTextFile(file, text.replace(before, () => after));
}
