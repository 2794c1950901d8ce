/**
 * Bundles the script of the service page, `lib/page/browser/`, into `lib/page/script.js`:
 * `deno task generate`.
 *
 * @module
 */

import { createHash } from "node:crypto";

const ROOT = new URL("../", import.meta.url);

/** File of the bundle. */
export const SCRIPT_FILE: URL = new URL("lib/page/script.js", ROOT);

const SOURCE = new URL("lib/page/browser/main.ts", ROOT);

/** What stands above the bundle, before the digest. */
const NOTE = "// Bundled from lib/page/browser/ by `deno task generate`. Do not edit it here.\n";

/** Imports of a module, but those of types alone, which no bundle has. */
const IMPORT = /^(?:import|export)(?! type\b)(?: [^"';=()]* from)? "([^"]+)"/gm;

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
  return withDigest(`${decoder.decode(stdout).trim()}\n`);
}

/**
 * Puts the note above a bundle, with a digest of the bundle and of all sources that it imports, by which
 * the gate sees that either was changed alone: it cannot bundle, which takes a download.
 *
 * @param read Reads a source.
 */
export function withDigest(bundle: string, read = Deno.readTextFileSync): string {
  const hash = createHash("sha256");
  for (const url of sources(read)) {
    hash.update(`${url.slice(ROOT.href.length)}\0${read(new URL(url)).replaceAll("\r\n", "\n")}\0`);
  }
  return `${NOTE}// SHA-256 of its sources and of it: ${
    hash.update(bundle).digest("hex")
  }\n${bundle}`;
}

/** Addresses of the sources of the script: its module, and all that this imports. */
export function sources(read = Deno.readTextFileSync): readonly string[] {
  const found = new Set([SOURCE.href]);
  for (const url of found) {
    if (!url.endsWith(".ts")) continue;
    for (const [, specifier] of read(new URL(url)).matchAll(IMPORT)) {
      if (!specifier!.startsWith(".")) throw new Error(`${url} imports ${specifier}, not a source`);
      found.add(new URL(specifier!, url).href);
    }
  }
  return [...found].toSorted();
}

if (import.meta.main) await Deno.writeTextFile(SCRIPT_FILE, await bundledScript());
