import { assertEquals } from "@std/assert/equals";

// The rooms of the house from left to right: a file may import from its own room and from every
// room further right. The rooms of the last row know nothing but themselves.
const ROOMS: readonly (readonly string[])[] = [
  ["main.ts"],
  ["cli"],
  ["findings"],
  ["terminal", "command_line"],
  ["app"],
  ["config"],
  ["runtime"],
  ["http"],
  ["body"],
  ["page"],
  ["frame"],
  ["snippets"],
  ["samples"],
  ["description"],
  ["binding"],
  ["telemetry"],
  ["service", "diagnosis"],
  ["otp", "qr", "xml", "guard"],
];

// Rooms that only some rooms may import.
const VISITORS: ReadonlyMap<string, readonly string[]> = new Map([
  ["xml", ["page", "frame", "description", "binding", "service"]],
  ["runtime", ["main.ts", "cli", "findings", "app"]],
]);

const ROOT = new URL("../", import.meta.url);

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function sourceFiles(folder: string): SourceFile[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory) return sourceFiles(`${path}/`);
    return path.endsWith(".ts") ? [{ path, text: Deno.readTextFileSync(new URL(path, ROOT)) }] : [];
  });
}

const SOURCES = [
  ...sourceFiles("lib/"),
  { path: "main.ts", text: Deno.readTextFileSync(new URL("main.ts", ROOT)) },
];

function roomOf(path: string): string {
  return path.replace(/^lib\//, "").split("/")[0]!;
}

function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|import\("([^"]+)"\)/gm)]
    .map(([, fixed, dynamic]) => fixed ?? dynamic!)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => new URL(specifier, new URL(path, ROOT)).href.slice(ROOT.href.length));
}

function mayImport(from: string, to: string): boolean {
  if (from === to || to === "deno.json") return true;
  const rank = (room: string): number => ROOMS.findIndex((rooms) => rooms.includes(room));
  return rank(from) < rank(to) && (VISITORS.get(to)?.includes(from) ?? true);
}

Deno.test("every source file stands in a room of the house", () => {
  const strangers = SOURCES.filter(({ path }) => !ROOMS.flat().includes(roomOf(path)));
  assertEquals(strangers.map(({ path }) => path), []);
  assertEquals(SOURCES.length > 20, true);
});

Deno.test("imports run from left to right", () => {
  const wrong = SOURCES.flatMap((file) =>
    importsOf(file)
      .filter((imported) => !mayImport(roomOf(file.path), roomOf(imported)))
      .map((imported) => `${file.path} imports ${imported}`)
  );
  assertEquals(wrong, []);
});

Deno.test("no two files import each other, directly or in a ring", () => {
  const graph = new Map(SOURCES.map((file) => [file.path, importsOf(file)]));
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    assertEquals(above.includes(path), false, [...above, path].join(" → "));
    if (done.has(path)) return;
    for (const imported of graph.get(path) ?? []) visit(imported, [...above, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
});

Deno.test("only lib/runtime names a runtime", () => {
  const named = SOURCES.filter(({ path, text }) =>
    roomOf(path) !== "runtime" && /\b(?:Deno|Bun)\./.test(text)
  );
  assertEquals(named.map(({ path }) => path), []);
});

Deno.test("only lib/guard/redis imports the client of Redis", () => {
  const importers = SOURCES.filter(({ text }) => text.includes('"@redis/client"'));
  assertEquals(importers.map(({ path }) => path), ["lib/guard/redis/connect.ts"]);
});

const OF_A_RUNTIME = /process\.std(?:out|err)\b|new Date\(\)\.toUTCString\(\)/g;

Deno.test("only lib/app, lib/cli, lib/terminal and main.ts read the clock, the environment or the command line", () => {
  const readers = SOURCES.filter(({ path, text }) =>
    // What browsers run has their clock.
    !/^lib\/page\/(?:browser\/|script\.ts)/.test(path) &&
    !["app", "cli", "terminal", "main.ts"].includes(roomOf(path)) &&
    /\bDate\.now\b|\bnew Date\(\)|\bprocess\.(?:argv|env|std|on|exit|hrtime)|\bMath\.random\b|performance\.now/
      // A runtime gives the ways to standard output and standard error, and replies their Date.
      .test(roomOf(path) === "runtime" ? text.replaceAll(OF_A_RUNTIME, "") : text)
  );
  assertEquals(readers.map(({ path }) => path), []);
});

// What it shares with the server is pure: how values are quoted, how codes are computed and what a
// wrong pin may come from.
const BROWSER_ROOMS = /^lib\/(?:page\/(?:browser|shared)\/|samples\/quoting\.ts|diagnosis\/|otp\/)/;

Deno.test("what browsers run imports nothing but itself and what it shares with the server", () => {
  const browser = SOURCES.filter(({ path }) => /^lib\/page\/(?:browser|shared)\//.test(path));
  const imported = browser.flatMap(importsOf);
  assertEquals(imported.filter((path) => !BROWSER_ROOMS.test(path)), []);
  assertEquals(imported.length > 3, true);
});
