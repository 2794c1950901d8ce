/**
 * A process that runs tests for the run of mutants.
 *
 * @module
 */

import process from "node:process";
import type { Outcome } from "./worker.ts";

/** A worker. */
export interface Worker {
  /**
   * Asks it something; undefined when it ended, or was ended because it used so many milliseconds of a
   * processor without an answer.
   */
  readonly ask: (question: readonly unknown[], processorMs: number) => Promise<unknown>;
  /** What an ask that got no answer says of its mutant. */
  readonly ended: () => Outcome;
  /** Ends it. */
  readonly close: () => void;
}

/** What stands before an answer on standard output, where tests may write too. */
export const ANSWER = "\x1e";

/** How many times as long is waited for it, on a busy machine. */
const MAX_WAIT_FACTOR = 100;

// The processor time of a process, in milliseconds; 0 where the system does not tell.
function processorMsOf(pid: number): number {
  try {
    // Behind the name in parentheses, in hundredths of a second (man 5 proc_pid_stat).
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ").at(-1)!.split(" ");
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return 0;
  }
}

/** Starts a worker in a tree, with a mutant on from the start if one is named. */
export function startWorker(tree: string, mutant?: string): Worker {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--no-lock",
      "--v8-flags=--max-old-space-size=1500",
      "tests/mutation/worker.ts",
      ...(mutant === undefined ? [] : [mutant]),
    ],
    cwd: tree,
    env: { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    // A group of its own, with the programs that its tests start.
    detached: true,
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let late = false;
  const close = (): void => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  const readAnswer = async (): Promise<unknown> => {
    for (;;) {
      const lines = text.split("\n");
      const at = lines.findIndex((line) => line.startsWith(ANSWER));
      if (at >= 0 && at < lines.length - 1) {
        text = lines.slice(at + 1).join("\n");
        return JSON.parse(lines[at]!.slice(ANSWER.length));
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
  return {
    ask: async (question, processorMs) => {
      const startMs = performance.now();
      const usedMs = processorMsOf(child.pid);
      const timer = setInterval(() => {
        const waitedMs = performance.now() - startMs;
        late ||= processorMsOf(child.pid) - usedMs > processorMs ||
          waitedMs > MAX_WAIT_FACTOR * processorMs;
        if (late) close();
      }, 500);
      try {
        await writer.write(new TextEncoder().encode(`${JSON.stringify(question)}\n`));
        return await readAnswer();
      } catch {
        return undefined;
      } finally {
        clearInterval(timer);
      }
    },
    ended: () => late ? { result: "timed out" } : { result: "killed", by: "the process ended" },
    close,
  };
}
