/**
 * VBScript under Wine, as classic ASP and VB6 use it.
 *
 * @module
 */

import { runToEnd } from "./child.ts";

let folder: Promise<string> | undefined;

const envOf = (prefix: string): Readonly<Record<string, string>> => ({
  WINEPREFIX: prefix,
  WINEDLLOVERRIDES: "mscoree,mshtml=",
  WINEDEBUG: "-all",
});

// One prefix for the tests of a file: to set it up takes Wine seconds.
async function prefix(): Promise<string> {
  folder ??= (async () => {
    const path = await Deno.makeTempDir({ prefix: "wine" });
    // Wine's server stays between two scripts, and must not hold the output of the first.
    const start = "wineserver --persistent >/dev/null 2>&1; wine wineboot --init >/dev/null 2>&1";
    await runToEnd(["sh", "-c", start], { env: envOf(path) });
    return path;
  })();
  return await folder;
}

/**
 * Runs a script in VBScript.
 *
 * @returns What it printed.
 * @throws {Error} When it prints an error.
 */
export async function runVbscript(path: string, args: readonly string[]): Promise<string> {
  const file = `Z:${path.replaceAll("/", "\\")}`;
  const words = ["wine", "cscript", "//nologo", file, ...args];
  const { code, stdout, stderr } = await runToEnd(words, { env: envOf(await prefix()) });
  if (code !== 0 || stdout.trim() === "") {
    throw new Error(`cscript ended with exit code ${code}: ${stdout}${stderr}`);
  }
  return stdout;
}

/** Stops Wine, and removes its files. */
export async function removeWine(): Promise<void> {
  if (folder === undefined) return;
  const path = await folder;
  folder = undefined;
  await runToEnd(["wineserver", "--kill"], { env: envOf(path) });
  await Deno.remove(path, { recursive: true });
}
