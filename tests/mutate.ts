/**
 * Measures how many small mistakes the tests notice. Of each line drawn by chance, in a copy of the
 * project, the unit tests that import it run with one mistake, the nearest first. Where they notice
 * nothing, the suite of `tests/integration/` runs that meets the room.
 *
 *     deno task mutation [--sample 100] [--beside 10] [--seed TEXT] [--least 91] [--list] [--unit]
 *       [PATH]...
 *
 * The sample is of `lib/`, with `--beside` more of each of `lib/page/browser/`,
 * `lib/server/runtime/` and the scripts in Lua. The seed is the hash of the last commit that changed a
 * test, so that it is not chosen. `--list` only prints the mistakes, and `--unit` leaves the suites
 * out. Prints each mistake with its outcome and a table, and exits with 1 if fewer than `--least`
 * percent were noticed.
 *
 * @module
 */

import { parseArgs } from "node:util";
import project from "../deno.json" with { type: "json" };
import { runToEnd } from "./support/child.ts";
import { drawByLines, type Mutant, mutantsOf } from "./support/mutants.ts";
import { ROOT } from "./support/pages.ts";

/** Sources that are drawn from once more, since few lines are in them. */
const BESIDE = [/\.lua$/, /^lib\/page\/browser\//, /^lib\/server\/runtime\//];

/** Programs in the page, which are text. */
const PROGRAMS = /^lib\/page\/programs\//;

/** The script of the page. */
const SCRIPT = "lib/page/script.js";

const UNIT_TEST = /^tests\/unit\/.*_test\.ts$/;

/** Tests that import the sources of the page's script by name, which no graph of modules has. */
const BROWSER_TEST = "tests/unit/page/browser_test.ts";

/** Tests that compare the page's script with its sources, and would notice any mistake there. */
const SCRIPT_TEST = "tests/unit/page/script_test.ts";

/** Suites by the sources that they meet; all other sources have the last. */
const SUITES: readonly (readonly [sources: RegExp, folder: string, program?: string])[] = [
  [/^lib\/guard\/redis\//, "redis"],
  [/^lib\/page\//, "browser"],
  [/^lib\/server\/runtime\/bun\.ts$/, "program", "bun"],
  [/^/, "program"],
];

/** Time limits: a mistake that makes the tests hang is noticed. */
const UNIT_MS = 600_000;
const SUITE_MS = 1_800_000;

/** A run of tests in the copy. */
interface TestRun {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
}

async function linesOf(...command: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runToEnd(command, { cwd: ROOT });
  return stdout.split("\n").filter((line) => line !== "");
}

async function copyOf(files: readonly string[]): Promise<string> {
  const folder = `${await Deno.makeTempDir({ prefix: "mutation-" })}/`;
  for (const file of files) {
    await Deno.mkdir(`${folder}${file}`.replace(/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(new URL(file, ROOT), `${folder}${file}`);
  }
  return folder;
}

function unitRun(...paths: readonly string[]): TestRun {
  const words = project.tasks.test.command.split(" ").filter((word) => !word.startsWith("--junit"));
  const options = [...words.slice(1, -1), "--no-check", "--fail-fast", `--ignore=${SCRIPT_TEST}`];
  return { args: [...options, ...paths], env: {}, deadlineMs: UNIT_MS };
}

function suiteRun(file: string): TestRun {
  const [, folder, program] = SUITES.find(([sources]) => sources.test(file))!;
  const words = project.tasks.suite.command.split(" ").slice(1);
  return {
    args: [...words, "--no-check", "--fail-fast", `tests/integration/${folder}/`],
    env: program === undefined ? {} : { TEST_PROGRAM: program },
    deadlineMs: SUITE_MS,
  };
}

/** A module in the output of `deno info --json`. */
interface ModuleInfo {
  readonly specifier: string;
  readonly dependencies?: readonly { readonly code?: { readonly specifier: string } }[];
}

/** Modules that import each module, below the unit tests of a copy. */
async function importersIn(
  folder: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tests = files.filter((file) => UNIT_TEST.test(file) && file !== SCRIPT_TEST);
  const root = "unit_tests.ts";
  await Deno.writeTextFile(folder + root, tests.map((file) => `import "./${file}";\n`).join(""));
  const { stdout } = await runToEnd([Deno.execPath(), "info", "--json", root], { cwd: folder });
  const { modules }: { modules: readonly ModuleInfo[] } = JSON.parse(stdout);
  const importers = new Map<string, Set<string>>();
  const nameOf = (specifier: string): string => specifier.split(folder).at(-1)!;
  for (const { specifier, dependencies = [] } of modules) {
    for (const { code } of dependencies) {
      if (code === undefined) continue;
      const imported = nameOf(code.specifier);
      importers.set(imported, (importers.get(imported) ?? new Set()).add(nameOf(specifier)));
    }
  }
  return importers;
}

/** A copy of the project, in which one source after the other has a mistake. */
class Copy {
  /** Suites that pass without a mistake, by their arguments. */
  readonly #passing = new Set<string>();
  readonly #importers: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(
    readonly folder: string,
    importers: ReadonlyMap<string, ReadonlySet<string>>,
    readonly unitOnly: boolean,
  ) {
    this.#importers = importers;
  }

  /** Unit tests that import a source: those of its folder first, then by the modules between. */
  #testsOf(file: string): readonly string[] {
    const found = new Set(isBundled(file) ? [file, SCRIPT, BROWSER_TEST] : [file]);
    // A set is walked in the order of its entries, those that are added meanwhile too.
    for (const each of found) {
      for (const importer of this.#importers.get(each) ?? []) found.add(importer);
    }
    return [...found].filter((each) => UNIT_TEST.test(each))
      .sort((one, other) => sharedFolders(other, file) - sharedFolders(one, file));
  }

  /** Whether a run of the tests fails, or does not end. */
  async fails({ args, env, deadlineMs }: TestRun): Promise<boolean> {
    const options = { cwd: this.folder, env: { ...Deno.env.toObject(), ...env }, deadlineMs };
    const run = runToEnd([Deno.execPath(), ...args], options);
    return await run.then(({ code }) => code !== 0, () => true);
  }

  /** Throws when tests fail without a mistake. */
  async requirePassing(run: TestRun): Promise<void> {
    const key = JSON.stringify(run);
    if (!this.#passing.has(key) && await this.fails(run)) {
      throw new Error(`these tests fail without a mistake: ${run.args.at(-1)}`);
    }
    this.#passing.add(key);
  }

  /** Returns the tests that notice a mistake; undefined when none do. */
  async noticedBy(mutant: Mutant): Promise<"unit" | "suite" | undefined> {
    const { file } = mutant;
    const tests = this.#testsOf(file);
    if (tests.length > 0 && await this.#with(mutant, unitRun(...tests))) return "unit";
    if (this.unitOnly) return undefined;
    const suite = suiteRun(file);
    await this.requirePassing(suite);
    return await this.#with(mutant, suite) ? "suite" : undefined;
  }

  /** Whether a run fails with a mistake. */
  async #with({ file, at, original, replacement }: Mutant, run: TestRun): Promise<boolean> {
    const text = await Deno.readTextFile(this.folder + file);
    const changed = text.slice(0, at) + replacement + text.slice(at + original.length);
    await Deno.writeTextFile(this.folder + file, changed);
    try {
      // A script that cannot be bundled cannot be released.
      return isBundled(file) && !await this.#bundle() || await this.fails(run);
    } finally {
      await Deno.writeTextFile(this.folder + file, text);
      if (isBundled(file)) await Deno.copyFile(new URL(SCRIPT, ROOT), this.folder + SCRIPT);
    }
  }

  async #bundle(): Promise<boolean> {
    const words = [Deno.execPath(), "run", "--lock=deno.lock", "--frozen", "--no-check", "-A"];
    const { code } = await runToEnd([...words, "release/page_script.ts"], { cwd: this.folder });
    return code === 0;
  }
}

/** Number of folders, from the first, that a unit test shares with a source. */
function sharedFolders(test: string, file: string): number {
  const [ofTest, ofFile] = [test.split("/").slice(2), file.split("/").slice(1)];
  const end = ofTest.findIndex((name, i) => name !== ofFile[i]);
  return end < 0 ? ofTest.length : end;
}

function isBundled(file: string): boolean {
  return /^lib\/page\/(?:browser|shared)\//.test(file);
}

function roomOf({ file }: Mutant): string {
  return file.split("/")[1]!;
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) {
  const { values: { sample, beside, seed, least, list, unit }, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: "string", default: "100" },
      beside: { type: "string", default: "10" },
      seed: { type: "string" },
      least: { type: "string", default: "91" },
      list: { type: "boolean", default: false },
      unit: { type: "boolean", default: false },
    },
  });
  const log = ["git", "log", "-1", "--format=%H", "--", "tests/", ":!tests/mutate.ts"];
  const usedSeed = seed ?? (await linesOf(...log, ":!tests/support/mutants.ts"))[0]!;
  const files = await linesOf("git", "ls-files", "--cached", "--others", "--exclude-standard");
  const wanted = positionals.length === 0 ? ["lib/"] : positionals;
  const sources = files.filter((file) =>
    /^lib\/.*\.(?:ts|lua)$/.test(file) && !PROGRAMS.test(file) &&
    wanted.some((path) => file.startsWith(path))
  );
  const texts = new Map(sources.map((file) => [file, Deno.readTextFileSync(new URL(file, ROOT))]));
  const all = await mutantsOf(texts);
  const drawn = new Set(drawByLines(all, Number(sample), usedSeed));
  for (const place of positionals.length === 0 ? BESIDE : []) {
    const others = all.filter((mutant) => place.test(mutant.file) && !drawn.has(mutant));
    for (const mutant of drawByLines(others, Number(beside), usedSeed)) drawn.add(mutant);
  }
  print(`Seed ${usedSeed}: ${drawn.size} of ${all.length} mistakes`);
  const noticed = new Map<string, number[]>();
  const folder = list ? "" : await copyOf(files);
  const copy = new Copy(folder, list ? new Map() : await importersIn(folder, files), unit);
  try {
    if (!list) await copy.requirePassing(unitRun("tests/unit/"));
    for (const mutant of drawn) {
      const { file, line, original, replacement } = mutant;
      const by = list ? "drawn" : await copy.noticedBy(mutant);
      print(`${by === undefined ? "SURVIVED" : by} ${file}:${line}`);
      if (list || by === undefined) print(`- ${original}\n+ ${replacement}`);
      noticed.set(roomOf(mutant), [...noticed.get(roomOf(mutant)) ?? [], Number(by !== undefined)]);
    }
  } finally {
    if (!list) await Deno.remove(copy.folder, { recursive: true });
  }
  if (!list) {
    const sum = (results: readonly number[]): number => results.reduce((a, b) => a + b, 0);
    print("\n| Folder | Mistakes | Noticed |\n| --- | --: | --: |");
    for (const [room, results] of [...noticed].sort()) {
      print(`| ${room} | ${results.length} | ${sum(results)} |`);
    }
    const share = 100 * sum([...noticed.values()].flat()) / drawn.size;
    print(`\n${share.toFixed(1)} % of ${drawn.size} were noticed`);
    Deno.exitCode = share < Number(least) ? 1 : 0;
  }
}
