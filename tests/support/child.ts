/**
 * Other programs as processes of a test. Each has a deadline, so that a process that hangs fails its
 * test instead of blocking it.
 *
 * @module
 */

/** How a process ended. */
export interface Ended {
  /** The exit code. */
  readonly code: number;
  /** The signal that ended it, if one did. */
  readonly signal: Deno.Signal | null;
  /** Standard output. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same as text. */
  readonly stdout: string;
  /** Standard error, as text. */
  readonly stderr: string;
}

/** Options of a process. */
export interface Surroundings {
  /** Standard input, to its end; nothing unless given. */
  readonly input?: string | Uint8Array<ArrayBuffer>;
  /** Environment variables beside those of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its folder; that of the test unless given. */
  readonly cwd?: string | URL;
  /** Its deadline in milliseconds; five minutes unless given. */
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
    // A process that inherited its output may keep that open: do not wait for its end.
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
  // A program may end before it has read all of its input: its exit code matters, not the broken pipe.
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
