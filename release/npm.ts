/**
 * Makes the library a package for npm, for Node 22 and later and for Bun: ES modules with types, one for
 * each export of `deno.json`.
 *
 * The same sources give the same bytes.
 *
 * @module
 */

import ts from "typescript";
import imports from "../import_map.json" with { type: "json" };
import project from "../deno.json" with { type: "json" };
import { isDevelopment } from "./notes.ts";

const ROOT = new URL("../", import.meta.url);

/** The one package that stays one; what else is imported is in the modules. */
const CLIENT = "@redis/client";

/**
 * Writes the package.
 *
 * @param folder Folder of the tarball.
 * @param env Variables of Deno, such as the folder in which it keeps packages.
 * @returns The name of the tarball.
 */
export async function packLibrary(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const stage = `${await Deno.makeTempDir({ dir: await Deno.realPath(folder), prefix: "npm-" })}/`;
  try {
    await bundle(stage, env);
    await declare(stage);
    await Deno.writeTextFile(`${stage}package.json`, `${JSON.stringify(manifest(), null, 2)}\n`);
    await Deno.copyFile(new URL("LICENSE", ROOT), `${stage}LICENSE`);
    await Deno.copyFile(new URL("npm_readme.md", import.meta.url), `${stage}README.md`);
    const pack = ["pack", "--silent", "--pack-destination", await Deno.realPath(folder)];
    return (await run("npm", pack, stage)).trim();
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

function manifest(): object {
  const modules = Object.entries(project.exports).map(([name, path]) => {
    const module = path.replace(/^\.\/lib\//, "./").replace(/\.ts$/, "");
    return [name, { types: `${module}.d.ts`, default: `${module}.js` }] as const;
  });
  return {
    name: project.name,
    version: project.version,
    description: "Pairs authenticator apps by QR code, and checks their pins",
    license: project.license,
    type: "module",
    engines: { node: ">=22" },
    // `latest`, which npm installs by default, stays a release.
    ...(isDevelopment(project.version) && { publishConfig: { tag: "dev" } }),
    exports: Object.fromEntries(modules),
    // TypeScript with `moduleResolution` node10 reads no `exports`.
    main: "./mod.js",
    types: "./mod.d.ts",
    typesVersions: {
      "*": Object.fromEntries(
        modules.slice(1).map(([name, { types }]) => [name.slice("./".length), [types]]),
      ),
    },
    dependencies: { [CLIENT]: imports.imports[CLIENT].split("@").at(-1) },
  };
}

async function bundle(stage: string, env: Readonly<Record<string, string>>): Promise<void> {
  const locked = ["--lock=runtime.lock", "--frozen"];
  const options = [
    ...locked,
    "--quiet",
    "--platform",
    "deno",
    "--code-splitting",
    "--external",
    CLIENT,
  ];
  const entries = Object.values(project.exports);
  await run(Deno.execPath(), ["bundle", ...options, "--outdir", stage, ...entries], ROOT, env);
  await normalizeModules(stage, entries);
}

/**
 * Removes the comments with paths of this machine, and numbers the shared modules: their names are
 * hashes of texts with these comments.
 */
async function normalizeModules(stage: string, entries: readonly string[]): Promise<void> {
  const numbers = new Map<string, number>();
  const read = async (name: string): Promise<void> => {
    const text = await Deno.readTextFile(`${stage}${name}`);
    for (const [chunk] of text.matchAll(/chunk-\w+\.js/g)) {
      if (numbers.has(chunk)) continue;
      numbers.set(chunk, numbers.size + 1);
      await read(chunk);
    }
  };
  const modules = entries.map((path) => path.replace(/^\.\/lib\/(.*)\.ts$/, "$1.js"));
  for (const name of modules) await read(name);
  const numbered = (text: string): string =>
    text.replace(/chunk-\w+\.js/g, (chunk) => `chunk-${numbers.get(chunk)}.js`);
  for (const name of [...modules, ...numbers.keys()]) {
    const text = await Deno.readTextFile(`${stage}${name}`);
    await Deno.remove(`${stage}${name}`);
    const kept = text.replace(/^\/\/ (?:\.\.\/)+.*\n/gm, "");
    await Deno.writeTextFile(`${stage}${numbered(name)}`, numbered(kept));
  }
}

/** Has TypeScript know the symbol, whichever `lib` a project has. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n';

/** Writes a declaration file for each source file that a module's types come from. */
async function declare(stage: string): Promise<void> {
  const done = new Set<string>();
  const visit = async (path: string): Promise<void> => {
    if (done.has(path) || !path.startsWith("lib/")) return;
    done.add(path);
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, {
      fileName: path,
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
    });
    if (diagnostics.length > 0) {
      throw new TypeError(
        `${path}: ${ts.flattenDiagnosticMessageText(diagnostics[0]!.messageText, "\n")}`,
      );
    }
    const file = `${stage}${path.slice("lib/".length).replace(/\.ts$/, ".d.ts")}`;
    await Deno.mkdir(file.replace(/[^/]*$/, ""), { recursive: true });
    const head = outputText.includes("Symbol.asyncDispose") ? DISPOSABLE : "";
    await Deno.writeTextFile(file, head + outputText.replace(/(from "\.[^"]*)\.ts"/g, '$1.js"'));
    for (const [, specifier] of outputText.matchAll(/from "(\.[^"]*\.ts)"/g)) {
      await visit(new URL(specifier!, new URL(path, ROOT)).href.slice(ROOT.href.length));
    }
  };
  for (const entry of Object.values(project.exports)) await visit(entry.slice("./".length));
}

async function run(
  command: string,
  args: readonly string[],
  cwd: string | URL,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, env })
    .output();
  const text = new TextDecoder().decode(stdout);
  if (!success) {
    throw new Error(`${command} ${args[0]} failed: ${text}${new TextDecoder().decode(stderr)}`);
  }
  return text;
}
