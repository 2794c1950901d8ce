/**
 * Which tests run: the names that the test files give to `Deno.test`, without running them.
 *
 * @module
 */

/** Tests by what the ledger calls them: `FILE: NAME`, and whether they run. */
export type TestNames = ReadonlyMap<string, { readonly runs: boolean }>;

const TESTS = new URL("../", import.meta.url);

// The file that asks.
const LEFT_OUT = ["conformance/ledger_test.ts"];

/**
 * Loads every test file and writes down which tests it has; so none may need a tool, or leave
 * something behind, just to be loaded. An exchange is called by its file and heading too, and runs
 * when it does over TCP.
 */
export async function testNames(): Promise<TestNames> {
  const names = new Map<string, { runs: boolean }>();
  const original = Deno.test;
  try {
    for (const file of testFiles("")) {
      Object.assign(Deno, { test: recorder((name, runs) => note(names, file, name, runs)) });
      await import(new URL(file, TESTS).href);
    }
  } finally {
    Object.assign(Deno, { test: original });
  }
  return names;
}

function testFiles(folder: string): string[] {
  return [...Deno.readDirSync(new URL(`./${folder}`, TESTS))]
    .map((entry) => `${folder}${entry.name}${entry.isDirectory ? "/" : ""}`)
    .filter((path) => !LEFT_OUT.includes(path))
    .sort()
    .flatMap((path) =>
      path.endsWith("/") ? testFiles(path) : path.endsWith("_test.ts") ? [path] : []
    );
}

function note(
  names: Map<string, { runs: boolean }>,
  file: string,
  name: string,
  runs: boolean,
): void {
  names.set(`${file}: ${name}`, { runs });
  const heading = /^(exchanges\/.*) \([a-z, ]+\)$/.exec(name)?.[1];
  if (file === "runtime/exchanges_test.ts" && heading !== undefined) names.set(heading, { runs });
}

type Record = (name: string, runs: boolean) => void;

// Stands in for Deno.test: the name is the first text among its arguments, or the name of an object
// or a function there.
function recorder(record: Record): unknown {
  const register = (runs: boolean) => (...args: readonly unknown[]): void => {
    const options = args.filter((arg) =>
      typeof arg === "object" && arg !== null
    ) as readonly Deno.TestDefinition[];
    const name = args.find((arg) => typeof arg === "string") ??
      options.find((option) => option.name !== undefined)?.name ??
      (args.find((arg) => typeof arg === "function") as { name: string } | undefined)?.name;
    const ignored = options.some((option) => option.ignore === true);
    record(String(name), runs && !ignored);
  };
  const nothing = (): void => {};
  return Object.assign(register(true), {
    only: register(true),
    ignore: register(false),
    skip: register(false),
    beforeAll: nothing,
    afterAll: nothing,
    beforeEach: nothing,
    afterEach: nothing,
  });
}
