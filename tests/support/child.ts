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
export interface RunOptions {
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
 * @throws {Error} When the program is missing; the message names the Debian package that has it.
 * When it has not ended by its deadline; it is killed then.
 */
export async function runToEnd(
  [program, ...args]: readonly string[],
  { input = "", env = {}, cwd = ".", deadlineMs = RUN_MS }: RunOptions = {},
): Promise<Ended> {
  const child = spawn(program!, {
    args,
    env: { ...env },
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
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

// Debian packages of programs that have another name, or need more.
const PACKAGES: Readonly<Record<string, string>> = {
  "gcc": "gcc libc6-dev libgsoap-dev",
  "go": "golang-go",
  "ip": "iproute2",
  "java": "default-jdk-headless",
  "javac": "default-jdk-headless",
  "lexgrog": "man-db",
  "man": "man-db",
  "mcs": "mono-mcs",
  "mono": "mono-runtime",
  "node": "nodejs",
  "perl": "perl libsoap-lite-perl",
  "php": "php-cli php-soap php-xml",
  "readelf": "binutils",
  "redis-cli": "redis-server",
  "rsvg-convert": "librsvg2-bin",
  "ruby": "ruby ruby-soap4r",
  "soapcpp2": "gsoap",
  "systemd-analyze": "systemd",
  "systemctl": "systemd",
  "systemd-nspawn": "systemd-container",
  "unshare": "util-linux (and run it as root)",
  "wine": "wine wine64",
  "wsdl": "mono-devel",
  "wsdl2h": "gsoap",
  "xmllint": "libxml2-utils",
  "zbarimg": "zbar-tools",
  // By its path: only the Python of the system sees the modules that the system's packages bring.
  "/usr/bin/python3": "python3 python3-zeep python3-suds python3-bs4 python3-lxml",
};

/**
 * Starts a program.
 *
 * @throws {Error} When it is missing; the message names the Debian package that has it.
 */
export function spawn(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  try {
    return new Deno.Command(program, options).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw missing(program);
  }
}

/**
 * Checks that a program is there, for a test that has another program start it.
 *
 * @param words A command that succeeds where the program is installed.
 * @param packages What has it, if its name does not say so.
 * @throws {Error} When it does not.
 */
export async function need(words: readonly string[], packages?: string): Promise<void> {
  const isThere = await runToEnd(words).then(({ code }) => code === 0, () => false);
  if (!isThere) throw missing(words[0]!, packages);
}

function missing(program: string, packages = PACKAGES[program] ?? program): Error {
  return new Error(`${program} is missing: apt-get install ${packages}`);
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
