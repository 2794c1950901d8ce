/** What public callers have in common, in whichever language they are written. */

import { fileURLToPath } from "node:url";
import { run } from "../../../support/client_program.ts";

/** What is paired. */
export interface PairCall {
  readonly appName: string;
  readonly appInfo: string;
  readonly secretCode: string;
}

/** What is checked. */
export interface PinCall {
  readonly pin: string;
  readonly secretCode: string;
}

/** What a caller cuts out of the reply to a pairing; each caller wants other parts. */
export interface Paired {
  readonly setupCode?: string;
  /** The address of the picture. */
  readonly picture?: string;
  readonly html?: string;
}

/** The path of a program in this folder. */
export function callerFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

type Lines = Readonly<Record<string, string>>;

/** Runs a caller in another language, and reads the lines `NAME=VALUE` that it prints. */
export async function runCaller(command: readonly string[], ...args: string[]): Promise<Lines> {
  const [program, ...rest] = command;
  const { text } = await run(program!, [...rest, ...args]);
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => {
    const equals = line.indexOf("=");
    return [line.slice(0, equals), line.slice(equals + 1)];
  }));
}

/** Pairs with a caller in another language. */
export function pairWith(
  command: () => readonly string[],
  row: string,
): (url: string, call: PairCall) => Promise<Paired> {
  return async (url, { appName, appInfo, secretCode }) =>
    await runCaller(command(), row, "Pair", url, appName, appInfo, secretCode);
}

/** Checks a pin with a caller in another language. */
export function validateWith(
  command: () => readonly string[],
  row: string,
): (url: string, call: PinCall) => Promise<boolean> {
  return async (url, { pin, secretCode }) => {
    const { accepted } = await runCaller(command(), row, "ValidatePin", url, pin, secretCode);
    if (accepted === "true") return true;
    if (accepted === "false") return false;
    throw new Error(`Neither true nor false: ${accepted}`);
  };
}
