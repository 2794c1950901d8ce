/**
 * What `deno task release` makes: the same bytes from the same sources wherever they lie, with
 * everything that belongs to a release beside them. Needs npm; Deno's own executable stands for the
 * base one, which need not be downloaded then.
 *
 * @module
 */

import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import "ajv";
import "ajv-formats";
import "ajv-formats-draft2019";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import project from "../../../deno.json" with { type: "json" };
import { filesIn } from "../../../release/archive.ts";
import { debianVersion, packDebian } from "../../../release/deb.ts";
import { executableName, parseSelection, TARGETS } from "../../../release/make.ts";
import { dateOf, filesOf, isDevelopment, notesOf } from "../../../release/notes.ts";
import { packLibrary } from "../../../release/npm.ts";
import { type Ended, need, runToEnd } from "../../support/child.ts";
import { withFolder } from "../../support/folder.ts";
import { read } from "../../support/pages.ts";
import { withSources } from "../../support/sources.ts";

const RELEASE_MS = 600_000;
const TARGET = Deno.build.arch === "aarch64" ? "linux-arm64" : "linux-x64";
const ARCHITECTURE = Deno.build.arch === "aarch64" ? "arm64" : "amd64";
const PACKAGE = `authenticator_${debianVersion(project.version)}_${ARCHITECTURE}.deb`;

const DATE = /^## \[\d\S*\] - (\S+)$/m.exec(read("CHANGELOG.md"))![1];
const DEPLOY = "authenticator-deploy.tar.gz";

// What `deno task release` runs, with the packages that are here: it has permissions to show.
const [, WORDS = ""] = project.tasks.release.command.split(/\bdeno (?=run)/);

