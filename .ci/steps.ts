/**
 * The steps of continuous integration: what the tests drive, the tests by the README's command, static
 * checks, and every suite. A step that fails or hangs stops no other. The last line sums up the tests
 * of all JUnit reports, each step without a report being one: `N passed, N failed`. Tests that were
 * left out, for instance without the .NET SDK, are counted in the line before it.
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
  ..."golang-go default-jdk-headless libaxis-java libjaxws-java libsoap-lite-perl".split(" "),
  ..."php-cli php-soap php-xml ruby-soap4r".split(" "),
  // Drivers of the programs that seal.
  ..."libmono-sqlite4.0-cil libxerial-sqlite-jdbc-java php-sqlite3 sqlite3".split(" "),
  ..."python3-bs4 python3-lxml python3-pyotp python3-requests python3-suds python3-zeep".split(" "),
  // Stores, databases, proxies, service managers, a browser.
  ..."redis-server caddy dnsmasq-base haproxy nginx podman prometheus".split(" "),
  ..."dash mariadb-server postgresql".split(" "),
  ..."gdb systemd systemd-container chromium".split(" "),
  // Other machines: ARM by QEMU, Windows by Wine.
  ..."qemu-user-static libc6-arm64-cross wine wine64 gcc-mingw-w64-x86-64-win32".split(" "),
];

/** Packages of npm. */
const MODULES = ["node-2fa@2.0.3", "qrcode@1.5.4", "soap@1.13.0", "strong-soap@5.0.10"];

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
  /** Name of the JUnit report in `dist/` of a step that runs tests: without one, it failed. */
  readonly report?: string;
  /** Whether the step runs beside the one before it: both wait more than they compute. */
  readonly beside?: boolean;
}

const ROOT = new URL("../", import.meta.url);
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
  { name: "packages of NuGet", command: restoreCommand(), minutes: 10, attempts: 5 },
  { name: "executable", command: "./compile.sh --with bun", minutes: 5, attempts: 3 },
  { name: "tests, by the README's command", command: readmeTest, minutes: 10, report: "tests" },
  { name: "static checks", command: `${task} static`, minutes: 5 },
  // The README's command has run tests/unit/cli/ on Deno, and the executable is the bundle on Bun.
  suite("program", { program: "deno", command: `${task} suite tests/integration/program/` }),
  suite("program", { program: "executable" }),
  suite("program", { program: "bun", when: "night", minutes: 45 }),
  suite("floods", { program: "deno", command: `${task} suite tests/integration/floods/` }),
  ...["faults", "crowds"].flatMap((name) =>
    PROGRAMS.map((program) =>
      suite(name, { program, when: "night", command: `${task} suite tests/integration/${name}/` })
    )
  ),
  suite("floods", {
    program: "executable",
    when: "night",
    command: `${task} suite tests/integration/floods/`,
  }),
  suite("upstream", { when: "night", command: `${task} suite tests/integration/upstream/` }),
  suite("interop", { program: "deno" }),
  suite("interop", { program: "bun", when: "night" }),
  suite("interop", { program: "executable", when: "night" }),
  suite("redis", { program: "deno" }),
  suite("recipes", {
    command: `${task} suite tests/integration/recipes/extending_test.ts`,
  }),
  // The gate for each recipe.
  suite("recipes", { when: "night", minutes: 60 }),
  suite("databases", { program: "executable" }),
  suite("browser", { beside: true }),
  suite("deploy", { minutes: 40 }),
  suite("machines", { beside: true, minutes: 40 }),
  suite("redis", { program: "bun", when: "night", minutes: 30 }),
  suite("redis", { program: "executable", when: "night", minutes: 30 }),
  ...PROGRAMS.map((program) =>
    suite("cluster", {
      program,
      when: "night",
      command: `${task} suite tests/integration/cluster/`,
    })
  ),
  {
    name: "test:hostile",
    report: "tests",
    command: `${task} test:hostile${isNight ? ` --minutes 10 --seed ${seed}` : ""}`,
    minutes: isNight ? 90 : 10,
  },
  { name: "benchmarks, for a moment", command: `${deno} run -A bench/all.ts`, minutes: 10 },
  {
    name: "mutation",
    command: `${task} mutation --seed ${seed}`,
    minutes: 300,
    when: "night",
  },
  {
    name: "bench",
    command: `${task} bench --rounds 1 --compare bench/baseline.json`,
    minutes: 20,
    when: "night",
  },
];

/** Step that runs a suite by its task. */
function suite(name: string, changes: Partial<Step> = {}): Step {
  const { command = `${task} test:${name}` } = changes;
  return {
    name: `test:${name}`,
    minutes: 20,
    report: name,
    ...changes,
    command: `${command} --junit-path=dist/${name}.xml`,
  };
}

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

