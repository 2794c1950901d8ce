/**
 * Makes a release in `dist/release/`: executables, packages for Debian, the scripts that install on
 * Windows and Linux, `deploy/`, the bundle, the manual page, the library for npm, licences, SBOM, notes
 * and checksums.
 *
 *     deno task release [--with deno|bun] [--target NAME]...
 *
 * The same sources give the same bytes. A release that fails leaves the one that was there.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import project from "../deno.json" with { type: "json" };
import { manPage } from "./man_page.ts";
import { licenses } from "../lib/cli/licenses.ts";
import { VERSION } from "../lib/cli/version.ts";
import { packDeploy } from "./archive.ts";
import { canPack, packageName, packDebian } from "./deb.ts";
import { dateOf, filesOf, notesOf } from "./notes.ts";
import { packLibrary } from "./npm.ts";
import { type LockedFile, sbom } from "./sbom.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const STAGE = `${ROOT}dist/making`;

const RUNTIMES = ["deno", "bun"] as const;
type RuntimeName = typeof RUNTIMES[number];

/** Machine of an executable. */
export interface Target {
  /** Name in a release, and for compile.sh. */
  readonly name: string;
  /** Runtimes that have a base executable for it. */
  readonly runtimes: readonly RuntimeName[];
  /** Debian's name; undefined where there is no package for Debian. */
  readonly debian?: "amd64" | "arm64";
}

/** Machines of a release. */
export const TARGETS: readonly Target[] = [
  { name: "linux-x64", runtimes: RUNTIMES, debian: "amd64" },
  { name: "linux-arm64", runtimes: RUNTIMES, debian: "arm64" },
  { name: "linux-x64-musl", runtimes: ["bun"] },
  { name: "linux-arm64-musl", runtimes: ["bun"] },
  { name: "macos-x64", runtimes: RUNTIMES },
  { name: "macos-arm64", runtimes: RUNTIMES },
  { name: "windows-x64", runtimes: RUNTIMES },
  { name: "windows-arm64", runtimes: RUNTIMES },
];

/** Name of an executable in a release, for instance `authenticator-windows-x64-bun.exe`. */
export function executableName(target: Target, runtime: RuntimeName): string {
  return `authenticator-${target.name}-${runtime}${suffixOf(target)}`;
}

function suffixOf({ name }: Target): string {
  return name.startsWith("windows-") ? ".exe" : "";
}

/** Exit code of compile.sh when Deno's base executable cannot be downloaded. */
const LACKS_BASE = 3;

interface Selection {
  readonly targets: readonly Target[];
  readonly runtimes: readonly RuntimeName[];
}

/**
 * Reads the command line.
 *
 * @throws {TypeError} When an option or its value is unknown.
 */
