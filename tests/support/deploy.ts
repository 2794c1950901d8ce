/**
 * Programs of Debian that the tests of `deploy/` drive, and what they need: a file with a few things
 * exchanged, a process that does not outlive its test.
 *
 * @module
 */

import { type Ended, limitLife, runToEnd, spawn } from "./child.ts";
import { eventually } from "./eventually.ts";
import { fencesOf, ROOT } from "./pages.ts";

/** The text of a file of `deploy/`. */
export function deployFile(name: string): string {
  return Deno.readTextFileSync(new URL(`../../deploy/${name}`, import.meta.url));
}

/** The one block of commands on a page that contains a text. */
export function shownBlock(page: string, text: string): string {
  const blocks = fencesOf(page).filter((fence) => fence.text.includes(text));
  if (blocks.length !== 1) throw new TypeError(`${page} has not one block with: ${text}`);
  return blocks[0]!.text.replace(/^ +/gm, "");
}

/** Names of the hosted service that callers have built in. */
export const BUILT_IN_NAMES = ["authenticatorapi.com", "www.authenticatorapi.com"] as const;

/** Makes a CA as docs/callers.md shows, in a folder that has `deploy/` as the sources do. */
export async function makeCaAsShown(folder: string): Promise<Ended> {
  await Deno.symlink(new URL("deploy", ROOT), `${folder}/deploy`);
  const commands = shownBlock("docs/callers.md", "internal-ca.sh");
  return await runToEnd(["bash", "-e", "-c", commands], { cwd: folder });
}

/** Replaces a text that must be there, its first place outside comments. */
export function exchange(text: string, search: string, replacement: string): string {
  const lines = text.split("\n");
  const index = lines.findIndex((line) => !/^\s*#/.test(line) && line.includes(search));
  if (index < 0) throw new TypeError(`the file does not hold: ${search}`);
  return lines.with(index, lines[index]!.replace(search, () => replacement)).join("\n");
}

/** A program that runs until it is stopped. */
export interface Daemon {
  /** The number of its process. */
  readonly pid: number;
  /** Asks it to end by a signal, and waits until it has. */
  readonly stop: (signal?: Deno.Signal) => Promise<void>;
}

/** Starts a program that writes its output into a file. */
export function startDaemon(
  [program, ...args]: readonly string[],
  output: string,
  env: Readonly<Record<string, string>> = {},
): Daemon {
  const child = spawn(program!, { args, env: { ...env }, stdout: "piped", stderr: "piped" });
  limitLife(child);
  const written = Promise.all([child.stdout, child.stderr].map(async (stream, i) => {
    await stream.pipeTo(
      (await Deno.open(`${output}.${i + 1}`, { create: true, append: true })).writable,
    );
  }));
  return {
    pid: child.pid,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      await child.status;
      await written;
    },
  };
}

/** Waits until an address answers with 200: a program may listen before it is ready. */
export async function isWell(url: string): Promise<void> {
  await eventually(async () => {
    try {
      const reply = await fetch(url);
      await reply.body?.cancel();
      return reply.status === 200;
    } catch {
      return false;
    }
  }, `${url} answers with 200`);
}