/** Downloads what the locks of .NET projects name, where the SDK is installed. */
function restoreCommand(): string {
  return `command -v dotnet || { echo 'left out: there is no .NET SDK'; exit 0; }
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
find tests bench -name '*.csproj' -o -name '*.vbproj' | while read -r project; do
  dotnet restore --locked-mode --artifacts-path "$PWD/dist/dotnet/restored" "$project" || exit
done || exit
find tests -name dotnet-tools.json | while read -r tools; do
  dotnet tool restore --tool-manifest "$tools" || exit
done`;
}

const running = new Set<number>();

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    running.forEach(endGroup);
    Deno.exit(1);
  });
}

/** Outcome of a step; no output where that was shown at once. */
interface Ended {
  readonly success: boolean;
  readonly output: string;
}

/**
 * Runs a step in a process group of its own, which it ends at the limit and afterwards.
 *
 * @param isShown Whether its output is shown at once.
 */
async function run({ command, program }: Step, minutes: number, isShown: boolean): Promise<Ended> {
  const log = await Deno.makeTempFile();
  const child = new Deno.Command("bash", {
    args: ["-c", isShown ? command : `{ ${command}; } > "${log}" 2>&1`],
    cwd: ROOT,
    env: {
      NODE_PATH: `${MODULES_FOLDER}/node_modules`,
      ...(program !== undefined && { TEST_PROGRAM: program }),
    },
    stdin: "null",
    detached: true,
  }).spawn();
  const timer = setTimeout(() => {
    print(`stopped after ${Math.round(minutes)} minutes: ${command}`);
    endGroup(child.pid);
  }, minutes * 60_000);
  running.add(child.pid);
  const { success } = await child.status;
  running.delete(child.pid);
  clearTimeout(timer);
  endGroup(child.pid);
  const output = await Deno.readTextFile(log);
  await Deno.remove(log);
  return { success, output };
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
  /** Tests that were left out because something that they need is missing. */
  readonly leftOut: number;
  readonly failures: readonly string[];
}

/** Reads and removes a JUnit report; undefined when there is none. */
function takeReport(name: string): Report | undefined {
  const file = new URL(`dist/${name}.xml`, ROOT);
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
    Deno.removeSync(file);
  } catch {
    return undefined;
  }
  const cases = text.split("<testcase ").slice(1);
  const failures = cases.filter((one) => /<(?:failure|error)\b/.test(one))
    .map((one) => /\bname="([^"]*)"/.exec(one)?.[1] ?? one);
  const leftOut = cases.filter((one) => one.includes("<skipped")).length;
  return { passed: cases.length - failures.length - leftOut, leftOut, failures };
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

let passed = 0;
let leftOut = 0;
const failures: string[] = [];
const lines: string[] = [];

/** Runs a step to its end, and takes note of what came of it. */
async function take(step: Step, isShown: boolean): Promise<void> {
  const name = step.program === undefined ? step.name : `${step.name}, ${step.program}`;
  const head = `\n== ${name}\n$ ${step.command}`;
  if (isShown) print(head);
  if (step.report !== undefined) takeReport(step.report);
  const startMs = performance.now();
  const leftMinutes = (): number => step.minutes - (performance.now() - startMs) / 60_000;
  let { success, output } = await run(step, leftMinutes(), isShown);
  for (let attempt = 1; !success && attempt < (step.attempts ?? 1); attempt++) {
    if (leftMinutes() < 1) break;
    print(`failed, and tried again in ${10 * attempt} s`);
    await new Promise((resolve) => setTimeout(resolve, 10_000 * attempt));
    ({ success, output } = await run(step, leftMinutes(), isShown));
  }
  if (!isShown) print(`${head}\n${output}`);
  const report = step.report === undefined ? undefined : takeReport(step.report);
  passed += report?.passed ?? (success && step.report === undefined ? 1 : 0);
  const leftOutHere = report?.leftOut ?? 0;
  leftOut += leftOutHere;
  const failed = report?.failures.map((test) => `${name}: ${test}`) ?? [];
  const isMissing = step.report !== undefined && !report?.passed;
  if ((!success || isMissing) && failed.length === 0) failed.push(name);
  failures.push(...failed);
  const seconds = Math.round((performance.now() - startMs) / 1000);
  const result = failed.length === 0 ? "passed" : `${failed.length} FAILED`;
  const without = leftOutHere === 0 ? "" : `, ${leftOutHere} left out`;
  lines.push(
    `${String(seconds).padStart(5)} s  ${name}: ${report?.passed ?? ""} ${result}${without}`,
  );
}

const due = STEPS.filter(({ when = "change" }) => isNight || when === "change");
for (let i = 0; i < due.length; i++) {
  const [step, next] = [due[i]!, due[i + 1]];
  if (next?.beside !== true) await take(step, true);
  else {
    i++;
    await Promise.all([take(step, false), take(next, false)]);
  }
}

print(`\n== Summary\n${lines.join("\n")}`);
failures.forEach((failure) => print(`FAILED: ${failure}`));
if (leftOut > 0) print(`\n${leftOut} left out: their files say above what is missing`);
print(`\n${passed} passed, ${failures.length} failed`);
Deno.exitCode = failures.length === 0 ? 0 : 1;
