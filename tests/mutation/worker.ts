/**
 * Runs tests in this process with one mutant after another switched on, as `mutate.ts` asks on
 * standard input, a JSON array a line. It stands in for `deno test`, which would load everything
 * anew for each mutant.
 *
 *     ["dry", file...]                    runs every test: its time, and what it covers
 *     ["run", mutant, hits, tests]        runs tests until one fails, each for so long at most
 *
 * Its argument is the mutant that is on from the start, if one is.
 *
 * @module
 */

import process from "node:process";
import { createInterface } from "node:readline";
import { COVERED, STATE, SWITCH, takeHits } from "./switch.ts";
import { ANSWER } from "./worker_process.ts";

/** A test, and what a run without a mutant told of it. */
export interface DryTest {
  /** Its file and name. */
  readonly id: string;
  /** Its file. */
  readonly file: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** How long a processor worked for it, in milliseconds. */
  readonly processorMs: number;
  /** How often it passed each mutant. */
  readonly hits: Readonly<Record<string, number>>;
  /** Why it failed; undefined when it passed. */
  readonly failure: string | undefined;
}

/** What a run without a mutant told. */
export interface DryRun {
  /** The tests. */
  readonly tests: readonly DryTest[];
  /** The mutants that were passed while files were loaded. */
  readonly loaded: readonly string[];
}

/** What became of a mutant. */
export interface Outcome {
  /** Whether a test failed, or did not end. */
  readonly result: "survived" | "killed" | "timed out";
  /** The test that did. */
  readonly by?: string;
  /** Whether the mutant left something behind that makes tests fail without it. */
  readonly spoilt?: boolean;
}

interface Test {
  readonly id: string;
  readonly file: string;
  readonly run: () => Promise<void>;
}

interface Hooks {
  readonly before: (() => unknown)[];
  readonly after: (() => unknown)[];
}

const tests = new Map<string, Test>();
const hooks = new Map<string, Hooks>();

class Late extends Error {}

// What nobody catches fails the test that runs; after its end it is nobody's.
let failCurrent = (_reason: unknown): void => {};
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  failCurrent(event.reason);
});
addEventListener("error", (event) => {
  event.preventDefault();
  failCurrent(event.error);
});

// Time is counted in ticks: one that is late, since others use the machine, is one all the same.
const TICK_MS = 100;
const original = { setInterval, clearInterval };

