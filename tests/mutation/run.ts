/**
 * Tries mutants, one after another: which tests are to notice one, and whether they do.
 *
 * @module
 */

import type { Mutant } from "./mutants.ts";
import type { DryRun, DryTest, Outcome } from "./worker.ts";
import { startWorker, type Worker } from "./worker_process.ts";

/** How long the tests may take without a mutant. */
const DRY_RUN_MS = 1_800_000;

/** How much longer than five times its own time a test may take before it counts as endless. */
const PATIENCE_MS = 5_000;

/** Mutants that are passed so many times as often as without are taken for endless loops. */
const HITS_FACTOR = 100;

/**
 * Runs all tests without a mutant.
 *
 * @throws {Error} When they do not end, or cannot be loaded.
 */
export async function dryRun(
  folder: string,
  testFiles: readonly string[],
): Promise<DryRun> {
  const covered = `${folder}.covered`;
  await Deno.mkdir(covered);
  const worker = startWorker(folder);
  const answer = await worker.ask(["dry", ...testFiles], DRY_RUN_MS) as DryRun | undefined;
  worker.close();
  await Deno.remove(covered, { recursive: true });
  if (answer === undefined) {
    throw new Error("Without a mutant, the tests do not end either, or cannot be loaded");
  }
  return answer;
}

/** Which tests are run. */
export interface TrialLimits {
  /** How long those for one mutant may take, by what they took without it. */
  readonly testsMs: number;
  /** Whether they were chosen for the files that are mutated. */
  readonly areChosen: boolean;
}

/** What runs the tests. */
export class Trial {
  readonly #folder: string;
  readonly #tests: readonly DryTest[];
  readonly #loaded: ReadonlySet<string>;
  readonly #fileOf: ReadonlyMap<string, string>;
  readonly #limits: TrialLimits;
  #warm: Worker | undefined;

  /** Tries mutants of a tree by the tests of a run without one. */
  constructor(
    folder: string,
    mutants: readonly Mutant[],
    { tests, loaded }: DryRun,
    limits: TrialLimits,
  ) {
    this.#folder = folder;
    this.#limits = limits;
    this.#tests = tests.filter(({ failure }) => failure === undefined);
    this.#loaded = new Set(loaded);
    this.#fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
  }

  /** What becomes of a mutant. */
  async outcomeOf(mutant: Mutant): Promise<Outcome> {
    const tests = this.#testsFor(mutant);
    if (tests.length === 0) return { result: "survived" };
    // Of all tests: what is done once and kept is done by whichever comes first.
    const hits = this.#tests.reduce((sum, test) => sum + (test.hits[mutant.id] ?? 0), 0);
    const processorMs = 5_000 + 5 * tests.reduce((sum, { processorMs }) => sum + processorMs, 0);
    // Of a busy machine nothing is believed at once: what is late in a process that has loaded
    // everything gets three times as long in a new one.
    const question = (patienceMs: number): readonly unknown[] => {
      const limits = tests.map(({ id, ms }) => [id, patienceMs + 5 * ms]);
      return ["run", mutant.id, 1000 + HITS_FACTOR * hits, limits];
    };
    if (hits > 0) {
      this.#warm ??= startWorker(this.#folder);
      const warm = await this.#warm.ask(question(PATIENCE_MS), processorMs) as Outcome | undefined;
      if (warm === undefined || warm.spoilt === true) this.close();
      else if (warm.result === "killed") return warm;
    }
    // It may do something while files are loaded, or something that is done once and kept, or the
    // process was not what it should be: once more in a new one.
    const fresh = startWorker(this.#folder, mutant.id);
    const outcome = await fresh.ask(question(3 * PATIENCE_MS), 2 * processorMs) as
      | Outcome
      | undefined;
    fresh.close();
    return outcome ?? fresh.ended();
  }

  /** Ends what it started. */
  close(): void {
    this.#warm?.close();
    this.#warm = undefined;
  }

  // The tests that pass the mutant, and those of its own folder that pass others of its file: what is
  // done once and kept is passed by the first alone. Of one that does something while files are
  // loaded, which a test that starts a program passes too, all that pass others of its file, and all
  // of its own folder: a test that looks at a table passes no mutant. Where tests were chosen for the
  // run, one of those may look at it from another folder. The quickest of its own folder come first.
  #testsFor(mutant: Mutant): readonly DryTest[] {
    const { id, file } = mutant;
    const mirror = file.replace(/^lib\//, "tests/").replace(/[^/]*$/, "");
    const isOwn = (test: DryTest): boolean => test.file.startsWith(mirror);
    const passing = this.#tests.filter(({ hits }) => hits[id] !== undefined);
    const takesAll = passing.length === 0 || this.#loaded.has(id);
    const takesChosen = this.#limits.areChosen && this.#loaded.has(id);
    const inFile = this.#tests.filter((test) =>
      test.hits[id] !== undefined || takesAll && isOwn(test) || takesChosen ||
      (takesAll || isOwn(test)) &&
        Object.keys(test.hits).some((other) => this.#fileOf.get(other) === file)
    );
    const rank = (test: DryTest): number => test.ms + (isOwn(test) ? 0 : 20);
    let ms = 0;
    return (inFile.length > 0 ? inFile : [...this.#tests])
      .sort((a, b) => rank(a) - rank(b))
      .filter((test) => (ms += test.ms) <= this.#limits.testsMs);
  }
}
