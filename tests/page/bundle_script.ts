/**
 * Makes `lib/page/script.ts` from the browser's script in `lib/page/browser/`; run it by
 * `deno task generate`.
 *
 * @module
 */

import { runToEnd } from "../support/child.ts";

const ROOT = new URL("../../", import.meta.url);

/** The file that holds the bundle. */
export const SCRIPT_FILE = new URL("lib/page/script.ts", ROOT);

const HEAD = `/**
 * The script of the service page, bundled from \`lib/page/browser/\` by \`deno task generate\`. Do not
 * edit it here.
 *
 * @module
 */

// Not minified: what a browser shows of it can be read, and compression does the rest.

/** The script as it is served. */
// deno-fmt-ignore
export const SCRIPT: string = [
`;

/**
 * The text of the file as the sources make it.
 *
 * @throws {Error} When they cannot be bundled.
 */
export async function bundledScript(): Promise<string> {
  const options = ["--quiet", "--platform", "browser", "--format", "iife"];
  const { code, stdout, stderr } = await runToEnd(
    [Deno.execPath(), "bundle", ...options, "lib/page/browser/main.ts"],
    { cwd: ROOT, env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" } },
  );
  if (code !== 0) throw new Error(`deno bundle failed: ${stderr}`);
  // The names of modules say where packages lie on this machine.
  const script = stdout.trim().replace(/^( *\/\/ )\S*\/npm\/[^/]+\//gm, "$1npm:");
  const lines = script.split("\n").map((line) => `  ${JSON.stringify(line)},\n`);
  return `${HEAD}${lines.join("")}].join("\\n");\n`;
}

if (import.meta.main) await Deno.writeTextFile(SCRIPT_FILE, await bundledScript());
