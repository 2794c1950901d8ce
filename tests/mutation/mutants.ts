/**
 * A copy of the project in which Stryker's instrumenter put its mutants, each behind a switch.
 *
 * @module
 */

import { Instrumenter, type InstrumenterOptions } from "@stryker-mutator/instrumenter";
import { createHash } from "node:crypto";
import { MAX_MUTANTS } from "./switch.ts";

const ROOT = new URL("../../", import.meta.url);

/** A mutant: one small mistake. */
export interface Mutant {
  /** Its name in the copy. */
  readonly id: string;
  /** Its name for good: a hash over the text of its file, its place and what it does. */
  readonly key: string;
  /** Its file. */
  readonly file: string;
  /** Its line, from 1. */
  readonly line: number;
  /** The text of that line, without what is blank around it. */
  readonly lineText: string;
  /** What it replaces, as it stands in the file. */
  readonly original: string;
  /** What it puts there. */
  readonly replacement: string;
}

/** Where the mutants are. */
export interface MutatedTree {
  /** The folder of the copy. */
  readonly folder: string;
  /** All mutants in it. */
  readonly mutants: readonly Mutant[];
}

/** The files of the project, those that are not committed yet included. */
export async function projectFiles(): Promise<readonly string[]> {
  const list = await git("ls-files", "--cached", "--others", "--exclude-standard");
  return list.filter((file) => isFile(new URL(file, ROOT)));
}

/** The lines that a git command writes. */
export async function git(...args: readonly string[]): Promise<readonly string[]> {
  const command = new Deno.Command("git", { args: [...args], cwd: ROOT });
  const { stdout } = await command.output();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

function isFile(path: URL): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A hash over texts. */
export function hashOf(...texts: readonly string[]): string {
  return createHash("sha256").update(texts.join("\0")).digest("hex");
}

/** A hash over the texts of files of the project. */
export function hashOfFiles(files: readonly string[]): string {
  return hashOf(...files.map((file) => Deno.readTextFileSync(new URL(file, ROOT))));
}

/** Copies files of the project into a folder that is not there yet, and mutates some of them. */
export async function mutatedTree(
  files: readonly string[],
  sources: readonly string[],
): Promise<MutatedTree> {
  const folder = `${await Deno.makeTempDir({ prefix: "mutation-" })}/`;
  for (const file of files) {
    await Deno.mkdir(`${folder}${file}`.replace(/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(new URL(file, ROOT), `${folder}${file}`);
  }
  const main = await Deno.readTextFile(`${folder}main.ts`);
  await Deno.writeTextFile(`${folder}main.ts`, `import "./tests/mutation/program.ts";\n${main}`);
  return { folder, mutants: await mutate(folder, sources) };
}

async function mutate(folder: string, sources: readonly string[]): Promise<readonly Mutant[]> {
  const texts = new Map(sources.map((name) => [name, Deno.readTextFileSync(new URL(name, ROOT))]));
  const files = [...texts].map(([name, content]) => ({ name, content, mutate: true }));
  const result = await new Instrumenter(LOGGER).instrument(files, OPTIONS);
  for (const { name, content } of result.files) {
    await Deno.writeTextFile(`${folder}${name}`, countFast(content));
  }
  return result.mutants.map(({ id, fileName: file, mutatorName, replacement, location }) => {
    const text = texts.get(file)!;
    const original = textAt(text, location);
    const line = location.start.line + 1;
    const key = hashOf(text, mutatorName, replacement, JSON.stringify(location));
    const lineText = text.split("\n")[line - 1]!.trim();
    return { id, key, file, line, lineText, original, replacement };
  });
}

// What the instrumenter writes to count what is passed takes most of the time of a test that loops;
// an array of numbers does not.
function countFast(text: string): string {
  const counting = text.replace(
    /stryCov_9fa48\(((?:"\d+"(?:,\s*)?)+)\)/g,
    (_, ids: string) => `(${ids.replace(/"(\d+)"/g, "stryHits[$1]++")})`,
  );
  return `const stryHits = globalThis.stryHits ??= new Uint32Array(${MAX_MUTANTS});\n${counting}`;
}

const OPTIONS: InstrumenterOptions = {
  plugins: null,
  excludedMutations: [],
  ignorers: [],
  noHeader: false,
};

type InstrumenterLogger = ConstructorParameters<typeof Instrumenter>[0];

const LOGGER = {
  isDebugEnabled: () => false,
  debug: () => {},
  info: () => {},
  warn: () => {},
} as unknown as InstrumenterLogger;

interface Place {
  readonly line: number;
  readonly column: number;
}

function textAt(text: string, { start, end }: { start: Place; end: Place }): string {
  const lines = text.split("\n").slice(start.line, end.line + 1);
  lines.push(lines.pop()!.slice(0, end.column));
  return lines.join("\n").slice(start.column);
}
