/**
 * What compile.sh puts into an executable. Deno's own executable stands for the base one, which need
 * not be downloaded then: everything is resolved, checked and embedded, and listed.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { TARGETS } from "../../../release/make.ts";
import { runToEnd } from "../../support/child.ts";
import { withFolder } from "../../support/folder.ts";
import { read, ROOT } from "../../support/pages.ts";
import { withSources } from "../../support/sources.ts";

const COMPILE_MS = 600_000;

async function compile(
  cwd: string,
  args: string[],
  env: Record<string, string>,
): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(["./compile.sh", ...args], {
    cwd,
    env: { NO_COLOR: "1", ...env },
    deadlineMs: COMPILE_MS,
  });
  const text = stdout + stderr;
  assertEquals(code, 0, text);
  return text;
}

/** The paths of the tree that `deno compile` prints, without the sizes. */
function embedded(text: string): string[] {
  const above: string[] = [];
  const paths: string[] = [];
  for (const line of text.split("\n")) {
    const [, indent, name] = /^((?:│ | {2})*)[├└]─[─┬] (.+?)(?: \([^)]*\))?$/.exec(line) ?? [];
    if (indent === undefined) continue;
    above.length = indent.length / 2;
    above.push(name!);
    if (!line.includes("─┬")) paths.push(above.join("/"));
  }
  return paths;
}

