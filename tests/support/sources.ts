/**
 * A copy of the program's sources: what a test builds there replaces nothing in the developer's `dist/`,
 * and disturbs no other test.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { runToEnd } from "./child.ts";
import { ROOT } from "./pages.ts";

const SOURCES = [
  "compile.sh",
  "main.ts",
  "deno.json",
  "import_map.json",
  "runtime.lock",
  "deno.lock",
  "lib",
  "types",
  "release",
  "deploy",
  "docs",
  "CHANGELOG.md",
  "SECURITY.md",
  "README.md",
  "LICENSE",
];

/**
 * Runs a test in a copy of the sources, and removes the copy.
 *
 * @param prefix What the name of its folder begins with.
 */
export async function withSources(
  prefix: string,
  act: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix });
  try {
    await runToEnd([
      "cp",
      "-R",
      ...SOURCES.map((name) => fileURLToPath(new URL(name, ROOT))),
      folder,
    ]);
    await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
