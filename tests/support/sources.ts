/**
 * A copy of the program's sources: what a test builds there replaces nothing in the developer's `dist/`,
 * and disturbs no other test.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { runToEnd } from "./child.ts";
import { withFolder } from "./folder.ts";
import { ROOT } from "./pages.ts";

const SOURCES = [
  "compile.sh",
  "main.ts",
  "deno.json",
  "import_map.json",
  "runtime.lock",
  "release.lock",
  "executables.lock",
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
  await withFolder(async (folder) => {
    const paths = SOURCES.map((name) => fileURLToPath(new URL(name, ROOT)));
    await runToEnd(["cp", "-R", ...paths, folder]);
    await act(folder);
  }, prefix);
}

// What a developer's folder has beside the sources.
const MADE = [".git", "dist", "node_modules"];

/**
 * Runs a test in a copy of the whole project, with its tests, and removes the copy.
 *
 * @param prefix What the name of its folder begins with.
 */
export async function withTree(
  prefix: string,
  act: (folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const names = [...Deno.readDirSync(ROOT)].map(({ name }) => name);
    const paths = names.filter((name) => !MADE.includes(name))
      .map((name) => fileURLToPath(new URL(name, ROOT)));
    await runToEnd(["cp", "-R", ...paths, folder]);
    await act(folder);
  }, prefix);
}