function release(
  folder: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Ended> {
  return runToEnd([Deno.execPath(), ...WORDS.split(" "), "--target", TARGET, ...args], {
    cwd: folder,
    env: { NO_COLOR: "1", COMMIT: "abcdef0", DENORT_BIN: Deno.execPath(), ...env },
    deadlineMs: RELEASE_MS,
  });
}

const FILES = [
  "LICENSE",
  "LICENSES.txt",
  "RELEASE_NOTES.md",
  "SHA256SUMS",
  "authenticator-as-service",
  DEPLOY,
  `authenticator-${TARGET}-bun`,
  `authenticator-${TARGET}-deno`,
  `authenticator-service-${project.version}.tgz`,
  "authenticator.1",
  "authenticator.js",
  "authenticator.service",
  PACKAGE,
  "install.ps1",
  "install.sh",
  "sbom.cdx.json",
];

Deno.test("two copies of the sources give the same release, to the byte", () =>
  withSources("one-", (one) =>
    withSources("another-folder-", async (shallow) => {
      // The depth of a folder is in relative paths, which bundlers write down.
      const other = `${shallow}/deeper/copy`;
      await Deno.mkdir(`${shallow}/deeper`);
      await runToEnd(["cp", "-R", one, other]);
      await need(["dpkg-deb", "--version"], "dpkg");
      await need(["lintian", "--version"]);
      // A key of a developer who runs containers from the sources.
      await Deno.writeTextFile(`${other}/deploy/guard.key`, "secret");
      for (const folder of [one, other]) {
        const { code, stdout, stderr } = await release(folder, {});
        assertEquals(code, 0, stdout + stderr);
        assertEquals(stdout.trim().split("\n").slice(-FILES.length), FILES, stdout);
      }
      const [sums, others] = [one, other].map((folder) =>
        Deno.readTextFileSync(`${folder}/dist/release/SHA256SUMS`)
      );
      assertEquals(others, sums);
      assertEquals(sums!.trim().split("\n").length, FILES.length - 1);
      const cwd = `${one}/dist/release`;
      assertEquals((await runToEnd(["sha256sum", "--check", "SHA256SUMS"], { cwd })).code, 0);
      await checkTexts(cwd);
      await checkPackage(`${cwd}/${PACKAGE}`);
      await checkDeploy(cwd, `${one}/deploy`);
    })));

const DOC = "./usr/share/doc/authenticator";

/** Files of the package for Debian, with permissions. */
/** Files of deploy/ that can be run. */
const SCRIPTS = /\.sh$|authenticator-as-service$/;

const PACKAGED = [
  ...["", "etc/", "usr/", "usr/bin/", "usr/lib/", "usr/lib/systemd/"],
  ...["usr/lib/systemd/system/", "usr/share/", "usr/share/doc/", "usr/share/doc/authenticator/"],
  ...["docs/", "deploy/", "deploy/drop-ins/", "deploy/windows/"]
    .map((name) => `usr/share/doc/authenticator/${name}`),
  ...[
    "usr/share/lintian/",
    "usr/share/lintian/overrides/",
    "usr/share/man/",
    "usr/share/man/man1/",
  ],
].map((folder) => `drwxr-xr-x ./${folder}`).concat(
  "drwx------ ./etc/authenticator/",
  "-rw------- ./etc/authenticator/authenticator.conf",
  "-rwxr-xr-x ./usr/bin/authenticator",
  "-rwxr-xr-x ./usr/bin/authenticator-as-service",
  "-rw-r--r-- ./usr/lib/systemd/system/authenticator.service",
  "-rw-r--r-- ./usr/lib/systemd/system/authenticator.target",
  "-rw-r--r-- ./usr/lib/systemd/system/authenticator@.service",
  ...["CHANGELOG.md.gz", "SECURITY.md", "changelog.gz", "copyright"]
    .map((name) => `-rw-r--r-- ${DOC}/${name}`),
  ...filesIn("docs/").map((path) => `-rw-r--r-- ${DOC}/${path}`),
  ...filesIn("deploy/").map((path) =>
    `-rw${SCRIPTS.test(path) ? "xr-xr-x" : "-r--r--"} ${DOC}/${path}`
  ),
  "-rw-r--r-- ./usr/share/lintian/overrides/authenticator",
  "-rw-r--r-- ./usr/share/man/man1/authenticator-as-service.1.gz",
  "-rw-r--r-- ./usr/share/man/man1/authenticator.1.gz",
).toSorted();

/** The archive of `deploy/` has every file of it, with one owner and day. */
async function checkDeploy(cwd: string, folder: string): Promise<void> {
  const env = { TZ: "UTC" };
  const say = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runToEnd(words, { cwd, env });
    assertEquals([code, stderr], [0, ""], stdout);
    return stdout.trim();
  };
  const listed = await say("tar", "--list", "--verbose", "--numeric-owner", "--file", DEPLOY);
  const lines = listed.split("\n").map((line) => line.split(/ +/));
  const paths = lines.map(([, , , , , path]) => path!);
  assertEquals(paths, paths.toSorted());
  const others = new Set(lines.map(([, owner, , day, time]) => `${owner} ${day} ${time}`));
  assertEquals([...others], [`0/0 ${DATE} 00:00`]);
  await say("tar", "--extract", "--file", DEPLOY);
  assertEquals(await say("diff", "--recursive", "deploy", folder), "");
  assertEquals(await say("stat", "--format=%a", "deploy/internal-ca.sh"), "755");
  const docs = [...Deno.readDirSync(new URL("../../../docs", import.meta.url))].map(({ name }) =>
    name
  );
  // The pictures of the README, which is not in the archive, are not either.
  const shipped = docs.filter((name) => /\.(?:md|svg)$/.test(name)).toSorted();
  assertEquals([...Deno.readDirSync(`${cwd}/docs`)].map(({ name }) => name).toSorted(), shipped);
}

