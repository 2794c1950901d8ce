/**
 * What a machine with nothing on it downloads for the first command of the README, and that it takes
 * nothing else for it. Needs the npm registry.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Ended, runToEnd } from "../../support/child.ts";
import { withFolder } from "../../support/folder.ts";
import { ROOT } from "../../support/pages.ts";
import { withSources } from "../../support/sources.ts";

const DOWNLOAD_MS = 600_000;

/** Runs a task with an empty cache, in a folder with the project in it. */
async function runAfresh(cwd: string | URL, cache: string): Promise<Ended> {
  return await runToEnd([Deno.execPath(), "task", "start", "--version"], {
    cwd,
    env: { DENO_DIR: cache, NO_COLOR: "1" },
    deadlineMs: DOWNLOAD_MS,
  });
}

/** The packages in a cache of Deno: `NAME@VERSION`. */
function packagesIn(folder: string): string[] {
  const names = [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory)
    .flatMap(({ name }) =>
      name.startsWith("@")
        ? [...Deno.readDirSync(`${folder}/${name}`)].map((inner) => `${name}/${inner.name}`)
        : [name]
    );
  return names.flatMap((name) =>
    [...Deno.readDirSync(`${folder}/${name}`)].filter(({ isDirectory }) => isDirectory)
      .map((version) => `${name}@${version.name}`)
  ).sort();
}

/** Every folder of packages, one for each registry, in a cache of Deno. */
function packagesCached(cache: string): string[] {
  return [...Deno.readDirSync(`${cache}/npm`)].flatMap(({ name }) =>
    packagesIn(`${cache}/npm/${name}`)
  );
}

Deno.test("the first start downloads two packages", () =>
  withFolder(async (cache) => {
    const { code, stderr } = await runAfresh(ROOT, cache);
    assertEquals(code, 0, stderr);
    assertEquals(packagesCached(cache), ["@redis/client@6.3.1", "deno-std@1.4.0"]);
  }));

Deno.test("a package that is not the locked one is refused", () =>
  withFolder(async (cache) => {
    await withSources("sources-", async (folder) => {
      const path = `${folder}/runtime.lock`;
      const lock = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, lock.replace(/sha512-.{8}/, "sha512-AAAAAAAA"));
      const { code, stdout, stderr } = await runAfresh(folder, cache);
      assert(code !== 0, stdout);
      assert(/integrity|checksum/i.test(stderr), stderr);
    });
  }));