export function parseSelection(args: readonly string[]): Selection {
  const options = { with: { type: "string" }, target: { type: "string", multiple: true } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const targets = TARGETS.filter(({ name }) => values.target?.includes(name) ?? true);
  const runtimes = RUNTIMES.filter((name) => name === (values.with ?? name));
  if (values.target?.some((given) => targets.every(({ name }) => name !== given))) {
    throw new TypeError(`--target is one of ${TARGETS.map(({ name }) => name).join(", ")}`);
  }
  if (runtimes.length === 0) throw new TypeError(`--with is one of ${RUNTIMES.join(", ")}`);
  return { targets, runtimes };
}

/** Files that are left out, with the reason. */
interface Missing {
  readonly reason: string;
  readonly names: readonly string[];
}

/**
 * Makes the release.
 *
 * @returns Files that could not be made.
 */
async function make({ targets, runtimes }: Selection): Promise<readonly Missing[]> {
  const changelog = read("CHANGELOG.md");
  const notes = notesOf(changelog, project.version);
  const made = `${STAGE}/release`;
  await Deno.mkdir(made, { recursive: true });
  const env = { DIST: STAGE, NO_COLOR: "1", ...await fillCaches() };
  const missing: string[] = [];
  for (const target of targets) {
    for (const runtime of runtimes) {
      if (!target.runtimes.includes(runtime)) continue;
      const name = executableName(target, runtime);
      if (runtime === "deno" && !isDenortKnown(target)) {
        missing.push(name);
        continue;
      }
      const compile = ["./compile.sh", "--with", runtime, "--target", target.name];
      const code = await run(compile, { env, allowed: LACKS_BASE });
      if (code === LACKS_BASE) missing.push(name);
      else {await Deno.rename(
          `${STAGE}/authenticator-${target.name}${suffixOf(target)}`,
          `${made}/${name}`,
        );}
    }
  }
  const date = dateOf(changelog, project.version);
  const packages = await makePackages({ targets, runtimes }, made, date);
  await packDeploy(made, date);
  await run(["./compile.sh", "--bundle"], { env });
  await Deno.rename(`${STAGE}/authenticator.js`, `${made}/authenticator.js`);
  await Deno.copyFile(`${ROOT}LICENSE`, `${made}/LICENSE`);
  const scripts = ["windows/install.ps1", "install.sh", "authenticator-as-service"];
  for (const path of [...scripts, "authenticator.service"]) {
    await Deno.copyFile(`${ROOT}deploy/${path}`, `${made}/${path.split("/").at(-1)}`);
  }
  await Deno.writeTextFile(`${made}/LICENSES.txt`, `${licenses()}\n`);
  await Deno.writeTextFile(`${made}/authenticator.1`, manPage(VERSION));
  const files = new Set(filesIn(made));
  const inside = RUNTIMES.map((name) => {
    const present = targets.filter((target) => files.has(executableName(target, name)));
    const bases = present.flatMap((target) => lockedFile(baseOf(target, name)) ?? []);
    return { name, version: versionOf(name), bases, isInside: present.length > 0 };
  }).filter(({ isInside }) => isInside);
  const esbuild = {
    name: "esbuild",
    version: versionOf("esbuild"),
    files: lockedFiles(/^esbuild-/),
  };
  await Deno.writeTextFile(
    `${made}/sbom.cdx.json`,
    sbom(JSON.parse(read("runtime.lock")), inside, esbuild),
  );
  // Behind the bundle: compile.sh has compared the esbuild that this runs.
  await packLibrary(made, env);
  const names = [...filesIn(made), "RELEASE_NOTES.md", "SHA256SUMS"];
  await Deno.writeTextFile(`${made}/RELEASE_NOTES.md`, `${notes}\n${filesOf(names.sort())}`);
  await Deno.writeTextFile(`${made}/SHA256SUMS`, checksums(made));
  return [
    {
      reason: "Deno's base executable cannot be downloaded, or executables.lock lacks its SHA-256",
      names: missing,
    },
    { reason: "dpkg-deb is not installed", names: packages },
  ].filter(({ names }) => names.length > 0);
}

/**
 * Makes the packages for Debian, which have Bun's executables inside.
 *
 * @returns Names of the packages that could not be made, for want of dpkg-deb.
 */
async function makePackages(
  { targets, runtimes }: Selection,
  folder: string,
  date: string,
): Promise<readonly string[]> {
  if (!runtimes.includes("bun")) return [];
  const { version } = project;
  const isPossible = await canPack();
  const missing: string[] = [];
  for (const target of targets) {
    const architecture = target.debian;
    if (architecture === undefined) continue;
    const executable = `${folder}/${executableName(target, "bun")}`;
    const contents = { architecture, version, date, executable };
    if (isPossible) await packDebian(folder, contents);
    else missing.push(packageName(contents));
  }
  return missing;
}

function read(name: string): string {
  return Deno.readTextFileSync(`${ROOT}${name}`);
}

/**
 * Makes the folders in which Deno and Bun keep what they download, once for all targets, unless the
 * caller names both.
 *
 * @returns The variables that name them.
 */
async function fillCaches(): Promise<Readonly<Record<string, string>>> {
  const named = ["DENO_DIR", "BUN_INSTALL_CACHE_DIR"].map((name) => Deno.env.get(name));
  if (named.every(Boolean)) return {};
  const env = { DENO_DIR: `${STAGE}/caches/deno`, BUN_INSTALL_CACHE_DIR: `${STAGE}/caches/bun` };
  const cache = ["cache", "--lock=runtime.lock", "--frozen", "--quiet", "main.ts"];
  await run([Deno.execPath(), ...cache], { env });
  // Deno puts the time of a download into an executable.
  await run(["find", env.DENO_DIR, "-exec", "touch", "-t", "200001010000", "{}", "+"], {
    env: { TZ: "UTC" },
  });
  return env;
}

/** Name of a base executable in executables.lock. */
function baseOf({ name }: Target, runtime: RuntimeName): string {
  const [system, processor, libc] = name.split("-");
  const cpu = processor === "arm64" ? "aarch64" : runtime === "bun" ? "x64" : "x86_64";
  if (runtime === "bun") {
    const parts = ["bun", system === "macos" ? "darwin" : system, cpu, ...(libc ? [libc] : [])];
    return `${parts.join("-")}-v${versionOf("bun")}`;
  }
  const systems = { linux: "unknown-linux-gnu", macos: "apple-darwin", windows: "pc-windows-msvc" };
  return `denort-${versionOf("deno")}-${cpu}-${systems[system as keyof typeof systems]}.zip`;
}

/** Whether Deno's base executable of a machine can be compared: DENORT_BIN names one to trust. */
function isDenortKnown(target: Target): boolean {
  return Boolean(Deno.env.get("DENORT_BIN")) || lockedFile(baseOf(target, "deno")) !== undefined;
}

/** The line of executables.lock for a name; undefined where it has none. */
function lockedFile(name: string): LockedFile | undefined {
  return lockedFiles(/^/).find((file) => file.name === name);
}

/** The lines of executables.lock whose names match. */
function lockedFiles(pattern: RegExp): readonly LockedFile[] {
  return [...read("executables.lock").matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)]
    .map(([, sha256, name]) => ({ name: name!, sha256: sha256! }))
    .filter(({ name }) => pattern.test(name));
}