/** Files, their owner and day, and what lintian finds, of the package for Debian. */
async function checkPackage(file: string): Promise<void> {
  const { stdout } = await runToEnd(["dpkg-deb", "--contents", file], { env: { TZ: "UTC" } });
  const lines = stdout.trim().split("\n").map((line) => line.split(/ +/));
  assertEquals(lines.map(([mode, , , , , path]) => `${mode} ${path}`).toSorted(), PACKAGED);
  const others = new Set(lines.map(([, owner, , day, time]) => `${owner} ${day} ${time}`));
  assertEquals([...others], [`root/root ${DATE} 00:00`]);
  const lintian = ["lintian", "--allow-root", "--fail-on", "error,warning", file];
  const found = await runToEnd(lintian, { deadlineMs: RELEASE_MS });
  assertEquals([found.code, found.stdout], [0, ""], found.stderr);
}

Deno.test("a package has the unit with the path of the package", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/program`, "");
    const name = await packDebian(folder, {
      architecture: "arm64",
      version: "1.2.3",
      date: "2026-01-31",
      executable: `${folder}/program`,
    });
    const show = async (...args: readonly string[]): Promise<string> =>
      (await runToEnd(["sh", "-c", `dpkg-deb "$@"`, "sh", ...args], { cwd: folder })).stdout;
    await show("--extract", name, "root");
    const unit = await Deno.readTextFile(
      `${folder}/root/usr/lib/systemd/system/authenticator.service`,
    );
    assert(
      unit.includes("\nExecStart=/usr/bin/authenticator serve --config ") &&
        !unit.includes("/usr/local"),
    );
    assertEquals(await show("--field", name, "Version", "Architecture"), FIELDS);
    assertEquals(
      await show("--info", name, "conffiles"),
      "/etc/authenticator/authenticator.conf\n",
    );
  });
});

const FIELDS = "Version: 1.2.3\nArchitecture: arm64\n";

/** What each text of a release must hold. */
async function checkTexts(folder: string): Promise<void> {
  const text = (name: string): string => Deno.readTextFileSync(`${folder}/${name}`);
  assert(text("authenticator.1").startsWith(".TH AUTHENTICATOR 1"));
  assert(text("LICENSES.txt").includes("Redis"));
  const notes = text("RELEASE_NOTES.md");
  assert(notes.startsWith("### ") && notes.includes("(`docs/"));
  // A release is a flat list of files.
  assert(!/\]\((?!https:)/.test(notes), notes);
  const [, files = ""] = notes.split("### Files\n");
  assertEquals([...files.matchAll(/^- `(\S+)`: .+$/gm)].map(([, name]) => name), FILES);
  const bom = text("sbom.cdx.json");
  assertEquals(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(bom), null);
  const { components, metadata } = JSON.parse(bom) as Bom;
  const runtimes = ["bun", "deno"].map((name) =>
    `pkg:npm/${name}@${new RegExp(`${name}_version=(\\S+)`, "i").exec(read("compile.sh"))![1]}`
  );
  const { npm } = JSON.parse(read("runtime.lock")) as { npm: Record<string, unknown> };
  const packages = Object.keys(npm).map((name) => `pkg:npm/${name.replace(/^@/, "%40")}`);
  assertEquals(components.map(({ purl }) => purl).sort(), [...packages, ...runtimes].sort());
  // The base executable of Bun is locked, and that of Deno is named by the test.
  const bases = components.flatMap(({ components = [] }) => components);
  const builders = metadata.tools.components.flatMap(({ components = [] }) => components);
  const locked = read("executables.lock");
  const base = TARGET.replace("arm64", "aarch64");
  assert(bases.length === 1 && bases[0]!.name.startsWith(`bun-${base}-v`), bom);
  assert(builders.length > 0 && builders.every(({ name }) => name.startsWith("esbuild-")), bom);
  for (const { name, hashes: [hash] } of [...bases, ...builders]) {
    assert(locked.includes(`\n${hash!.content}  ${name}\n`), name);
  }
}

