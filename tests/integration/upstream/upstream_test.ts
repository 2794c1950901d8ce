/**
 * Reports of faults of Deno, Bun and `@redis/client`, each beside the smallest program that shows its
 * fault. To send one, paste the report and its program where it says.
 *
 * A test that fails here is good news: the fault is gone, and so can be what lib/ does about it.
 *
 * @module
 */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { ROOT } from "../../support/pages.ts";
import { bunPath } from "../../support/program.ts";
import importMap from "../../../import_map.json" with { type: "json" };

const FOLDER = new URL("./", import.meta.url);
const REPORTS = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
  .filter((name) => name.endsWith(".md")).toSorted();

// Above what any of the programs takes, which end by themselves.
const DEADLINE_MS = 180_000;

const env = {
  PATH: `${dirname(Deno.execPath())}:${dirname(bunPath())}:${Deno.env.get("PATH")}`,
  NO_COLOR: "1",
};

async function versionOf(name: string): Promise<string> {
  if (name === "Deno") return Deno.version.deno;
  if (name === "Bun") return (await runToEnd(["bun", "--version"], { env })).stdout.trim();
  return importMap.imports["@redis/client"].split("@").at(-1)!;
}

for (const report of REPORTS) {
  const text = Deno.readTextFileSync(new URL(report, FOLDER));
  const [, title] = /^# (.*)$/m.exec(text) ?? [];
  const [, name = "", version = ""] = /^Version: (\S+) (\S+)$/m.exec(text) ?? [];
  const [, commands = ""] = /^```sh\n(.*?)^```$/ms.exec(text) ?? [];
  const [, output = ""] = /^```text\n(.*?)^```$/ms.exec(text) ?? [];

  Deno.test(`still a fault of ${name} ${version}: ${title}`, async () => {
    assertEquals(await versionOf(name), version, `${report} names another version than runs`);
    assert(commands !== "" && output.startsWith("fault: "), `${report} has no program or output`);
    assert(/^To: /m.test(text), `${report} does not say where to send it`);
    for (const command of commands.trim().split("\n")) {
      const { stdout, stderr } = await runToEnd(["bash", "-c", command], {
        cwd: FOLDER,
        env,
        deadlineMs: DEADLINE_MS,
      });
      const [figures, expected] = [stdout, output].map((text) => text.replace(/\d+/g, "0"));
      assertEquals(figures, expected, `${command}: not as ${report} says\n${stderr}`);
    }
  });
}

Deno.test("each report that lib/ names is there, and each program has its report", async () => {
  const args = ["-rhoE", "tests/integration/upstream/[a-z0-9_]+\\.md", "lib"];
  const { stdout } = await runToEnd(["grep", ...args], { cwd: fileURLToPath(ROOT) });
  const named = stdout.trim().split("\n").map((path) => path.slice(path.lastIndexOf("/") + 1));
  assertEquals(named.filter((name) => !REPORTS.includes(name)), []);
  const programs = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
    .filter((name) => name.endsWith(".ts") && !name.endsWith("_test.ts"));
  assertEquals(programs.map((name) => name.replace(/ts$/, "md")).toSorted(), REPORTS);
});
