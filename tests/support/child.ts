/**
 * Other programs as processes of a test. Each has a deadline: a test may fail by one that hangs, and
 * does not hang with it.
 *
 * @module
 */

/** How a process ended. */
export interface Ended {
  /** The exit code. */
  readonly code: number;
  /** The signal that ended it, if one did. */
  readonly signal: Deno.Signal | null;
  /** What it wrote on standard output. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same as text. */
  readonly stdout: string;
  /** What it wrote on standard error, as text. */
  readonly stderr: string;
}

/** What a process gets beside its command line. */
export interface Surroundings {
  /** Standard input, to its end; nothing unless given. */
  readonly input?: string | Uint8Array<ArrayBuffer>;
  /** Environment variables beside those of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where it runs, if not where the test does. */
  readonly cwd?: string | URL;
  /** How long it may take, in milliseconds; five minutes unless given. */
  readonly deadlineMs?: number;
}

// Far above what any of them takes on a busy machine.
const RUN_MS = 300_000;
const LIFE_MS = 3_600_000;

/**
 * Runs a program to its end.
 *
 * @throws {Error} When it has not ended by its deadline; it is killed then.
 */
export async function runToEnd(
  [program, ...args]: readonly string[],
  { input = "", env = {}, cwd = ".", deadlineMs = RUN_MS }: Surroundings = {},
): Promise<Ended> {
  const child = new Deno.Command(program!, {
    args,
    env: { ...env },
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    killIfThere(child);
    // Whoever inherited its output may live on and keep that open: do not wait for it.
    late.reject(new Error(`${program} has not ended after ${deadlineMs / 1000} seconds`));
  }, deadlineMs);
  try {
    const { code, signal, stdout, stderr } = await Promise.race([feed(child, input), late.promise]);
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { code, signal, bytes: stdout, stdout: out!, stderr: err! };
  } finally {
    clearTimeout(timer);
  }
}

async function feed(
  child: Deno.ChildProcess,
  input: string | Uint8Array<ArrayBuffer>,
): Promise<Deno.CommandOutput> {
  // A program that needs no input, or fails early, may end before it has taken all; its exit code
  // says so better than the broken pipe.
  const fed = new Blob([input]).stream().pipeTo(child.stdin).catch(() => {});
  const output = await child.output();
  await fed;
  return output;
}

/** Kills a process, unless it has ended. */
export function killIfThere(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Kills a process that still runs after a while: an hour, unless given in milliseconds. */
export function limitLife(child: Deno.ChildProcess, deadlineMs = LIFE_MS): void {
  const timer = setTimeout(() => killIfThere(child), deadlineMs);
  void child.status.finally(() => clearTimeout(timer));
}