function npmPackage(path: string): string | undefined {
  return /^\.deno_compile_node_modules\/[^/]+\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

/** The npm packages that the sources import, and those that these need. */
async function packagesNeeded(): Promise<Set<string>> {
  const { stdout } = await runToEnd([Deno.execPath(), "info", "--json", "main.ts"], { cwd: ROOT });
  const { npmPackages, modules } = JSON.parse(stdout) as {
    npmPackages: Record<string, { name: string; dependencies: string[] }>;
    modules: { npmPackage?: string }[];
  };
  const needed = new Set<string>();
  const visit = (id: string): void => {
    const { name, dependencies } = npmPackages[id]!;
    if (needed.has(name)) return;
    needed.add(name);
    dependencies.forEach(visit);
  };
  for (const { npmPackage } of modules) if (npmPackage !== undefined) visit(npmPackage);
  return needed;
}

Deno.test("an executable holds our sources and what they import, nothing else", () =>
  withSources("embedded-", async (folder) => {
    const paths = embedded(await compile(folder, [], { DENORT_BIN: Deno.execPath() }));
    const ours = paths.filter((path) => npmPackage(path) === undefined);
    const strangers = ours.filter((path) =>
      !/^(?:main\.ts|deno\.json|LICENSE|lib\/.*)$/.test(path)
    );
    assertEquals(strangers, []);
    assert(
      ours.includes("main.ts") && ours.some((path) => path.startsWith("lib/server/")),
      `${ours}`,
    );
    const packages = new Set(paths.map(npmPackage).filter((name) => name !== undefined));
    assertEquals(packages.difference(await packagesNeeded()), new Set());
    assert(packages.has("deno-std"));
  }));

Deno.test("compile.sh --with bun names both files that it makes", () =>
  withSources("named-files-", async (folder) => {
    const text = await compile(folder, ["--with", "bun"], {});
    const named = [...text.matchAll(/^(dist\/\S+): \d+ MB$/gm)].map(([, path]) => path);
    assertEquals(named, ["dist/authenticator", "dist/authenticator.js"], text);
    const made = [...Deno.readDirSync(`${folder}/dist`)].map(({ name }) => name).sort();
    assertEquals(made, MADE);
  }));

Deno.test("compile.sh writes the checksums of what it made", () =>
  withSources("checksums-", async (folder) => {
    const text = await compile(folder, ["--bundle"], {});
    assert(/^dist\/authenticator\.js: \d+ MB$/m.test(text), text);
    const sums = await Deno.readTextFile(`${folder}/dist/SHA256SUMS`);
    const bytes = await Deno.readFile(`${folder}/dist/authenticator.js`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    assert(sums.includes(`${digest}  authenticator.js\n`), sums);
  }));

for (
  const [runtime, env] of [["deno", { DENORT_BIN: Deno.execPath() }], ["bun", {}]] as const
) {
  Deno.test(`the same sources make the same executable in any folder, with ${runtime} inside`, () =>
    withSources("one-", (one) =>
      withSources("another whose name is longer ", async (other) => {
        const made = await Promise.all([one, other].map(async (folder) => {
          await compile(folder, ["--with", runtime], { COMMIT: "abcdef0", ...env });
          return await Deno.readTextFile(`${folder}/dist/SHA256SUMS`);
        }));
        assertEquals(made[1], made[0]);
        assert(/^[0-9a-f]{64} {2}authenticator$/m.test(made[0]!), made[0]);
      })));
}

Deno.test("a bundle has the commit and the names of functions and modules, and no path of the machine", () =>
  withSources("named-", async (folder) => {
    await compile(folder, ["--bundle"], { COMMIT: "abcdef0" });
    const text = await Deno.readTextFile(`${folder}/dist/authenticator.js`);
    assert(text.includes("\nfunction readEnvelope("));
    assert(text.includes(' = "commit abcdef0"') && !text.includes(' = "from source"'));
    const modules = [...text.matchAll(/^(?:\/\/ | {2}")([^\s"]+\.[cm]?[jt]s)(?:$|"\()/gm)]
      .map(([, name]) => name!);
    const strangers = modules.filter((name) => !/^(?:main\.ts$|lib\/|npm:)/.test(name));
    assertEquals([modules.length > 300, strangers], [true, []]);
    assert(!text.includes(folder));
  }));

Deno.test("compile.sh names an unknown option, and exits with 2", async () => {
  const bad = [["--with", "bun", "--target", "amiga"], ["--with", "node"], ["--fast"], ["--with"]];
  for (const args of bad) {
    const { code, stderr } = await runToEnd(["./compile.sh", ...args], { cwd: ROOT });
    assertEquals(code, 2, args.join(" "));
    assert(/^compile\.sh: error: [^\n]+\n$/.test(stderr));
  }
});

const [, DENO_VERSION, BUN_VERSION] = /DENO_VERSION=(\S+) BUN_VERSION=(\S+)/.exec(
  read("compile.sh"),
)!;

// Writes half of what it was asked for, and fails; has everything in its cache.
const BREAKS_OFF = `#!/usr/bin/env bash
[[ $1 != cache ]] || exit 0
[[ $* != --version ]] || { [[ $0 == *deno ]] && echo "deno ${DENO_VERSION} (stable)" || echo ${BUN_VERSION}; exit; }
while (($#)); do
  [[ $1 != --output && $1 != --outfile ]] || echo half >"$2"
  shift
done
exit 1
`;
// Bundles, and breaks off at all else.
const ONLY_BUNDLES = BREAKS_OFF.replace("exit 1", '[[ $arguments == "bundle "* ]]')
  .replace("while", 'arguments="$*"\nwhile');

const FAILURES: readonly (readonly [args: readonly string[], deno: string])[] = [
  [["--with", "deno"], BREAKS_OFF],
  [["--with", "bun"], BREAKS_OFF],
  [["--with", "bun"], ONLY_BUNDLES],
  [["--bundle"], BREAKS_OFF],
];

/** Puts beside the sources what compile.sh made before, and a Deno and a Bun. */
async function addBefore(folder: string, deno: string): Promise<void> {
  await Deno.mkdir(`${folder}/dist`);
  for (const file of MADE) await Deno.writeTextFile(`${folder}/dist/${file}`, `old ${file}`);
  await Deno.mkdir(`${folder}/bin`);
  await Deno.writeTextFile(`${folder}/bin/deno`, deno, { mode: 0o755 });
  await Deno.writeTextFile(`${folder}/bin/bun`, BREAKS_OFF, { mode: 0o755 });
}

const MADE = ["SHA256SUMS", "authenticator", "authenticator.js"];

for (const [args, deno] of FAILURES) {
  const where = deno === ONLY_BUNDLES ? ", after the bundle" : "";
  Deno.test(`compile.sh ${args.join(" ")} that fails leaves what was there${where}`, () =>
    withSources("before-", async (folder) => {
      await addBefore(folder, deno);
      const path = `${folder}/bin:${Deno.env.get("PATH")}`;
      const { code, stderr } = await runToEnd([`${folder}/compile.sh`, ...args], {
        env: { PATH: path, DENORT_BIN: "none" },
      });
      assertEquals(code, 1, stderr);
      const left = [...Deno.readDirSync(`${folder}/dist`)].map(({ name }) => name).sort();
      assertEquals(left, MADE);
      for (const file of MADE) {
        assertEquals(await Deno.readTextFile(`${folder}/dist/${file}`), `old ${file}`);
      }
    }));
}

// As Deno without a network.
const LACKS_BASE = BREAKS_OFF.replace(
  "exit 1",
  "printf '%s\\n' 'Setting up base binary.' '' 'Stack backtrace:' '   0: <unknown>' >&2; exit 1",
);

Deno.test("compile.sh that lacks Deno's base executable fails with a sentence about what to do", () =>
  withSources("base-", async (folder) => {
    await addBefore(folder, LACKS_BASE);
    const { code, stdout, stderr } = await runToEnd([`${folder}/compile.sh`], {
      env: { PATH: `${folder}/bin:${Deno.env.get("PATH")}`, DENORT_BIN: "" },
    });
    assertEquals([code, stderr], [
      3,
      "compile.sh: error: the Deno base executable cannot be downloaded: name one with DENORT_BIN, " +
      "or use --with bun\n",
    ]);
    assert(stdout.endsWith("Setting up base binary.\n\n"), stdout);
  }));

const MARK = "authenticator-poisoned";

/** Replaces every file of a folder's executables by a script that tells that it ran, at `ran`. */
function poisonExecutables(pattern: RegExp, folder: string, ran: string): number {
  const files = filesBelow(folder).filter((path) => pattern.test(path));
  for (const path of files) {
    Deno.writeTextFileSync(path, `#!/bin/sh\n# ${MARK}\necho "$0" >>'${ran}'\nexit 1\n`);
  }
  return files.length;
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

/** A machine other than this one, so that Bun downloads its base executable. */
const OTHER = Deno.build.arch === "aarch64" ? "linux-x64" : "linux-arm64";

/** Caches of the two runtimes that are filled by a build for another machine. */
async function fillCaches(folder: string, sources: string): Promise<Record<string, string>> {
  const env = { DENO_DIR: `${folder}/deno`, BUN_INSTALL_CACHE_DIR: `${folder}/bun` };
  await compile(sources, ["--with", "bun", "--target", OTHER], env);
  return env;
}

Deno.test("poisoned caches of a user are not used, and those that a caller names are compared", () =>
  withSources("poisoned-", (sources) =>
    withFolder(async (home) => {
      const named = await fillCaches(`${home}/named`, sources);
      // Deno runs one esbuild, and compile.sh has compared that one.
      assertEquals([...Deno.readDirSync(`${named.DENO_DIR}/dl`)].length, 1);
      const ran = `${home}/ran`;
      await poisonUsual(home, named, ran);
      const clean = { HOME: home, XDG_CACHE_HOME: `${home}/.cache`, DENO_DIR: "" };
      const builds = [
        { made: `authenticator-${OTHER}`, args: ["--with", "bun", "--target", OTHER], env: clean },
        // One alone is not enough: it may be the usual one.
        {
          made: "authenticator.js",
          args: ["--bundle"],
          env: { ...clean, DENO_DIR: `${home}/.cache/deno` },
        },
      ];
      for (const { made, args, env } of builds) {
        await compile(sources, args, env);
        for (const name of [made, "authenticator.js"]) {
          const text = new TextDecoder("latin1").decode(
            await Deno.readFile(`${sources}/dist/${name}`),
          );
          assertEquals([text.includes(MARK), text.includes("Authenticator")], [false, true], name);
        }
      }
      assertEquals(isThere(ran), false);
      for (const folder of [named.DENO_DIR!, named.BUN_INSTALL_CACHE_DIR!]) {
        const before = await Deno.readTextFile(`${sources}/dist/SHA256SUMS`);
        assert(poisonExecutables(/\/esbuild[^/]*$|\/bun-[^/]*$/, folder, ran) > 0);
        const args = ["--with", "bun", "--target", OTHER];
        const { code, stderr } = await runToEnd(["./compile.sh", ...args], {
          cwd: sources,
          env: { ...named, NO_COLOR: "1" },
          deadlineMs: COMPILE_MS,
        });
        const says = /^compile\.sh: error: .* of executables\.lock: its SHA-256 is [0-9a-f]{64}$/m;
        assertEquals([code, says.test(stderr), isThere(ran)], [1, true, false], stderr);
        assertEquals(await Deno.readTextFile(`${sources}/dist/SHA256SUMS`), before);
        await Deno.remove(folder, { recursive: true });
      }
    })));

/** Puts poisoned packages, esbuild and base executables where a user of a home has them. */
async function poisonUsual(
  home: string,
  named: Readonly<Record<string, string>>,
  ran: string,
): Promise<void> {
  const [deno, bun] = [`${home}/.cache/deno`, `${home}/.bun/install/cache`];
  await Deno.mkdir(`${home}/.cache`);
  await Deno.mkdir(`${home}/.bun/install`, { recursive: true });
  await runToEnd(["cp", "-R", named.DENO_DIR!, deno]);
  await runToEnd(["cp", "-R", named.BUN_INSTALL_CACHE_DIR!, bun]);
  assert(poisonExecutables(/\/esbuild[^/]*$/, deno, ran) > 0);
  assert(poisonExecutables(/\/bun-[^/]*$/, bun, ran) > 0);
  const base32 = filesBelow(`${deno}/npm`).find((path) => path.endsWith("/encoding/base32.js"))!;
  await Deno.writeTextFile(base32, `globalThis["${MARK}"] = 1;\n`, { append: true });
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

Deno.test("executables.lock has each base executable of a release with Bun, and the esbuild of each machine", () => {
  const names = [...read("executables.lock").matchAll(/^[0-9a-f]{64} {2}(\S+)$/gm)]
    .map(([, name]) => name!);
  const bases = TARGETS.map(({ name }) =>
    `bun-${name.replace("macos", "darwin").replace("arm64", "aarch64")}-v${BUN_VERSION}`
  );
  const [, esbuild] = / ESBUILD_VERSION=(\S+)/.exec(read("compile.sh"))!;
  const builders = ["linux", "darwin", "win32"].flatMap((system) =>
    ["x64", "arm64"].map((processor) => `esbuild-${esbuild}-${system}-${processor}`)
  );
  const needed = [...bases, ...builders, `deno-linux-x64-v${DENO_VERSION}`];
  assertEquals(needed.filter((name) => !names.includes(name)), []);
  const others = names.filter((name) => !needed.includes(name));
  assertEquals(others.filter((name) => !name.startsWith(`denort-${DENO_VERSION}-`)), []);
});
