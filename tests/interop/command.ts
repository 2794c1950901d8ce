/** The programs that the tests drive, each by the Debian package that has it. */

// In each the order of the packages is that of `apt-get install`.
const PACKAGES: Readonly<Record<string, string>> = {
  "curl": "curl",
  "gcc": "gcc libc6-dev libgsoap-dev",
  "java": "default-jdk-headless",
  "javac": "default-jdk-headless",
  "mcs": "mono-mcs",
  "mono": "mono-runtime",
  "node": "nodejs",
  "oathtool": "oathtool",
  "openssl": "openssl",
  "perl": "perl libsoap-lite-perl",
  "php": "php-cli php-soap php-xml",
  "rsvg-convert": "librsvg2-bin",
  "ruby": "ruby ruby-soap4r",
  "soapcpp2": "gsoap",
  "strace": "strace",
  "wsdl": "mono-devel",
  "wsdl2h": "gsoap",
  "xmllint": "libxml2-utils",
  "zbarimg": "zbar-tools",
  // By its path: only the Python of the system sees the modules that the system's packages bring.
  "/usr/bin/python3": "python3 python3-zeep python3-suds python3-bs4 python3-lxml",
};

const TIMEOUT_MS = 120_000;

/** What a program left. */
export interface Output {
  /** What it wrote on standard output. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same as text. */
  readonly text: string;
  /** What it wrote on standard error, as text. */
  readonly errors: string;
}

/**
 * Runs a program to its end.
 *
 * @param input What it reads on standard input.
 * @throws {Error} When the program is missing; the message names the package that has it. When it
 * fails, with what it wrote on standard error.
 */
export async function run(
  program: string,
  args: readonly string[],
  input: string | Uint8Array<ArrayBuffer> = "",
): Promise<Output> {
  const command = new Deno.Command(program, {
    args: [...args],
    // Requests to this machine are not for a proxy.
    env: { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { code, signal, stdout, stderr } = await feed(spawn(program, command), input);
  const errors = new TextDecoder().decode(stderr);
  if (code !== 0) {
    throw new Error(`${program} ended with ${signal ?? `exit code ${code}`}: ${errors.trim()}`);
  }
  return { bytes: stdout, text: new TextDecoder().decode(stdout), errors };
}

/** The path of a program of ours. */
export function clientFile(name: string): string {
  return new URL(`clients/${name}`, import.meta.url).pathname;
}

/** Runs a program of ours from `clients/`, and reads the JSON that it prints. */
export async function runClient(
  interpreter: string,
  name: string,
  args: readonly string[],
  input: string,
): Promise<unknown> {
  return JSON.parse((await run(interpreter, [clientFile(name), ...args], input)).text);
}

function spawn(program: string, command: Deno.Command): Deno.ChildProcess {
  try {
    return command.spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`${program} is missing: apt-get install ${PACKAGES[program]}`);
  }
}

async function feed(
  child: Deno.ChildProcess,
  input: string | Uint8Array<ArrayBuffer>,
): Promise<Deno.CommandOutput> {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  // A program that fails early reads nothing; its exit code says so better than the broken pipe.
  const fed = new Blob([bytes]).stream().pipeTo(child.stdin).catch(() => {});
  const output = await child.output();
  await fed;
  return output;
}
