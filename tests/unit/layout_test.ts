import { assertEquals } from "@std/assert/equals";
import { COMMANDS } from "../../lib/cli/args/commands.ts";
import { flagOf } from "../../lib/config/option.ts";
import { OPTIONS } from "../../lib/config/options.ts";

// The rooms of the house from the top down: a file may import from its own room and from every room
// below it. The rooms of the last row but one import nothing but themselves and the last.
const ROOMS: readonly (readonly string[])[] = [
  ["main.ts"],
  ["cli"],
  ["server"],
  ["mod.ts"],
  ["library"],
  ["config"],
  ["http"],
  ["page"],
  ["bindings"],
  ["telemetry"],
  ["operations"],
  ["guard", "otp", "qr", "sealing", "xml"],
  ["system"],
];

const ROOT = new URL("../../", import.meta.url);

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function sourceFiles(folder: string): SourceFile[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (path === "lib/page/programs") return []; // Texts of the service page.
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
  if (from === to || to === "deno.json" || to === "LICENSE") return true;
  const rank = (room: string): number => ROOMS.findIndex((rooms) => rooms.includes(room));
  return rank(from) < rank(to);
}

Deno.test("every source file is in a room of the house", () => {
  const strangers = SOURCES.filter(({ path }) => !ROOMS.flat().includes(roomOf(path)));
  assertEquals(strangers.map(({ path }) => path), []);
  assertEquals(SOURCES.length > 20, true);
});

Deno.test("imports run down", () => {
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

Deno.test("only lib/server/runtime names a runtime", () => {
  const named = SOURCES.filter(({ path, text }) =>
    !path.startsWith("lib/server/runtime/") && /\b(?:Deno|Bun)\./.test(text)
  );
  assertEquals(named.map(({ path }) => path), []);
});

Deno.test("only lib/guard/redis imports the client of Redis", () => {
  const importers = SOURCES.filter(({ text }) => text.includes('"@redis/client"'));
  assertEquals(importers.map(({ path }) => path), ["lib/guard/redis/connect.ts"]);
});

Deno.test("only lib/mod.ts, lib/server, lib/cli and main.ts read the clock, the environment or the command line", () => {
  const readers = SOURCES.filter(({ path, text }) =>
    // What browsers run has their clock.
    !path.startsWith("lib/page/browser/") &&
    !["mod.ts", "server", "cli", "main.ts"].includes(roomOf(path)) &&
    /\bDate\.now\b|\bnew Date\(\)|\bprocess\.(?:argv|env|std|on|exit|hrtime)|\bMath\.random\b|performance\.now/
      .test(text)
  );
  assertEquals(readers.map(({ path }) => path), []);
});

// What it shares with the server is pure: addresses, how codes are computed, what a wrong pin may come
// from, and which text is a sealed secret.
const BROWSER_ROOMS = /^lib\/(?:page\/(?:browser|shared)\/|otp\/|sealing\/sealed\.ts$)/;

Deno.test("the code of the browser imports only itself and what it shares with the server", () => {
  const browser = SOURCES.filter(({ path }) => /^lib\/page\/(?:browser|shared)\//.test(path));
  const imported = browser.flatMap(importsOf);
  assertEquals(imported.filter((path) => !BROWSER_ROOMS.test(path)), []);
  assertEquals(imported.length > 3, true);
});

// Names in comments: constants, functions and fields.
const NAME = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[a-z]\w*(?=\(\))|(?<!#)\b[a-z]+[A-Z]\w*\b/g;
// Those of a runtime and of a system.
const FOREIGN_NAMES: readonly string[] = ["DENO_CERT", "X509_V_ERR_", "macOS"];

Deno.test("each name of code in a comment exists", () => {
  const comments = /\/\*[^]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;
  const code = SOURCES.map(({ text }) => text.replace(comments, "")).join("\n");
  const known = new Set([...code.match(/\w+/g)!, ...FOREIGN_NAMES]);
  const unknown = SOURCES.flatMap(({ path, text }) =>
    (text.match(comments) ?? []).flatMap((comment) => comment.match(NAME) ?? [])
      .filter((name) => !known.has(name)).map((name) => `${path}: ${name}`)
  );
  assertEquals(unknown, []);
});

const FLAGS: ReadonlySet<string> = new Set([
  ...[OPTIONS, ...[...COMMANDS.values()].map(({ options }) => options)]
    .flatMap((table) => Object.keys(table).map(flagOf)),
  ...["--config", "--help", "--version"],
]);

Deno.test("each flag in a text of the program is one of a table", () => {
  const unknown = SOURCES.flatMap(({ path, text }) => {
    const code = text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
    return [...code.matchAll(/(?<![\w)\]-])--[a-z][a-z-]*/g)]
      .filter(([flag]) => !FLAGS.has(flag)).map(([flag]) => `${path}: ${flag}`);
  });
  assertEquals(unknown, []);
});

const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;

Deno.test("each file that a comment names is there", () => {
  const isThere = (path: string, from: string): boolean =>
    [from, "lib/", ""].some((folder) => exists(new URL(folder + path, ROOT))) ||
    SOURCES.some((file) => file.path.endsWith(`/${path}`));
  const unknown = SOURCES.flatMap(({ path, text }) => {
    const comments = [...text.matchAll(COMMENT)].join();
    return [...comments.matchAll(/[\w/.-]+\.(?:ts|md|lua|html|css)\b/g)]
      .filter(([file]) => !isThere(file, path.replace(/[^/]*$/, "")))
      .map(([file]) => `${path}: ${file}`);
  });
  assertEquals(unknown, []);
});

function exists(url: URL): boolean {
  try {
    return Deno.statSync(url).isFile;
  } catch {
    return false;
  }
}

Deno.test("the gate runs every folder of tests/unit/: each has its module in tests/gate/", () => {
  const folders = [...Deno.readDirSync(new URL("tests/unit/", ROOT))]
    .filter(({ isDirectory }) => isDirectory).map(({ name }) => `${name}_test.ts`);
  const modules = sourceFiles("tests/gate/").map(({ path }) => path.replace("tests/gate/", ""));
  assertEquals(modules.sort(), [...folders, "room.ts", "unit_test.ts"].sort());
  const others = sourceFiles("tests/unit/")
    .filter(({ path, text }) => !path.endsWith("_test.ts") && text.includes("Deno.test("));
  assertEquals(others.map(({ path }) => path), []);
});
