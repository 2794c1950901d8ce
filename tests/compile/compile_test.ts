/**
 * What compile.sh puts into an executable. Deno's own executable stands for the base one, which need
 * not be downloaded then: everything is resolved, checked and embedded, and listed.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";

const ROOT = new URL("../../", import.meta.url);

async function compile(args: string[], env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("./compile.sh", {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assertEquals(code, 0, text);
  return text;
}

/** The paths of the tree that `deno compile` prints, without the sizes. */
function embedded(text: string): string[] {
  const above: string[] = [];
  const paths: string[] = [];
  for (const line of text.split("\n")) {
    const [, indent, name] = /^((?:│ | {2})*)[├└]─[─┬] (.+?)(?: \([^)]*\))?$/.exec(line) ?? [];
    if (indent === undefined) continue;
    above.length = indent.length / 2;
    above.push(name!);
    if (!line.includes("─┬")) paths.push(above.join("/"));
  }
  return paths;
}

function npmPackage(path: string): string | undefined {
  return /^\.deno_compile_node_modules\/[^/]+\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

/** The npm packages that the sources import, and those that these need. */
function packagesNeeded(): Set<string> {
  const { stdout } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "main.ts"],
    cwd: ROOT,
  }).outputSync();
  const { npmPackages, modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    npmPackages: Record<string, { name: string; dependencies: string[] }>;
    modules: { npmPackage?: string }[];
  };
  const needed = new Set<string>();
  const visit = (id: string): void => {
    const { name, dependencies } = npmPackages[id]!;
    if (needed.has(name)) return;
    needed.add(name);
    dependencies.forEach(visit);
  };
  for (const { npmPackage } of modules) if (npmPackage !== undefined) visit(npmPackage);
  return needed;
}

Deno.test("an executable holds our sources and what they import, nothing else", async () => {
  const paths = embedded(await compile([], { DENORT_BIN: Deno.execPath() }));
  const ours = paths.filter((path) => npmPackage(path) === undefined);
  const strangers = ours.filter((path) => !/^(?:main\.ts|deno\.json|lib\/.*)$/.test(path));
  assertEquals(strangers, []);
  assert(
    ours.includes("main.ts") && ours.some((path) => path.startsWith("lib/runtime/")),
    `${ours}`,
  );
  const packages = new Set(paths.map(npmPackage).filter((name) => name !== undefined));
  assertEquals(packages.difference(packagesNeeded()), new Set());
  assert(packages.has("deno-std"));
});

Deno.test("compile.sh writes the checksums of what it made", async () => {
  const text = await compile(["--bundle"], {});
  assert(/^dist\/authenticator\.js: \d+\.\d MB, a bundle for bun$/m.test(text), text);
  const sums = Deno.readTextFileSync(new URL("dist/SHA256SUMS", ROOT));
  const bytes = Deno.readFileSync(new URL("dist/authenticator.js", ROOT));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  assert(sums.includes(`${digest}  authenticator.js\n`), sums);
});

Deno.test("compile.sh says what it does not know, and exits with 2", async () => {
  for (const args of [["--target", "amiga"], ["--with", "node"], ["--fast"], ["--with"]]) {
    const { code, stderr } = await new Deno.Command("./compile.sh", { args, cwd: ROOT }).output();
    assertEquals(code, 2, args.join(" "));
    assert(/^compile\.sh: error: [^\n]+\n$/.test(new TextDecoder().decode(stderr)));
  }
});
