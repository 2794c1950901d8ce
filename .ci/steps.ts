/**
 * The steps of continuous integration: what the tests drive, the tests by the README's command, static
 * checks, and every suite. A step that fails or hangs stops no other. The last line sums up the tests
 * of all JUnit reports, each step without a report being one: `N passed, N failed`.
 *
 *     bash .ci/run [nightly]
 *
 * @module
 */

/** Packages of Debian. */
const PACKAGES = [
  // Tools that the tests look with.
  ..."binutils curl faketime iproute2 libxml2-utils librsvg2-bin lintian man-db mandoc".split(" "),
  ..."oathtool openssl strace util-linux wrk zbar-tools".split(" "),
  // SOAP stacks: C, C#, Java, Perl, PHP, Python, Ruby.
  ..."gcc gsoap libc6-dev libgsoap-dev".split(" "),
  ..."libmono-system-web-services4.0-cil mono-devel mono-mcs mono-runtime".split(" "),
  ..."default-jdk-headless libaxis-java libjaxws-java libsoap-lite-perl".split(" "),
  ..."php-cli php-soap php-xml ruby-soap4r".split(" "),
  ..."python3-bs4 python3-lxml python3-requests python3-suds python3-zeep".split(" "),
  // Stores, proxies, service managers, a browser.
  ..."redis-server caddy dnsmasq-base nginx podman prometheus".split(" "),
  ..."systemd systemd-container chromium".split(" "),
  // Other machines: ARM by QEMU, Windows by Wine.
  ..."qemu-user-static libc6-arm64-cross wine wine64 gcc-mingw-w64-x86-64-win32".split(" "),
];

/** Packages of npm. */
const MODULES = ["qrcode@1.5.4", "soap@1.13.0", "strong-soap@5.0.10"];

/** Command of CI. */
interface Step {
  readonly name: string;
  /** Command line of Bash. */
  readonly command: string;
  /** Time limit, about three times what the step takes. */
  readonly minutes: number;
  /** Whether the step belongs to a change, or to the night alone. */
  readonly when?: "change" | "night";
  /** Number of attempts, for downloads. */
  readonly attempts?: number;
  /** Value of TEST_PROGRAM. */
  readonly program?: "deno" | "bun" | "executable";
  /** Whether the step runs tests: without a report, it failed. */
  readonly reports?: boolean;
}

const ROOT = new URL("../", import.meta.url);
const REPORT = new URL("dist/tests.xml", ROOT);
const MODULES_FOLDER = `${Deno.env.get("HOME") ?? "/tmp"}/.cache/authenticator-ci`;
const PROGRAMS = ["deno", "bun", "executable"] as const;

const [when = "change", readmeTest = "", deno = "deno"] = Deno.args;
const isNight = when === "nightly";
const task = `${deno} task`;
// The seed of the night differs from night to night; that of a change is fixed in the tests.
const seed = new Date().toISOString().slice(0, 10).replaceAll("-", "");

const STEPS: readonly Step[] = [
  { name: "packages of Debian", command: installCommand(), minutes: 20, attempts: 5 },
  {
    name: "modules of npm",
    command: `npm install --prefix '${MODULES_FOLDER}' --no-audit --no-fund --loglevel=error ` +
      MODULES.join(" "),
    minutes: 5,
    attempts: 5,
  },
  {
    name: "packages of the tests",
    command: `${deno} cache --quiet --lock=deno.lock --frozen main.ts ` +
      "$(find tests bench release -name '*.ts')",
    minutes: 10,
    attempts: 5,
  },
  { name: "executable", command: "./compile.sh --with bun", minutes: 5, attempts: 3 },
  { name: "tests, by the README's command", command: readmeTest, minutes: 10, reports: true },
  { name: "static checks", command: `${task} static`, minutes: 5 },
  ...PROGRAMS.map((program): Step => ({
    name: "test:program",
    reports: true,
    command: `${task} test:program${
      isNight ? " tests/integration/faults/ tests/integration/crowds/" : ""
    }`,
    minutes: isNight ? 45 : 20,
    program,
    // The executable is the bundle on Bun.
    when: program === "bun" ? "night" : "change",
  })),
  ...PROGRAMS.map((program): Step => ({
    name: "test:interop",
    reports: true,
    command: `${task} test:interop`,
    minutes: 15,
    program,
    when: program === "deno" ? "change" : "night",
  })),
  ...PROGRAMS.map((program): Step => ({
    name: "test:redis",
    reports: true,
    command: `${task} test:redis${isNight ? " tests/integration/cluster/" : ""}`,
    minutes: 30,
    program,
    when: program === "deno" ? "change" : "night",
  })),
  { name: "test:browser", command: `${task} test:browser`, minutes: 20, reports: true },
  { name: "test:deploy", command: `${task} test:deploy`, minutes: 20, reports: true },
  { name: "test:machines", command: `${task} test:machines`, minutes: 20, reports: true },
  {
    name: "test:hostile",
    reports: true,
    command: `${task} test:hostile${isNight ? ` --minutes 10 --seed ${seed}` : ""}`,
    minutes: isNight ? 90 : 10,
  },
  {
    name: "mutation",
    command: `${task} mutation --sample 100 --seed ${seed}`,
    minutes: 120,
    when: "night",
  },
  {
    name: "bench",
    command: `${task} bench --rounds 1 --compare bench/baseline.json`,
    minutes: 20,
    when: "night",
  },
];

