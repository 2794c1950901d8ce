/**
 * Measures how many small mistakes the tests notice: Stryker's instrumenter puts mistakes, mutants,
 * into a copy of the project, and a worker runs the tests that pass them with one switched on.
 *
 *     deno task mutation [--sample N] [--seed S] [--seconds T] [--report | --survivors]
 *       [FILE | FOLDER]...
 *
 * Folders are tried in the order in which they are named. With `--sample`, so many of each are
 * tried, drawn by the seed. The tests for one mutant may take so many seconds, 3 unless given; the
 * quickest are run first. Where files or folders of tests are named, those alone are run, and those
 * too that `deno task test` leaves out: `lib/guard tests/guard tests/redis`. `--report` tries
 * nothing, `--survivors` only what survived. What became of a mutant is kept in
 * dist/mutation/ under the text of its file, so that a run goes on where the last one was stopped.
 * One that survived, or did not end, is tried again once a test changed.
 * The folder then also holds survivors.txt: what no test noticed.
 *
 * @module
 */

import { parseArgs } from "node:util";
import project from "../../deno.json" with { type: "json" };
import { git, hashOfFiles, type Mutant, mutatedTree, projectFiles } from "./mutants.ts";
import { folderOf, type Result, survivorsOf, tableOf } from "./report.ts";
import { dryRun, Trial, type TrialLimits } from "./run.ts";

const KEPT = new URL("../../dist/mutation/", import.meta.url);
const RESULTS = new URL("results.json", KEPT);

// Tests in a browser show what stands on the page, real clients what its parts say, and tests on Bun
// what is for Bun alone.
const LEFT_OUT = /^lib\/(page\/|server\/runtime\/bun\.ts$)/;

// What `deno task test` leaves out too.
const IGNORED = /--ignore=(\S+)/.exec(project.tasks.test.command)?.[1]?.split(",") ?? [];

// Tests that read the sources, that start other tests, or that take minutes.
const UNFIT = new RegExp(
  "^tests/(cost/|runtime/(abuse|cost|exchanges|failing_server|fuzz|nonsense|docs)_)|" +
    "(layout|testing|extending|xml.fuzz|w3c_suite)_test[.]ts$",
);

// Tests that start the program take long, and of the rooms further right they show nothing that
// other tests do not show.
const PROGRAM_TESTS = /^tests\/(cli\/|conformance\/http)/;
const PROGRAM_SOURCES = /^lib\/(cli|server)\//;

type Results = Record<string, Result>;

function say(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}

// Park and Miller's minimal standard generator.
function sample<Item>(items: readonly Item[], size: number, seed: number): Item[] {
  const left = [...items];
  const chosen: Item[] = [];
  for (let state = seed; chosen.length < size && left.length > 0;) {
    state = state * 48_271 % 2_147_483_647;
    chosen.push(...left.splice(state % left.length, 1));
  }
  return chosen;
}

function readResults(): Results {
  try {
    return JSON.parse(Deno.readTextFileSync(RESULTS));
  } catch {
    return {};
  }
}

function keep(results: Results): void {
  Deno.mkdirSync(KEPT, { recursive: true });
  Deno.writeTextFileSync(RESULTS, JSON.stringify(results));
}

/** Tries mutants, and writes down what became of each. */
async function tryAll(
  folder: string,
  { open, all, limits }: {
    readonly open: readonly Mutant[];
    readonly all: readonly Mutant[];
    readonly limits: TrialLimits;
  },
  testFiles: readonly string[],
  note: (mutant: Mutant, result: Omit<Result, "tests">) => void,
): Promise<void> {
  const dry = await dryRun(folder, testFiles);
  for (const { id, failure } of dry.tests) {
    if (failure !== undefined) say(`left out, since it fails without a mutant: ${id}`);
  }
  say(`${dry.tests.length} tests`);
  const trial = new Trial(folder, all, dry, limits);
  for (const [index, mutant] of open.entries()) {
    const { result, by = "" } = await trial.outcomeOf(mutant);
    note(mutant, { result, by });
    say(`${index + 1}/${open.length} ${mutant.file}:${mutant.line} ${result} ${by}`);
  }
  trial.close();
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "Infinity" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "3" },
    report: { type: "boolean" },
    survivors: { type: "boolean" },
  },
});

async function main(): Promise<void> {
  const wanted = positionals.filter((path) => path.startsWith("lib/"));
  const files = await projectFiles();
  const rank = (file: string): number => wanted.findIndex((path) => file.startsWith(path));
  const sources = files
    .filter((file) => /^lib\/.*\.ts$/.test(file) && !LEFT_OUT.test(file))
    .filter((file) => wanted.length === 0 || rank(file) >= 0)
    .sort((a, b) => rank(a) - rank(b));
  const ofProgram = sources.some((file) => PROGRAM_SOURCES.test(file));
  const named = positionals.filter((path) => path.startsWith("tests/"));
  const isUsual = (file: string): boolean =>
    !IGNORED.some((folder) => file.startsWith(`${folder}/`)) &&
    (ofProgram || !PROGRAM_TESTS.test(file));
  const testFiles = files.filter((file) =>
    /^tests\/.*_test\.ts$/.test(file) && !UNFIT.test(file) &&
    (named.length === 0 ? isUsual(file) : named.some((path) => file.startsWith(path)))
  );
  const testsMs = 1000 * Number(values.seconds);
  const tests = [testsMs, ...named].join(" ") +
    hashOfFiles(files.filter((file) => /^tests\/(?!mutation\/)/.test(file)));
  const { folder, mutants } = await mutatedTree(files, sources);
  const seed = Number(values.seed);
  const chosen = [...Map.groupBy(mutants, ({ file }) => folderOf(file)).values()]
    .flatMap((own) => sample(own, Number(values.sample), seed));
  const results = readResults();
  const isOpen = (mutant: Mutant): boolean => {
    const known = results[mutant.key];
    if (values.survivors) return known?.result === "survived";
    return known === undefined || known.result !== "killed" && known.tests !== tests;
  };
  const open = values.report ? [] : chosen.filter(isOpen);
  say(`${mutants.length} mutants, ${chosen.length} chosen, ${open.length} to be tried`);
  if (open.length > 0) {
    const limits = { testsMs, areChosen: named.length > 0 };
    await tryAll(folder, { open, all: mutants, limits }, testFiles, ({ key }, result) => {
      results[key] = { ...result, tests };
      keep(results);
    });
  }
  await Deno.remove(folder, { recursive: true });
  const tried = chosen.flatMap((mutant) => {
    const outcome = results[mutant.key];
    return outcome === undefined ? [] : [{ ...mutant, outcome }];
  });
  Deno.mkdirSync(KEPT, { recursive: true });
  Deno.writeTextFileSync(new URL("survivors.txt", KEPT), survivorsOf(tried));
  const [commit] = await git("rev-parse", "--short", "HEAD");
  say(`\n${new Date().toISOString().slice(0, 10)}, commit ${commit}, seed ${seed}\n`);
  say(tableOf(tried, mutants));
}

await main();