interface Bom {
  readonly components: readonly Component[];
  readonly metadata: { readonly tools: { readonly components: readonly Component[] } };
}

interface Component {
  readonly purl: string;
  readonly components?: readonly {
    readonly name: string;
    readonly hashes: readonly { readonly content: string }[];
  }[];
}

Deno.test("the executables of a release have the names of the pages", () => {
  const names = TARGETS.flatMap((target) => [
    executableName(target, "deno"),
    executableName(target, "bun"),
  ]);
  const said = ["README.md", "docs/linux.md", "docs/windows.md"].flatMap((page) =>
    [...read(page).matchAll(/authenticator-[\w-]+-(?:deno|bun)(?:\.exe)?/g)].map(([name]) => name)
  );
  assertEquals(said.filter((name) => !names.includes(name)), []);
  assert(said.length > 0);
});

Deno.test("parseSelection() accepts targets and a runtime, and lists the valid ones", () => {
  assertEquals(parseSelection([]), { targets: TARGETS, runtimes: ["deno", "bun"] });
  const { targets, runtimes } = parseSelection(["--with", "bun", "--target", "windows-x64"]);
  assertEquals([targets.map(({ name }) => name), runtimes], [["windows-x64"], ["bun"]]);
  const named = ["windows-x64", "linux-x64", "linux-x64"].flatMap((name) => ["--target", name]);
  const two = parseSelection(named).targets;
  assertEquals(two.map(({ name }) => name), ["linux-x64", "windows-x64"]);
  assertThrows(() => parseSelection(["--target", "linux-x64", "--target", "x"]), TypeError);
  assertThrows(() => parseSelection(["--target", "amiga"]), TypeError, "linux-x64, linux-arm64");
  assertThrows(() => parseSelection(["--with", "node"]), TypeError, "deno, bun");
});

Deno.test("a release of a version that the changelog lacks ends with a sentence", () =>
  withSources("no-notes-", async (folder) => {
    const path = `${folder}/CHANGELOG.md`;
    await Deno.writeTextFile(path, read("CHANGELOG.md").replace("[0.1.0]", "[0.1.9]"));
    const deno = `${folder}/deno.json`;
    await Deno.writeTextFile(deno, read("deno.json").replace(project.version, "0.1.0"));
    const { code, stderr } = await release(folder, {});
    const said = 'release: error: CHANGELOG.md has no section "## [0.1.0] - YYYY-MM-DD"' +
      " with notes in it\n";
    assertEquals([code, stderr.slice(-said.length), stderr.includes("    at ")], [2, said, false]);
  }));

Deno.test("a release without dpkg-deb names the packages that it left out", () =>
  withSources("no-dpkg-", async (folder) => {
    await Deno.mkdir(`${folder}/bin`);
    await Deno.writeTextFile(`${folder}/bin/dpkg-deb`, "#!/bin/sh\nexit 127\n", { mode: 0o755 });
    const PATH = `${folder}/bin:${Deno.env.get("PATH")}`;
    const { code, stdout, stderr } = await release(folder, { PATH }, "--with", "bun");
    assertEquals(code, 0, stderr);
    const end = `Not made, since dpkg-deb is not installed:\n${PACKAGE}\n`;
    assert(stdout.endsWith(end) && stdout.split(PACKAGE).length === 2, stdout);
  }));

// Bundles, and breaks off at all else.
const BREAKS_OFF = `#!/usr/bin/env bash
[[ $* != --version ]] || { echo "deno $DENO (stable)"; exit; }
[[ $1 != compile ]] || exit 1
exec "$REAL" "$@"
`;