async function within(ms: number, run: () => unknown): Promise<void> {
  let timer: ReturnType<typeof setInterval> | undefined;
  let leftMs = ms;
  const late = new Promise<never>((_, reject) => {
    failCurrent = reject;
    const onTick = (): void => void ((leftMs -= TICK_MS) < 0 && reject(new Late()));
    timer = original.setInterval(onTick, TICK_MS);
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    original.clearInterval(timer);
  }
}

async function load(file: string): Promise<void> {
  if (hooks.has(file)) return;
  hooks.set(file, { before: [], after: [] });
  const original = Deno.test;
  Object.assign(Deno, { test: recorder(file) });
  await import(new URL(`../../${file}`, import.meta.url).href);
  Object.assign(Deno, { test: original });
}

// Stands in for Deno.test: it takes down what is to be run.
function recorder(file: string): unknown {
  const register = (...args: readonly unknown[]): void => {
    const definition = args.find((arg) => typeof arg === "object") as Partial<Deno.TestDefinition>;
    const name = args.find((arg) => typeof arg === "string") ?? definition.name;
    const fn = (args.find((arg) => typeof arg === "function") ?? definition.fn) as () => unknown;
    // The exchanges over TCP are those in process once more, with a program for each file.
    if (definition?.ignore === true || /^exchanges.*\(TCP\)$/.test(String(name))) return;
    const id = `${file}: ${name}`;
    tests.set(id, { id, file, run: async () => void await fn() });
  };
  const hook = (kind: keyof Hooks) => (fn: () => unknown): void => {
    if (file !== "tests/exchanges_test.ts") hooks.get(file)![kind].push(fn);
  };
  const nothing = (): void => {};
  return Object.assign(register, {
    only: register,
    ignore: nothing,
    skip: nothing,
    beforeAll: hook("before"),
    afterAll: hook("after"),
  });
}

async function runAll(functions: readonly (() => unknown)[]): Promise<void> {
  for (const run of functions) await run();
}

async function dryRun(files: readonly string[]): Promise<DryRun> {
  for (const file of files) await load(file);
  const loaded = Object.keys(takeHits());
  const all: DryTest[] = [];
  for (const [file, { before, after }] of hooks) {
    await within(60_000, () => runAll(before));
    const shared = takeHits();
    const own: DryTest[] = [];
    for (const test of tests.values()) if (test.file === file) own.push(await dryTest(test));
    await within(60_000, () => runAll(after));
    Object.assign(shared, takeHits(), coveredByPrograms());
    all.push(...own.map((test) => ({ ...test, hits: { ...shared, ...test.hits } })));
  }
  return { tests: all, loaded };
}

async function dryTest({ id, file, run }: Test): Promise<DryTest> {
  const start = performance.now();
  const used = process.cpuUsage();
  const failure = await within(120_000, run).then(() => undefined, String);
  const { user, system } = process.cpuUsage(used);
  const [ms, processorMs] = [performance.now() - start, (user + system) / 1000];
  return { id, file, ms, processorMs, hits: { ...coveredByPrograms(), ...takeHits() }, failure };
}

function coveredByPrograms(): Record<string, number> {
  const all: Record<string, number> = {};
  for (const { name } of [...Deno.readDirSync(COVERED)]) {
    const path = new URL(name, COVERED);
    Object.assign(all, JSON.parse(Deno.readTextFileSync(path)));
    Deno.removeSync(path);
  }
  return all;
}

/** Switches a mutant on, here and in the programs that are started from now on. */
function activate(mutant: string | undefined, hitLimit = 0): void {
  STATE.activeMutant = mutant;
  STATE.hitCount = mutant === undefined ? undefined : 0;
  STATE.hitLimit = hitLimit;
  Deno.writeTextFileSync(SWITCH, mutant ?? "");
}

function fileOf(id: string): string {
  return id.split(": ")[0]!;
}

/** The name of a test, and how long it may take, in milliseconds. */
type Limit = readonly [id: string, ms: number];

async function runMutant(
  mutant: string,
  hitLimit: number,
  limits: readonly Limit[],
): Promise<Outcome> {
  activate(mutant, hitLimit);
  for (const file of new Set(limits.map(([id]) => fileOf(id)))) {
    try {
      await load(file);
    } catch {
      // A test file that asks something at once fails as a whole, and is not loaded again.
      activate(undefined);
      return { result: "killed", by: file, spoilt: true };
    }
    const outcome = await runFile(file, limits.filter(([id]) => fileOf(id) === file));
    if (outcome.result !== "survived") return outcome;
  }
  activate(undefined);
  return { result: "survived" };
}

async function runFile(file: string, limits: readonly Limit[]): Promise<Outcome> {
  const { before, after } = hooks.get(file)!;
  const longestMs = Math.max(...limits.map(([, ms]) => ms));
  let current: Limit | undefined;
  let failure: unknown;
  const run = ([id, ms]: Limit): Promise<void> => within(ms, tests.get(id)!.run);
  try {
    await within(longestMs, () => runAll(before));
    for (current of limits) await run(current);
    current = undefined;
  } catch (error) {
    failure = error ?? "nothing";
  }
  await within(longestMs, () => runAll(after)).catch((error) => failure ??= error);
  if (failure === undefined) return { result: "survived" };
  const by = current?.[0] ?? file;
  activate(undefined);
  if (failure instanceof Late) return { result: "timed out", by, spoilt: true };
  const passes = current === undefined || before.length > 0 ||
    await run(current).then(() => true, () => false);
  return { result: "killed", by, spoilt: !passes };
}

// A file that cannot be loaded ends this process: somebody waits for an answer.
async function answer(question: readonly unknown[]): Promise<unknown> {
  const [kind, ...rest] = question;
  try {
    if (kind === "dry") return await dryRun(rest as string[]);
    return await runMutant(...rest as [string, number, Limit[]]);
  } catch {
    Deno.exit(1);
  }
}

if (import.meta.main) {
  const [mutant] = Deno.args;
  activate(mutant, Infinity);
  for await (const line of createInterface({ input: process.stdin })) {
    const bytes = new TextEncoder().encode(
      `\n${ANSWER}${JSON.stringify(await answer(JSON.parse(line)))}\n`,
    );
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  }
  Deno.exit();
}
