/**
 * Which npm packages run, and that nothing runs without the integrity that a lock holds.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import project from "../deno.json" with { type: "json" };
import importMap from "../import_map.json" with { type: "json" };

const ROOT = new URL("../", import.meta.url);

interface Lock {
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
  readonly workspace: { readonly dependencies: readonly string[] };
}

function lockIn(path: string): Lock {
  return JSON.parse(Deno.readTextFileSync(new URL(path, ROOT)));
}

/** The packages that the import map names, as a lock does: `npm:NAME@VERSION`. */
function packagesMapped(): string[] {
  const packages = Object.values(importMap.imports).map((target) =>
    /^npm:\/?((?:@[^/]+\/)?[^@/]+@\d+\.\d+\.\d+)(?:\/|$)/.exec(target)?.[1] ?? target
  );
  return [...new Set(packages)].map((name) => `npm:${name}`).sort();
}

Deno.test("two packages run, each held by its SHA-512", () => {
  const { npm } = lockIn("runtime.lock");
  assertEquals(Object.keys(npm), ["@redis/client@6.3.1", "deno-std@1.4.0"]);
  for (const { integrity } of Object.values(npm)) {
    assert(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
  }
});

Deno.test("both locks know the packages of the import map", () => {
  for (const path of ["runtime.lock", "deno.lock"]) {
    const known = lockIn(path).workspace.dependencies.toSorted();
    assertEquals(known, packagesMapped(), `${path} is not up to date: deno task lock`);
  }
});

Deno.test("the lock of what runs is part of the lock of the tests", () => {
  const all = lockIn("deno.lock").npm;
  for (const [name, { integrity }] of Object.entries(lockIn("runtime.lock").npm)) {
    assertEquals(all[name]?.integrity, integrity, name);
  }
});

Deno.test("every task that runs code holds it to a lock", () => {
  const runs = Object.entries(project.tasks).flatMap(([name, { command }]) =>
    [...command.matchAll(/\bdeno (?:run|test|bench|check) [^&]*/g)].map(([run]) => ({ name, run }))
  );
  const free = runs.filter(({ run }) => !/--lock=(?:runtime|deno)\.lock --frozen /.test(run));
  assertEquals(free.map(({ name }) => name), []);
  assert(runs.length > 20);
});