Deno.test("a release that fails leaves the one that was there", () =>
  withSources("failing-", async (folder) => {
    await Deno.mkdir(`${folder}/dist/release`, { recursive: true });
    await Deno.writeTextFile(`${folder}/dist/release/old`, "old");
    await Deno.writeTextFile(`${folder}/dist/authenticator`, "old");
    await Deno.mkdir(`${folder}/bin`);
    await Deno.writeTextFile(`${folder}/bin/deno`, BREAKS_OFF, { mode: 0o755 });
    const { code, stderr } = await release(folder, {
      PATH: `${folder}/bin:${Deno.env.get("PATH")}`,
      DENO: Deno.version.deno,
      REAL: Deno.execPath(),
    });
    assertEquals(code, 1, stderr);
    assert(stderr.includes("deno compile failed"), stderr);
    assertEquals([...Deno.readDirSync(`${folder}/dist/release`)].map(({ name }) => name), ["old"]);
    assertEquals(
      [...Deno.readDirSync(`${folder}/dist`)].map(({ name }) => name).sort(),
      ["authenticator", "release"],
    );
  }));

// Says which of its kind it is, and does nothing.
const OTHER_DENO = `#!/usr/bin/env bash
[[ $* != --version ]] || { echo "deno 2.0.0 (stable)"; exit; }
echo "the other Deno ran" >&2
`;
const NPX = `#!/usr/bin/env bash
echo "npx $1 $2 $3" >&2
exit 1
`;

Deno.test("compile.sh refuses a compiler of another version", () =>
  withSources("version-", async (folder) => {
    await Deno.mkdir(`${folder}/bin`);
    await Deno.writeTextFile(`${folder}/bin/deno`, OTHER_DENO, { mode: 0o755 });
    await Deno.writeTextFile(`${folder}/bin/npx`, NPX, { mode: 0o755 });
    const { code, stderr } = await runToEnd([`${folder}/compile.sh`, "--bundle"], {
      env: { PATH: `${folder}/bin:${Deno.env.get("PATH")}`, COMMIT: "abcdef0" },
    });
    assertEquals([code, stderr], [1, `npx --yes deno@${Deno.version.deno} cache\n`]);
  }));

Deno.test("compile.sh refuses a target that only matches one as a pattern", () =>
  withSources("target-", async (folder) => {
    for (const target of ["linux-x6.", ".*", "linux-x64|none"]) {
      const { code, stderr } = await runToEnd([`${folder}/compile.sh`, "--target", target]);
      assertEquals(code, 2, stderr);
      assert(stderr.includes("--target must be one of: linux-x64, "), stderr);
    }
  }));

const CHANGELOG = `# Changelog

## [Unreleased]

- Not yet.

## [1.1.0] - 2026-02-01

### Added

- A thing.

## [1.0.0] - unreleased

- The first.

## [0.9.0] - 2026-01-01

[1.1.0]: https://example.com/
`;

Deno.test("notesOf() cuts the section of a version that has a date and notes", () => {
  assertEquals(notesOf(CHANGELOG, "1.1.0"), "### Added\n\n- A thing.\n");
  for (const version of ["1.0.0", "0.9.0", "2.0.0", "1.1"]) {
    assertThrows(() => notesOf(CHANGELOG, version), TypeError, version);
  }
  assert(notesOf(read("CHANGELOG.md"), project.version) !== "");
});

Deno.test("between releases, the notes are those of what is not released, and the day that of the last release", () => {
  assertEquals(notesOf(CHANGELOG, "1.2.0-dev.1"), "- Not yet.\n");
  assertEquals(
    ["1.2.0-dev.1", "1.1.0", "0.9.0"].map((version) => dateOf(CHANGELOG, version)),
    ["2026-02-01", "2026-02-01", "2026-01-01"],
  );
  assertThrows(() => notesOf("# Changelog\n", "1.2.0-dev.1"), TypeError, "[Unreleased]");
  const versions = ["1.2.0", "1.2.0-dev.10", "1.2.0-dev", "1.2.0-rc.1"];
  assertEquals(versions.map(isDevelopment), [false, true, false, false]);
});

