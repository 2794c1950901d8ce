/**
 * The tests of a room in one isolate. Deno makes one for each module of tests, which costs it more
 * processor time than the tests of most files take: a quarter of the gate's, for all of them.
 *
 * @module
 */

// Of `Deno.test.sanitizer`, for a file, and of `Deno.test`, for one test.
const OF_FILE = /\b(?:ops|resources): false\b/g;
const OF_TEST = /\bsanitize(?:Ops|Resources): false\b/g;

interface TestFile {
  readonly url: string;
  /** Sanitizers that its tests do without; those that all of them do without count twice. */
  readonly exceptions: number;
}

function testFiles(folder: URL, isDeep: boolean): readonly TestFile[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return isDeep ? testFiles(new URL(`${name}/`, folder), true) : [];
    if (!name.endsWith("_test.ts")) return [];
    const url = new URL(name, folder);
    const text = Deno.readTextFileSync(url);
    const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
    return [{ url: url.href, exceptions: 2 * count(OF_FILE) + count(OF_TEST) }];
  });
}

/**
 * Loads the tests of the folder of `tests/unit/` that a module of this folder has the name of, or, for
 * `unit_test.ts`, those in no folder. Files whose tests leave something behind come last.
 */
export async function loadRoom(url: string): Promise<void> {
  const [, name] = /(\w+)_test\.ts$/.exec(url)!;
  const unit = new URL("../unit/", import.meta.url);
  const files = name === "unit"
    ? testFiles(unit, false)
    : testFiles(new URL(`${name}/`, unit), true);
  const order = (a: TestFile, b: TestFile): number =>
    a.exceptions - b.exceptions || (a.url < b.url ? -1 : 1);
  for (const file of files.toSorted(order)) {
    Deno.test.sanitizer({ ops: true, resources: true });
    await import(file.url);
  }
}
