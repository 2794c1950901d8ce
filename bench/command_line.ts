/**
 * What the command line of a benchmark may say, and what must be installed. Either ends the program with
 * one line before anything is started.
 *
 * @module
 */

import process from "node:process";

/** A number of the command line, and what it is where it is not given. */
export type NumberArgument = readonly [name: string, otherwise: number];

/** Reads whole numbers from 1 on; anything else ends the program. */
export function numbersFrom<const Names extends readonly NumberArgument[]>(
  words: readonly string[],
  names: Names,
): { readonly [Index in keyof Names]: number } {
  const strange = words.find((word, i) => i >= names.length || !/^[1-9][0-9]*$/.test(word));
  if (strange !== undefined) {
    const usage = names.map(([name, otherwise]) => `[${name}, ${otherwise} unless given]`);
    stop(`"${strange}" is not understood. The arguments are whole numbers: ${usage.join(" ")}`);
  }
  const read = names.map(([, otherwise], i) => Number(words[i] ?? otherwise));
  return read as unknown as { readonly [Index in keyof Names]: number };
}

/** Ends the program unless all of some others are installed. */
export function stopWithout(programs: readonly string[]): void {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) stop(`missing: ${missing.join(", ")}`);
}

function isInstalled(program: string): boolean {
  try {
    // Whatever it says of the option: wrk knows it, and ends with 1.
    new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function stop(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(2);
}
