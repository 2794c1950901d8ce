/**
 * Measures how many small mistakes the tests notice: Stryker's instrumenter lists mutants of `lib/`,
 * and for each of a sample, `deno task test` runs in a copy of the project that has this one mistake.
 *
 *     deno task mutation [--sample 100] [--seed 1] [--least 80] [FILE | FOLDER]...
 *
 * The tests of the mutant's room run first. Prints what survived and a table, and exits with 1 if
 * fewer than `--least` percent were noticed.
 *
 * @module
 */

import { Instrumenter, type InstrumenterOptions } from "@stryker-mutator/instrumenter";
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import project from "../deno.json" with { type: "json" };
import { runToEnd } from "./support/child.ts";
import { ROOT } from "./support/pages.ts";

// Browsers test the page, and Bun its own file.
const LEFT_OUT = /^lib\/(?:page\/|server\/runtime\/bun\.ts$)/;

/** Time limit of the tests: a mutant that makes them hang is noticed. */
const TESTS_MS = 300_000;

/** One small mistake. */
interface Mutant {
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Offset of the original text in its file. */
  readonly at: number;
  readonly original: string;
  readonly replacement: string;
}

const OPTIONS: InstrumenterOptions = {
  plugins: null,
  excludedMutations: [],
  ignorers: [],
  noHeader: false,
};
const LOGGER = {
  isDebugEnabled: () => false,
  debug: () => {},
  info: () => {},
  warn: () => {},
} as unknown as ConstructorParameters<typeof Instrumenter>[0];

async function mutantsOf(files: readonly string[]): Promise<readonly Mutant[]> {
  const texts = new Map(files.map((file) => [file, Deno.readTextFileSync(new URL(file, ROOT))]));
  const sources = [...texts].map(([name, content]) => ({ name, content, mutate: true }));
  const { mutants } = await new Instrumenter(LOGGER).instrument(sources, OPTIONS);
  return mutants.map(({ fileName: file, replacement, location: { start, end } }) => {
    const text = texts.get(file)!;
    const at = offsetOf(text, start);
    const original = text.slice(at, offsetOf(text, end));
    return { file, line: start.line + 1, at, original, replacement };
  });
}

function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  let start = 0;
  for (let i = 0; i < line; i++) start = text.indexOf("\n", start) + 1;
  return start + column;
}

/** Draws a sample that changes little when the sources do. */
function draw(mutants: readonly Mutant[], size: number, seed: string): readonly Mutant[] {
  const rank = ({ file, at, original, replacement }: Mutant): string =>
    createHash("sha256").update([seed, file, at, original, replacement].join("\0")).digest("hex");
  const ranked = mutants.map((mutant) => ({ mutant, rank: rank(mutant) }));
  ranked.sort((one, other) => one.rank < other.rank ? -1 : 1);
  return ranked.slice(0, size).map(({ mutant }) => mutant);
}

async function projectFiles(): Promise<readonly string[]> {
  const list = ["git", "ls-files", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await runToEnd(list, { cwd: ROOT });
  return stdout.split("\n").filter((file) => file !== "");
}

async function copyOf(files: readonly string[]): Promise<string> {
  const folder = `${await Deno.makeTempDir({ prefix: "mutation-" })}/`;
  for (const file of files) {
    await Deno.mkdir(`${folder}${file}`.replace(/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(new URL(file, ROOT), `${folder}${file}`);
  }
  return folder;
}

/** Arguments of `deno test` for all tests, and for those of one room before them. */
function testRuns(room: string): readonly (readonly string[])[] {
  const words = project.tasks.test.command.split(" ").filter((word) => !word.startsWith("--junit"));
  const options = [...words.slice(1, -1), "--no-check", "--fail-fast"];
  const own = room === "mod.ts" ? "tests/unit/mod_test.ts" : `tests/unit/${room}/`;
  return [[...options, own], [...options, "tests/unit/"]];
}

/** Whether a run of the tests fails, or does not end. */
async function fails(folder: string, args: readonly string[]): Promise<boolean> {
  const run = runToEnd([Deno.execPath(), ...args], { cwd: folder, deadlineMs: TESTS_MS });
  return await run.then(({ code }) => code !== 0, () => true);
}

async function isNoticed(folder: string, mutant: Mutant): Promise<boolean> {
  const { file, at, original, replacement } = mutant;
  const text = await Deno.readTextFile(`${folder}${file}`);
  const changed = text.slice(0, at) + replacement + text.slice(at + original.length);
  await Deno.writeTextFile(`${folder}${file}`, changed);
  try {
    for (const args of testRuns(roomOf(mutant))) {
      if (await fails(folder, args)) return true;
    }
    return false;
  } finally {
    await Deno.writeTextFile(`${folder}${file}`, text);
  }
}

function roomOf({ file }: Mutant): string {
  return file.split("/")[1]!;
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) {
  const { values: { sample, seed, least }, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
      least: { type: "string", default: "80" },
    },
  });
  const files = await projectFiles();
  const wanted = positionals.length === 0 ? ["lib/"] : positionals;
  const sources = files.filter((file) =>
    /^lib\/.*\.ts$/.test(file) && !LEFT_OUT.test(file) &&
    wanted.some((path) => file.startsWith(path))
  );
  const mutants = draw(await mutantsOf(sources), Number(sample), seed);
  const folder = await copyOf(files);
  const noticed = new Map<string, number[]>();
  try {
    if (await fails(folder, testRuns("")[1]!)) throw new Error("the tests fail without a mutant");
    for (const mutant of mutants) {
      const is = await isNoticed(folder, mutant);
      const { file, line, original, replacement } = mutant;
      print(`${is ? "noticed" : "SURVIVED"} ${file}:${line}`);
      if (!is) print(`- ${original}\n+ ${replacement}`);
      noticed.set(roomOf(mutant), [...noticed.get(roomOf(mutant)) ?? [], Number(is)]);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const sum = (results: readonly number[]): number => results.reduce((a, b) => a + b, 0);
  print("\n| Folder | Mutants | Noticed |\n| --- | --: | --: |");
  for (const [room, results] of [...noticed].sort()) {
    print(`| ${room} | ${results.length} | ${sum(results)} |`);
  }
  const share = 100 * sum([...noticed.values()].flat()) / mutants.length;
  print(`\n${share.toFixed(1)} % of ${mutants.length} were noticed`);
  Deno.exitCode = share < Number(least) ? 1 : 0;
}
