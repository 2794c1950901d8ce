/**
 * Bundles the script of the service page, `lib/page/browser/`, into `lib/page/script.js`:
 * `deno task generate`.
 *
 * @module
 */

const ROOT = new URL("../", import.meta.url);

/** File of the bundle. */
export const SCRIPT_FILE: URL = new URL("lib/page/script.js", ROOT);

/**
 * Bundles the script. It is minified: half of it would be indentation and names, and its sources are
 * beside it to read.
 *
 * @throws {Error} When the sources cannot be bundled.
 */
export async function bundledScript(): Promise<string> {
  const options = ["--quiet", "--platform", "browser", "--format", "iife", "--minify"];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", ...options, "lib/page/browser/main.ts"],
    cwd: ROOT,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`deno bundle failed: ${decoder.decode(stderr)}`);
  return `// Bundled from lib/page/browser/ by \`deno task generate\`. Do not edit it here.\n${
    decoder.decode(stdout).trim()
  }\n`;
}

if (import.meta.main) await Deno.writeTextFile(SCRIPT_FILE, await bundledScript());