/** Version of a program that compile.sh names. */
function versionOf(program: RuntimeName | "esbuild"): string {
  return new RegExp(`${program}_version=(\\S+)`, "i").exec(read("compile.sh"))![1]!;
}

function checksums(folder: string): string {
  return filesIn(folder).map((name) => {
    const digest = createHash("sha256").update(Deno.readFileSync(`${folder}/${name}`)).digest(
      "hex",
    );
    return `${digest}  ${name}\n`;
  }).join("");
}

function filesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

/**
 * Runs a command in the folder of the project; what it prints goes to standard error.
 *
 * @throws {Error} When its exit code is neither 0 nor `allowed`.
 */
async function run(
  [program, ...args]: readonly string[],
  { env, allowed }: {
    readonly env: Readonly<Record<string, string>>;
    readonly allowed?: number;
  },
): Promise<number> {
  const { stdout, stderr, code } = await new Deno.Command(program!, { args, env, cwd: ROOT })
    .output();
  for (const bytes of [stdout, stderr]) Deno.stderr.writeSync(bytes);
  if (code !== 0 && code !== allowed) throw new Error(`${program} ${args.join(" ")} failed`);
  return code;
}

async function removeIfThere(folder: string): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
}

function print(lines: readonly string[]): void {
  Deno.stdout.writeSync(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")));
}

/** Runs a function, and ends the program with one sentence where it throws a TypeError. */
function orEnd<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    Deno.stderr.writeSync(new TextEncoder().encode(`release: error: ${error.message}\n`));
    Deno.exit(2);
  }
}

if (import.meta.main) {
  const selection = orEnd(() => parseSelection(Deno.args));
  orEnd(() => notesOf(read("CHANGELOG.md"), project.version));
  const release = `${ROOT}dist/release`;
  await removeIfThere(STAGE);
  try {
    const missing = await make(selection);
    await removeIfThere(release);
    await Deno.rename(`${STAGE}/release`, release);
    print(filesIn(release));
    for (const { reason, names } of missing) print([`Not made, since ${reason}:`, ...names]);
  } finally {
    await removeIfThere(STAGE);
  }
}
