/**
 * Prompts at a terminal, without an echo of secrets.
 *
 * @module
 */

import { constants } from "node:os";
import process from "node:process";
import { writeStderr } from "./output.ts";

/** Prompt for one line. */
export interface Prompt {
  /** The name of the input. */
  readonly what: string;
  /** Whether the typed text is echoed. */
  readonly isShown: boolean;
}

/** Signals that end a program without a listener. */
const ENDINGS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
type Ending = typeof ENDINGS[number];

/** Text of a line after a key, and the kind of end that the key causes, if any. */
interface Line {
  readonly text: string;
  readonly end?: "line" | "input" | "interrupted";
}

/**
 * Prompts for lines at the terminal of standard input, whose own echo is off meanwhile.
 *
 * @returns The lines, which the end of input can leave fewer than the prompts; undefined after Control-C.
 */
export async function askLines(
  prompts: readonly Prompt[],
): Promise<readonly string[] | undefined> {
  const { stdin } = process;
  const lines: string[] = [];
  let line = "";
  const show = ({ what, isShown }: Prompt): void => {
    writeStderr(`${what}${isShown ? "" : " (not shown)"}: `);
  };
  // Restore the echo of the terminal when a signal ends the program.
  const onEnd = (signal: Ending): void => {
    stdin.setRawMode(false);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDINGS) process.on(signal, onEnd);
  stdin.setRawMode(true);
  try {
    show(prompts[0]!);
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
        if (end === "interrupted") return undefined;
        lines.push(line);
        line = "";
        const next = prompts[lines.length];
        if (end === "input" || next === undefined) return lines;
        show(next);
      }
    }
    return lines;
  } finally {
    stdin.setRawMode(false);
    for (const signal of ENDINGS) process.off(signal, onEnd);
  }
}

// Control sequences (ECMA-48 §5.4) of keys without a character, which belong to no secret.
const CONTROL_SEQUENCE = new RegExp("\x1b(?:\\[[0-?]*[ -/]*[@-~]|O?[^\x00-\x1f])", "gu");

// Beginning of a control sequence at the end of a chunk.
const CUT_OFF = new RegExp("\x1b(?:\\[[0-?]*[ -/]*|O)?$", "u");

// Joins an unfinished control sequence and the next chunk. A lone Escape is the Escape key, unless
// a bracket follows, which begins a control sequence.
function joined(cutOff: string, text: string): string {
  return cutOff === "\x1b" && !text.startsWith("[") ? text : cutOff + text;
}

function keysIn(text: string): readonly string[] {
  return [...text.replace(CONTROL_SEQUENCE, "")];
}

/** Applies a key to a line: a character, or an editing key of terminals. */
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