/** Installs the packages that are not there. */
function installCommand(): string {
  const names = PACKAGES.join(" ");
  const options = "-o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0";
  return `missing=$(for name in ${names}; do
  [[ $(dpkg-query -Wf '\${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || echo "$name"
done)
[[ ! $missing ]] || { apt-get update -qq ${options} &&
  apt-get install -y -q --no-install-recommends ${options} $missing; }`;
}

let running: number | undefined;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    if (running !== undefined) endGroup(running);
    Deno.exit(1);
  });
}

/** Runs a step in a process group of its own, which it ends at the limit and afterwards. */
async function run({ command, program }: Step, minutes: number): Promise<boolean> {
  const child = new Deno.Command("bash", {
    args: ["-c", command],
    cwd: ROOT,
    env: {
      NODE_PATH: `${MODULES_FOLDER}/node_modules`,
      ...(program !== undefined && { TEST_PROGRAM: program }),
    },
    stdin: "null",
    detached: true,
  }).spawn();
  const timer = setTimeout(() => {
    print(`stopped after ${Math.round(minutes)} minutes`);
    endGroup(child.pid);
  }, minutes * 60_000);
  running = child.pid;
  const { success } = await child.status;
  running = undefined;
  clearTimeout(timer);
  endGroup(child.pid);
  return success;
}

function endGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended.
  }
}

/** Counts of a JUnit report, and the names of the tests that failed. */
interface Report {
  readonly passed: number;
  readonly failures: readonly string[];
}

/** Reads and removes the JUnit report of a step; undefined when it wrote none. */
function takeReport(): Report | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(REPORT);
    Deno.removeSync(REPORT);
  } catch {
    return undefined;
  }
  const cases = text.split("<testcase ").slice(1);
  const failures = cases.filter((one) => /<(?:failure|error)\b/.test(one))
    .map((one) => /\bname="([^"]*)"/.exec(one)?.[1] ?? one);
  const skipped = cases.filter((one) => one.includes("<skipped")).length;
  return { passed: cases.length - failures.length - skipped, failures };
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

let passed = 0;
const failures: string[] = [];
const lines: string[] = [];

for (const step of STEPS) {
  if (step.when === "night" && !isNight) continue;
  const name = step.program === undefined ? step.name : `${step.name}, ${step.program}`;
  print(`\n== ${name}\n$ ${step.command}`);
  takeReport();
  const startMs = performance.now();
  const leftMinutes = (): number => step.minutes - (performance.now() - startMs) / 60_000;
  let success = await run(step, leftMinutes());
  for (let attempt = 1; !success && attempt < (step.attempts ?? 1); attempt++) {
    if (leftMinutes() < 1) break;
    print(`failed, and tried again in ${10 * attempt} s`);
    await new Promise((resolve) => setTimeout(resolve, 10_000 * attempt));
    success = await run(step, leftMinutes());
  }
  const report = takeReport();
  passed += report?.passed ?? (success && !step.reports ? 1 : 0);
  const failed = report?.failures.map((test) => `${name}: ${test}`) ?? [];
  const isMissing = step.reports === true && !report?.passed;
  if ((!success || isMissing) && failed.length === 0) failed.push(name);
  failures.push(...failed);
  const seconds = Math.round((performance.now() - startMs) / 1000);
  const result = failed.length === 0 ? "passed" : `${failed.length} FAILED`;
  lines.push(`${String(seconds).padStart(5)} s  ${name}: ${report?.passed ?? ""} ${result}`);
}

print(`\n== Summary\n${lines.join("\n")}`);
failures.forEach((failure) => print(`FAILED: ${failure}`));
print(`\n${passed} passed, ${failures.length} failed`);
Deno.exitCode = failures.length === 0 ? 0 : 1;