Deno.test("a version between releases comes behind the last one and before the next, for dpkg and by semver", async () => {
  const [next, step] = project.version.split("-");
  const [, last] = /^## \[(\d\S*)\] - /m.exec(read("CHANGELOG.md"))!;
  const order = step === undefined
    ? ["0.1.0", "0.2.0-dev.9", "0.2.0-dev.10", "0.2.0"]
    : [last!, project.version, `${next}-dev.${Number(step.split(".")[1]) + 10}`, next!];
  for (const [i, version] of order.slice(1).entries()) {
    const [before, after] = [order[i]!, version].map(debianVersion);
    const compare = ["dpkg", "--compare-versions", before!, "lt", after!];
    assertEquals((await runToEnd(compare)).code, 0, compare.join(" "));
  }
  const list = JSON.stringify(order.toReversed());
  // What npm itself orders versions with.
  const script =
    `const npm = require("child_process").execSync("npm root --global").toString().trim();
    const { compare } = require(npm + "/npm/node_modules/semver");
    console.log(JSON.stringify(${list}.sort(compare)));`;
  const { stdout, stderr } = await runToEnd(["node", "-e", script]);
  assertEquals(stdout.trim(), JSON.stringify(order), stderr);
});

Deno.test("filesOf() describes each file of every machine", () => {
  const executables = TARGETS.map((target) => executableName(target, "bun"));
  const lines = filesOf([...executables, "authenticator_1.0.0_amd64.deb"]).split("\n");
  assert(
    lines.includes(
      "- `authenticator-linux-x64-bun`: executable for linux-x64, with bun inside",
    ),
    `${lines}`,
  );
  assert(
    lines.includes("- `authenticator_1.0.0_amd64.deb`: package for Debian and Ubuntu on amd64"),
  );
  assertThrows(() => filesOf(["notes.txt"]), TypeError, "notes.txt");
});

const LIBRARY_USER = `
import { createAuthenticator, Fault } from "@authenticator/service";
import { servicePage } from "@authenticator/service/page";
const { fetch, validatePin } = createAuthenticator({}, { page: servicePage });
const reply = await fetch(new Request("http://localhost/api.asmx/ValidatePin?pin=1&secretCode=a"));
const page = await fetch(new Request("http://localhost/api.asmx"));
const isWrong = await validatePin({ pin: "1", secretCode: "a" });
const fault = await validatePin({ pin: "1", secretCode: "" }).catch((error) => error);
const isTold = fault instanceof Fault && fault.code === "invalid";
console.log(reply.status, (await reply.text()).includes(">false<"), page.status, isWrong, isTold);
`;

Deno.test("the package of the library runs in Node 22 and in Bun", async () => {
  await withFolder(async (cwd) => {
    const name = await packLibrary(cwd);
    assertEquals(name, `authenticator-service-${project.version}.tgz`);
    const { stdout: manifest } = await runToEnd(["tar", "xzOf", name, "package/package.json"], {
      cwd,
    });
    const { publishConfig } = JSON.parse(manifest);
    assertEquals(publishConfig, isDevelopment(project.version) ? { tag: "dev" } : undefined);
    await Deno.writeTextFile(`${cwd}/package.json`, '{ "type": "module" }');
    await Deno.writeTextFile(`${cwd}/user.js`, LIBRARY_USER);
    const [, bun] = /BUN_VERSION=(\S+)/.exec(read("compile.sh"))!;
    const packages = [`./${name}`, "node@22", `bun@${bun}`];
    const install = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
    const installed = await runToEnd(install, { cwd, deadlineMs: RELEASE_MS });
    assertEquals(installed.code, 0, installed.stderr);
    for (const runtime of ["node", "bun"]) {
      const words = [`${cwd}/node_modules/.bin/${runtime}`, "user.js"];
      const { stdout, stderr } = await runToEnd(words, { cwd });
      assertEquals(stdout, "200 true 200 false true\n", stderr);
    }
  });
});
