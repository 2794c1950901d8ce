/** The manual page, read by two formatters and by the indexer of man-db. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { manPage } from "../../../release/man_page.ts";
import { run } from "../../support/client_program.ts";
import { withFolder } from "../../support/folder.ts";

async function withPage(check: (path: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/authenticator.1`, manPage("1.2.3"));
    await check(`${folder}/authenticator.1`);
  });
}

Deno.test("mandoc finds nothing wrong in the manual page but that it has no date", async () => {
  await withPage(async (path) => {
    // Its exit code reports findings too.
    const line = `mandoc -T lint -W warning '${path}' || true`;
    await run("mandoc", ["-T", "ascii", path]);
    const { text } = await run("bash", ["-c", line]);
    const found = text.split("\n").filter((each) => each !== "" && !each.includes("missing date"));
    assertEquals(found, []);
  });
});

Deno.test("man shows the manual page, and lexgrog finds its name in it", async () => {
  await withPage(async (path) => {
    const { text, errors } = await run("man", ["--warnings", "-l", path]);
    assert(text.includes("authenticator pair [options]"), text);
    assertEquals(errors, "");
    const { text: entry } = await run("lexgrog", [path]);
    assert(entry.includes("authenticator - pairs authenticator apps and checks their pins"));
  });
});
