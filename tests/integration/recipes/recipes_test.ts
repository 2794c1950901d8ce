/**
 * The recipes of CONTRIBUTING.md and docs/extending.md, each applied word for word to a copy of the
 * sources of its own: the gate passes afterwards.
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { prose } from "../../support/pages.ts";
import { withTree } from "../../support/sources.ts";
import { apply, RECIPES } from "./recipe.ts";

// Somebody has to open each of them.
const MAX_FILES = 10;

/** The commands that follow a recipe, in order. */
const COMMANDS = [
  .../Then run ([^.]*)\./.exec(prose("CONTRIBUTING.md"))![1]!.matchAll(/`([^`]+)`/g),
]
  .map(([, command]) => command!.split(/\s+/));

Deno.test("there is a recipe for an operation, a binding, an option, a metric and a program", () => {
  assertEquals(RECIPES.map(({ title }) => title), [
    "Add an operation",
    "Add a binding",
    "An option",
    "A metric",
    "A program on the page",
  ]);
  assertEquals(COMMANDS.map((words) => words.join(" ")), [
    "deno task generate",
    "deno fmt",
    "deno task ok",
  ]);
});

for (const recipe of RECIPES) {
  Deno.test(`${recipe.page}, "${recipe.title}": the gate passes, and at most ten files are named`, async () => {
    const files = new Set(recipe.changes.map(({ path }) => path));
    assert(files.size <= MAX_FILES, `${files.size} files: ${[...files].join(", ")}`);
    await withTree("recipe-", async (folder) => {
      await apply(recipe, folder);
      for (const [, ...args] of COMMANDS) {
        const options = { cwd: folder, deadlineMs: 1_800_000, env: { NO_COLOR: "1" } };
        const { code, stdout, stderr } = await runToEnd([Deno.execPath(), ...args], options);
        // The names of the tests that failed come last.
        assertEquals(code, 0, `deno ${args.join(" ")}:\n${(stdout + stderr).slice(-20_000)}`);
      }
    });
  });
}
