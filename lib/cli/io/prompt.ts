/**
 * Lines that a person types at a terminal; secrets are not shown while they are typed.
 *
 * @module
 */

import { constants } from "node:os";
import process from "node:process";
import { writeStderr } from "./stderr.ts";

/** A line to ask for. */
export interface Prompt {
  /** What is asked for. */
  readonly what: string;
  /** Whether it is shown while it is typed. */
  readonly isShown: boolean;
}

/** What may become of typing. */
export type Typed =
  | { readonly lines: readonly string[]; readonly isInterrupted?: undefined }
  | { readonly isInterrupted: true };

/** The signals that end a program that does not listen for them. */
const ENDINGS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
type Ending = typeof ENDINGS[number];

/** What a line has become by a key, and how it goes on. */
interface Line {
  readonly text: string;
  readonly end?: "line" | "input" | "interrupted";
}

/**
 * Asks for lines at the terminal of standard input, which shows nothing by itself meanwhile. The end
 * of input ends the lines early.
 */
export async function askLines(prompts: readonly Prompt[]): Promise<Typed> {
  const { stdin } = process;
  const lines: string[] = [];
  let line = "";
  const ask = ({ what, isShown }: Prompt): void => {
    writeStderr(`${what}${isShown ? "" : " (not shown)"}: `);
  };
  // Whoever ends the program would leave a terminal that shows nothing.
  const onEnd = (signal: Ending): void => {
    stdin.setRawMode(false);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDINGS) process.on(signal, onEnd);
  stdin.setRawMode(true);
  try {
    ask(prompts[0]!);
    const decoder = new TextDecoder();
    let cutOff = "";
    for await (const chunk of stdin as AsyncIterable<Uint8Array>) {
      const piece = joined(cutOff, decoder.decode(chunk, { stream: true }));
      cutOff = CUT_OFF.exec(piece)?.[0] ?? "";
      for (const key of keysIn(piece.slice(0, piece.length - cutOff.length))) {
        const { text, end } = typed(line, key);
        const { isShown } = prompts[lines.length]!;
        if (isShown) writeStderr(echoOf(line, text));
        line = text;
        if (end === undefined) continue;
        writeStderr("\r\n");
        if (end === "interrupted") return { isInterrupted: true };
        lines.push(line);
        line = "";
        const next = prompts[lines.length];
        if (end === "input" || next === undefined) return { lines };
        ask(next);
      }
    }
    return { lines };
  } finally {
    stdin.setRawMode(false);
    for (const signal of ENDINGS) process.off(signal, onEnd);
  }
}

// Keys that are no characters send a sequence (ECMA-48 §5.4): it belongs to no secret.
const CONTROL_SEQUENCE = new RegExp("\x1b(?:\\[[0-?]*[ -/]*[@-~]|O?[^\x00-\x1f])", "gu");

// One whose rest comes with the next piece.
const CUT_OFF = new RegExp("\x1b(?:\\[[0-?]*[ -/]*|O)?$", "u");

// Escape alone is the key of that name, unless a bracket follows, with which nobody's secret begins.
function joined(cutOff: string, text: string): string {
  return cutOff === "\x1b" && !text.startsWith("[") ? text : cutOff + text;
}

function keysIn(text: string): readonly string[] {
  return [...text.replace(CONTROL_SEQUENCE, "")];
}

/** What a key makes of a line: characters, and the keys that terminals have for editing. */
function typed(text: string, key: string): Line {
  switch (key) {
    case "\r":
    case "\n":
      return { text, end: "line" };
    case "\x03":
      return { text, end: "interrupted" };
    case "\x04":
      return { text, end: "input" };
    case "\x7f":
    case "\b":
      return { text: [...text].slice(0, -1).join("") };
    // Control-U.
    case "\x15":
      return { text: "" };
  }
  return { text: key < " " && key !== "\t" ? text : text + key };
}

function echoOf(before: string, after: string): string {
  return after.startsWith(before)
    ? after.slice(before.length)
    : "\b \b".repeat([...before].length - [...after].length);
}
